import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { approvalLimits, maxWaiting } from '../../../../src/service/features/approvals/rules.ts'
import { devicePaths } from '../../../../src/contract/device.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { createCall, read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { member } from '../codes/code-holder.ts'
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

  inFullRun('an approval of the person resets what was counted', async () => {
    const anna = await approver(running)
    for (let count = 0; count < approvalLimits.short.limit - 1; count += 1) await askAndDeny(anna)
    const { json } = await app.ask({ user: { id: anna.id } })
    await anna.decide(json.id, 'approve')

    expect((await askAndDeny(anna)).status).toBe(200)
  })

  it('a requester asks at most 120 times in an hour over all people, and other requesters still can', async () => {
    const people = await Promise.all(Array.from({ length: 25 }, () => approver(running)))
    const asked = []
    for (const { id } of people) {
      for (let count = 0; count < maxWaiting; count += 1) {
        asked.push(await app.ask({ user: { id }, requestedBy: 'one script' }))
      }
    }

    expect(asked.filter(({ status }) => status === 200)).toHaveLength(approvalLimits.requester.limit)
    const { id } = await approver(running)
    expect((await app.ask({ user: { id }, requestedBy: 'another script' })).status).toBe(200)
    expect((await app.ask({ user: { id } })).status).toBe(200)
  })

  describe('what others ask and what a person asks for themselves', () => {
    const askedByOthers = async (person: Approver, more: object = {}) =>
      app.ask({ approvers: [{ id: person.id }], requestedBy: (await member(running)).id, ...more })

    it('what others ask takes no place of what a person asks for themselves, nor the reverse', async () => {
      const anna = await approver(running)
      for (let count = 0; count < maxWaiting; count += 1) await askedByOthers(anna, { expiresIn: 86_400 })

      expect((await askedByOthers(anna)).status).toBe(429)
      for (let count = 0; count < maxWaiting; count += 1) {
        expect((await app.ask({ user: { id: anna.id } })).status).toBe(200)
      }
      expect((await app.ask({ user: { id: anna.id } })).status).toBe(429)
    })

    it('what others ask counts apart from what a person asks for themselves, and so does the reset', async () => {
      const anna = await approver(running)
      for (let count = 0; count < approvalLimits.short.limit; count += 1) {
        const { json } = await askedByOthers(anna)
        await anna.decide(json.id, 'deny')
      }

      const own = await app.ask({ user: { id: anna.id } })
      await anna.decide(own.json.id, 'approve')

      expect(own.status).toBe(200)
      expect((await askedByOthers(anna)).status).toBe(429)
    })
  })

  it.each(['Deploy script', 'deploy  script ', 'deploy\u200b script', 'ｄeploy script'])(
    'a requester that a person has blocked does not ask again as "%s"',
    async (requestedBy) => {
      const anna = await approver(running)
      const { json } = await app.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })
      await anna.decide(json.id, 'report')

      expect((await app.ask({ user: { id: anna.id }, requestedBy })).code).toBe('api.error.forbidden.requester')
      expect((await app.ask({ user: { id: anna.id }, requestedBy: 'deploy script 2' })).status).toBe(200)
    },
  )

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

  it('a report names its block, so that the person lifts exactly that one', async () => {
    const anna = await approver(running)
    const apiKey = await running.service.administration.createApiKey(running.organization.id)
    const otherApp = approvalsOf({ call: createCall(running.origin, apiKey), domain: running.domain })
    const reported = async (at: typeof app) => {
      const { json } = await at.ask({ user: { id: anna.id }, requestedBy: 'deploy script' })
      return (await anna.decide(json.id, 'report')).json.block as string
    }
    const [block, other] = [await reported(app), await reported(otherApp)]

    await anna.device.call(devicePaths.liftBlock(block))
    const again = await reported(app)

    const { blocks } = (await read(await anna.device.get(devicePaths.blocks))).json
    expect(blocks.map(({ id }: { id: string }) => id)).toEqual([again, other])
  })
})
