import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { random128 } from '../../../support/device-signer.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { unique } from '../codes/code-holder.ts'
import { asked, outcome } from './people.ts'
import { read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

describe('the inbox', () => {
  it('the inbox shows what the app reported, newest first, but never the number', async () => {
    const attributes = [{ key: 'Browser', value: 'Fire\u202Efox' }]
    const { ask, pending, number, device, request } = await asked(running, {
      numberMatching: true,
      ipAddress: '192.0.2.7',
      attributes,
    })
    const second = await ask()

    const requests = await pending()
    const { text } = await read(await device.inbox())

    expect(requests.map(({ id }) => id)).toEqual([second.id, request.id])
    expect(requests[1]).toMatchObject({
      ipAddress: '192.0.2.7',
      attributes: [{ key: 'Browser', value: 'Firefox' }],
      numberLength: 2,
      domain: { name: 'Domain' },
    })
    expect(text).not.toContain(`"${number}"`)
  })

  inFullRun('the inbox contains only requests of its own device', async () => {
    await asked(running)
    const other = await running.enroll('empty inbox')

    expect(await other.pending()).toEqual([])
  })
})

describe('an answer', () => {
  it.each([
    ['approve', 'approved', undefined],
    ['deny', 'denied', 'user_denied'],
    ['report', 'denied', 'reported'],
  ])('the answer %s settles the session as %s', async (decision, state, reason) => {
    const { device, id, nonce, session } = await asked(running)

    const answered = await read(await device.answer(id, { nonce, decision }))

    const report = decision === 'report' ? { blocked: 1, pausedFor: 900 } : {}
    expect(answered.json).toEqual({ id, state, reason, ...report })
    expect(await session(id)).toMatchObject({ state, settledAt: running.clock.now() })
  })

  it('an answer with the right number approves the session', async () => {
    const { device, id, nonce, number, session } = await asked(running, { numberMatching: true })

    await device.answer(id, { nonce, decision: 'approve', number })

    expect(await session(id)).toMatchObject({ state: 'approved', factor: 'push' })
  })

  it('an answer with a wrong number denies the session for good', async () => {
    const { device, id, nonce, number, session } = await asked(running, { numberMatching: true })
    const wrong = number === '10' ? '11' : '10'

    const first = await read(await device.answer(id, { nonce, decision: 'approve', number: wrong }))
    const second = await outcome(await device.answer(id, { nonce, decision: 'approve', number }))

    expect(first.json).toMatchObject({ state: 'denied', reason: 'wrong_number' })
    expect(second).toEqual([409, 'api.error.conflict.state'])
    expect((await session(id)).state).toBe('denied')
  })

  it('an answer without the required number leaves the session pending', async () => {
    const { device, id, nonce, session } = await asked(running, { numberMatching: true })

    const answer = await outcome(await device.answer(id, { nonce, decision: 'approve' }))

    expect(answer).toEqual([400, 'api.error.invalid.number'])
    expect((await session(id)).state).toBe('pending')
  })

  it.each(['deny', 'report'])('the answer %s needs no number', async (decision) => {
    const { device, id, nonce, session } = await asked(running, { numberMatching: true })

    expect((await device.answer(id, { nonce, decision })).status).toBe(200)
    expect((await session(id)).state).toBe('denied')
  })

  it('an answer needs the nonce of its request, which is checked before the number', async () => {
    const { device, id, session } = await asked(running, { numberMatching: true })

    const answer = await outcome(await device.answer(id, { nonce: random128(), decision: 'approve', number: '00' }))

    expect(answer).toEqual([400, 'api.error.invalid.nonce'])
    expect((await session(id)).state).toBe('pending')
  })

  it('an answer gets the same response when it is sent again, and a different one is too late', async () => {
    const { device, id, nonce, number } = await asked(running, { numberMatching: true })
    const answer = { nonce, decision: 'approve', number }
    const first = await read(await device.answer(id, answer))

    const repeated = await read(await device.answer(id, answer))
    const other = await outcome(await device.answer(id, { nonce, decision: 'deny' }))

    expect([repeated.status, repeated.json]).toEqual([200, first.json])
    expect(other).toEqual([409, 'api.error.conflict.state'])
  })

  it('an answer comes too late once the session has expired', async () => {
    const { device, id, nonce, session } = await asked(running)
    await running.clock.advance(90)

    const answer = await outcome(await device.answer(id, { nonce, decision: 'approve' }))

    expect(answer).toEqual([409, 'api.error.conflict.state'])
    expect((await session(id)).state).toBe('expired')
  })

  it('an answer comes too late once the session is canceled', async () => {
    const { device, id, nonce, sessions, session } = await asked(running)
    await running.call('DELETE', `${sessions}/${id}`)

    const answer = await outcome(await device.answer(id, { nonce, decision: 'approve' }))

    expect(answer).toEqual([409, 'api.error.conflict.state'])
    expect((await session(id)).state).toBe('cancelled')
  })

  it('when many answers arrive at once, one decides and is final', async () => {
    const { device, id, nonce, session } = await asked(running)
    const decisions = ['approve', 'deny', 'report']

    const answers = await Promise.all(
      Array.from({ length: 64 }, async (_, index) => {
        const decision = decisions[index % 3]
        return { decision, ...(await read(await device.answer(id, { nonce, decision }))) }
      }),
    )

    const heard = answers.filter((answer) => answer.status === 200)
    expect(new Set(heard.map((answer) => answer.decision)).size).toBe(1)
    expect(answers.filter((answer) => answer.status !== 200).map((answer) => answer.code)).toEqual(
      Array.from({ length: 64 - heard.length }, () => 'api.error.conflict.state'),
    )
    expect((await session(id)).state).toBe(heard[0]?.json.state)
  })

  inFullRun('an answer is rejected from the device of another user', async () => {
    const { id, nonce, session } = await asked(running)
    const other = await running.enroll(`other device ${unique()}`)

    const answer = await outcome(await other.device.answer(id, { nonce, decision: 'approve' }))

    expect(answer).toEqual([404, 'api.error.notfound.session'])
    expect((await session(id)).state).toBe('pending')
  })

  inFullRun.each([
    [{ decision: 'approve' }, 'api.error.invalid.nonce'],
    [{ nonce: 'x', decision: 'approve' }, 'api.error.invalid.nonce'],
    [{ nonce: 'A'.repeat(22), decision: 'maybe' }, 'api.error.invalid.decision'],
    [{ nonce: 'A'.repeat(22), decision: 'approve', number: 47 }, 'api.error.invalid.number'],
  ])('an answer is rejected when malformed: %j', async (answer, code) => {
    const { device, id } = await asked(running)

    expect(await outcome(await device.answer(id, answer))).toEqual([400, code])
  })
})

describe('removing an account on the device', () => {
  it('removing an account on the device revokes the token, cancels pending sessions and locks the device out', async () => {
    const { user, device, id, session } = await asked(running)

    const removed = await device.remove()

    const token = await running.call('GET', `/domains/${running.domain.id}/users/${user.id}/token`)
    expect([removed.status, await removed.text()]).toEqual([200, ''])
    expect(token.code).toBe('api.error.notfound.token')
    expect((await session(id)).state).toBe('cancelled')
    expect(await outcome(await device.inbox())).toEqual([403, 'api.error.device.revoked'])
  })
})
