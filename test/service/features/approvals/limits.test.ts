import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { approvalLimits, maxWaiting } from '../../../../src/service/features/approvals/rules.ts'
import { createCall, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { approvalsOf, approver } from './approving.ts'
import type { Approver } from './approving.ts'

describe('the limits of approvals', () => {
  let running: Running
  let app: ReturnType<typeof approvalsOf>

  beforeAll(async () => {
    running = await startService()
    app = approvalsOf(running)
  })
  afterAll(() => running.close())

  const askAndDeny = async (person: Approver, more: object = {}) => {
    const answer = await app.ask({ user: { id: person.id }, ...more })
    if (answer.status === 200) await person.decide(answer.json.id, 'deny')
    return answer
  }

  it('a person has at most five approvals waiting, whoever asks', async () => {
    const anna = await approver(running)
    const ben = await approver(running)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => app.ask({ user: { id: anna.id }, requestedBy: `script ${index}` })),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(maxWaiting)
    expect(answers.find(({ status }) => status === 429)?.code).toBe('api.error.toomanyrequests')
    expect((await app.ask({ user: { id: ben.id } })).status).toBe(200)
  })

  it('unapproved requests to a person are limited to ten in ten minutes and forty in a day, and others can still be asked', async () => {
    const anna = await approver(running)
    const ben = await approver(running)
    for (let count = 0; count < approvalLimits.short.limit; count += 1) {
      expect((await askAndDeny(anna)).status).toBe(200)
    }

    expect((await askAndDeny(anna)).status).toBe(429)
    expect((await askAndDeny(ben)).status).toBe(200)
    for (let window = 1; window < 4; window += 1) {
      running.clock.skip(approvalLimits.short.window)
      for (let count = 0; count < approvalLimits.short.limit; count += 1) await askAndDeny(anna)
    }
    running.clock.skip(approvalLimits.short.window)
    expect((await askAndDeny(anna)).status).toBe(429)
  })

  it('an approval of the person resets what was counted', async () => {
    const anna = await approver(running)
    for (let count = 0; count < approvalLimits.short.limit - 1; count += 1) await askAndDeny(anna)
    const { json } = await app.ask({ user: { id: anna.id } })
    await anna.decide(json.id, 'approve')

    expect((await askAndDeny(anna)).status).toBe(200)
  })

  it('a requester asks at most 120 times in an hour over all people, and other requesters still can', async () => {
    const people = await Promise.all(Array.from({ length: 14 }, () => approver(running)))
    const asked = []
    for (const person of people) {
      for (let count = 0; count < 9; count += 1) asked.push(await askAndDeny(person, { requestedBy: 'one script' }))
    }

    expect(asked.filter(({ status }) => status === 200)).toHaveLength(approvalLimits.requester.limit)
    const last = people.at(-1)!
    expect((await app.ask({ user: { id: last.id }, requestedBy: 'another script' })).status).toBe(200)
    expect((await app.ask({ user: { id: last.id } })).status).toBe(200)
  })

  it('the limits of approvals and those of sign-ins are independent', async () => {
    const anna = await approver(running)
    for (let count = 0; count < approvalLimits.short.limit; count += 1) await askAndDeny(anna)

    const session = await running.call('POST', `/domains/${running.domain.id}/sessions`, {
      body: { user: { id: anna.id } },
    })
    expect(session.status).toBe(200)
  })

  it('a block concerns the API key through which the requester asked', async () => {
    const anna = await approver(running)
    const { json } = await app.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })
    await anna.decide(json.id, 'report')
    const apiKey = await running.service.administration.createApiKey(running.organization.id)
    const otherApp = approvalsOf({ call: createCall(running.origin, apiKey), domain: running.domain })

    expect((await otherApp.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })).status).toBe(200)
    expect((await app.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })).status).toBe(403)
  })
})
