import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { inFullRun } from '../../../support/full-run.ts'
import { newUser, startService, unknownId } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

const v13 = { accept: 'application/vnd.service.v1+json' }
const challenge = 'BBBBBBBBBBBBBBBBBBBBBA'
const minute = 60
const day = 24 * 60 * 60

describe('a session', () => {
  inFullRun('a session has exactly two members, in a fixed order, for callers of 1.3', async () => {
    const { user, sessions } = await running.enroll('old caller')

    const created = await running.call('POST', sessions, { headers: v13, body: { user: { id: user.id } } })
    const read = await running.call('GET', `${sessions}/${created.json.id}`, { headers: v13 })

    expect(created.text).toBe(`{"id":"${created.json.id}","state":"pending"}`)
    expect(read.text).toBe(created.text)
  })

  it('a session tells callers of 1.4 when it was created and when it expires', async () => {
    const { ask } = await running.enroll('present caller')

    const session = await ask()

    const now = running.clock.now()
    const times = { createdAt: now, expiresAt: now + 90 }
    expect(session).toEqual({ id: session.id, state: 'pending', purpose: 'sign_in', deviceName: 'Test', ...times })
  })

  inFullRun('a session identifies its user only by id or by username', async () => {
    const { user, sessions } = await running.enroll('named')
    const create = (reference: unknown) => running.call('POST', sessions, { body: { user: reference } })

    const good = await Promise.all([create({ id: user.id }), create({ username: 'named' })])
    const bad = await Promise.all([
      create({}),
      create('named'),
      create({ id: user.id, username: 'named' }),
      create(undefined),
    ])

    expect(good.map((answer) => answer.status)).toEqual([200, 200])
    expect(bad.map((answer) => answer.code)).toEqual(Array.from({ length: 4 }, () => 'api.error.invalid.user'))
    expect(bad[2].text).toContain('user.username: must be left out where id is given')
  })

  it('a session requires a user of the domain', async () => {
    await running.call('POST', '/users', { body: newUser('outside') })
    const create = (user: object) => running.call('POST', `/domains/${running.domain.id}/sessions`, { body: { user } })

    const answers = [await create({ username: 'outside' }), await create({ id: unknownId })]

    expect(answers.map((answer) => answer.code)).toEqual(['api.error.notfound.user', 'api.error.notfound.user'])
  })

  it('a session requires an active token unless a code is given', async () => {
    const { json: user } = await running.call('POST', '/users', { body: newUser('without token') })
    await running.call('PUT', `/domains/${running.domain.id}/users/${user.id}`)
    const create = (more: object) =>
      running.call('POST', `/domains/${running.domain.id}/sessions`, { body: { user: { id: user.id }, ...more } })

    const plain = await create({})
    const absent = await create({ otp: '', bypasscode: null })
    const wrong = await create({ otp: '123 456' })

    expect([plain.code, absent.code]).toEqual(['api.error.notfound.token', 'api.error.notfound.token'])
    expect(wrong.json).toMatchObject({ state: 'denied', reason: 'wrong_code', factor: 'otp' })
  })

  it('a session uses the bypass code if a one-time password is given as well', async () => {
    const { ask } = await running.enroll('both codes')

    expect(await ask({ otp: '123456', bypasscode: '123456789' })).toMatchObject({ state: 'denied', factor: 'bypass' })
  })

  inFullRun.each([
    ['attributes', [{ key: 'k' }]],
    ['attributes', [{ key: 'k', value: 1 }]],
    ['attributes', 'text'],
    ['otp', 12345],
    ['bypasscode', {}],
    ['ipAddress', ['192.0.2.7']],
    ['ipAddress', 3221225991],
    ['numberMatching', 'yes'],
    ['challenge', 'short'],
  ])('a session cannot have the %s %j', async (field, value) => {
    const { sessions, user } = await running.enroll(`wrong ${field} ${JSON.stringify(value).length}`)

    const answer = await running.call('POST', sessions, { body: { user: { id: user.id }, [field]: value } })

    expect([answer.status, answer.code]).toEqual([400, `api.error.invalid.${field.toLowerCase()}`])
  })

  it('a session is not found through another domain of the same organization', async () => {
    const { ask } = await running.enroll('other domain')
    const session = await ask()
    const other = await running.service.administration.createDomain(running.organization.id, { name: 'Other' })

    const answer = await running.call('GET', `/domains/${other.id}/sessions/${session.id}`)

    expect(answer.code).toBe('api.error.notfound.session')
  })
})

describe('the end of a session', () => {
  it('a session expires when its time is over, which callers of 1.3 see as denied', async () => {
    const { ask, session, sessions } = await running.enroll('expiring')
    const { id, expiresAt = 0 } = await ask()

    await running.clock.advance(90)

    expect(await session(id)).toMatchObject({ state: 'expired', reason: 'timeout', settledAt: expiresAt })
    expect((await running.call('GET', `${sessions}/${id}`, { headers: v13 })).json).toEqual({ id, state: 'denied' })
  })

  it('a session can be canceled more than once, and callers of 1.3 see it as denied', async () => {
    const { ask, session, sessions } = await running.enroll('cancelling')
    const { id } = await ask()

    const first = await running.call('DELETE', `${sessions}/${id}`)
    const second = await running.call('DELETE', `${sessions}/${id}`)

    expect([first.status, first.text, second.status]).toEqual([200, '', 200])
    expect(await session(id)).toMatchObject({ state: 'cancelled', reason: 'cancelled' })
    expect((await running.call('GET', `${sessions}/${id}`, { headers: v13 })).json.state).toBe('denied')
  })

  it('canceling a settled session does not change its outcome', async () => {
    const { ask, pending, device, session, sessions } = await running.enroll('approved, cancelled')
    const { id } = await ask()
    await device.answer(id, { nonce: (await pending())[0]!.nonce, decision: 'approve' })

    await running.call('DELETE', `${sessions}/${id}`)

    expect(await session(id)).toMatchObject({ state: 'approved', factor: 'push' })
  })

  it('a settled session can be read for 24 hours, and is not found afterwards', async () => {
    const { ask, sessions } = await running.enroll('a day later')
    const { id } = await ask()
    await running.call('DELETE', `${sessions}/${id}`)

    running.clock.skip(day - 1)
    const late = await running.call('GET', `${sessions}/${id}`)
    await running.clock.advance(1)
    const tooLate = await running.call('GET', `${sessions}/${id}`)
    const cancelled = await running.call('DELETE', `${sessions}/${id}`)

    expect(late.json.state).toBe('cancelled')
    expect([tooLate.code, cancelled.code]).toEqual(['api.error.notfound.session', 'api.error.notfound.session'])
  })

  it('an expired session can also be read for 24 hours', async () => {
    const { ask, sessions } = await running.enroll('expired a day ago')
    const { id } = await ask()

    running.clock.skip(90 + day - 1)
    const late = await running.call('GET', `${sessions}/${id}`)
    await running.clock.advance(1)
    const tooLate = await running.call('GET', `${sessions}/${id}`)

    expect(late.json.state).toBe('expired')
    expect(tooLate.code).toBe('api.error.notfound.session')
  })
})

describe('number matching', () => {
  inFullRun('number matching returns two digits to show while the session is pending', async () => {
    const { ask, session, sessions } = await running.enroll('numbered')

    const { id, number } = await ask({ numberMatching: true })

    expect(number).toMatch(/^[1-9][0-9]$/)
    expect((await session(id)).number).toBe(number)
    await running.call('DELETE', `${sessions}/${id}`)
    expect((await session(id)).number).toBeUndefined()
  })

  inFullRun('number matching uses a different number for each pending session of a user', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { ask } = await running.enroll(`numbers ${round}`)

      const numbers = [
        await ask({ numberMatching: true }),
        await ask({ numberMatching: true }),
        await ask({ numberMatching: true }),
      ]

      expect(new Set(numbers.map(({ number }) => number)).size).toBe(3)
    }
  })

  it('number matching is omitted unless the caller asks for it', async () => {
    const { ask, pending } = await running.enroll('not asked')

    expect((await ask()).number).toBeUndefined()
    expect((await pending())[0]?.numberLength).toBe(0)
  })

  inFullRun('number matching is not used if the domain turns it off', async () => {
    const off = await startService({}, { numberMatching: 'off' })
    const { ask } = await off.enroll('off')

    const session = await ask({ numberMatching: true })
    await off.close()

    expect([session.state, session.number]).toEqual(['pending', undefined])
  })

  inFullRun('a domain that requires number matching denies callers who cannot show a number', async () => {
    const warn = vi.fn<(facts: object, message: string) => void>()
    const logger = { info: () => {}, warn, error: () => {} }
    const required = await startService({ logger }, { numberMatching: 'required' })
    const { user, sessions, ask, pending } = await required.enroll('required')

    const old = await required.call('POST', sessions, { headers: v13, body: { user: { id: user.id } } })
    const unasked = await ask()
    const none = await pending()
    const numbered = await ask({ numberMatching: true })
    await required.close()

    expect(old.json.state).toBe('denied')
    expect(unasked).toMatchObject({ state: 'denied', reason: 'push_failed' })
    expect(none).toEqual([])
    expect(numbered.state).toBe('pending')
    // Once a minute: callers of 1.3 learn no reason.
    expect(warn.mock.calls.filter(([, message]) => message.includes('requires a number'))).toHaveLength(1)
  })
})

describe('redeeming', () => {
  async function approved(username: string, more: object = { challenge }) {
    const enrolled = await running.enroll(username)
    const { id } = await enrolled.ask(more)
    const [request] = await enrolled.pending()
    await enrolled.device.answer(id, { nonce: request!.nonce, decision: 'approve' })
    const path = `${enrolled.sessions}/${id}/redeem`
    return { ...enrolled, id, redeem: (by = challenge) => running.call('POST', path, { body: { challenge: by } }) }
  }

  it('redeeming a session succeeds once per approval, even when many callers try at once', async () => {
    const { redeem } = await approved('64 at once')

    const answers = await Promise.all(Array.from({ length: 64 }, () => redeem()))

    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    expect(answers.filter((answer) => answer.code === 'api.error.conflict.state')).toHaveLength(63)
  })

  it('redeeming a session requires the challenge that the session was created with', async () => {
    const { redeem } = await approved('another challenge')

    const other = await redeem('CCCCCCCCCCCCCCCCCCCCCA')
    const own = await redeem()

    expect([other.status, other.code, own.status]).toEqual([409, 'api.error.conflict.state', 200])
    expect(own.json.state).toBe('approved')
  })

  it('redeeming a session accepts no challenge at all if the session has none', async () => {
    const { redeem } = await approved('no challenge', {})

    expect((await redeem()).code).toBe('api.error.conflict.state')
  })

  it('redeeming a session is limited to approvals', async () => {
    const { ask, sessions } = await running.enroll('not approved')
    const { id } = await ask({ challenge })
    const redeem = () => running.call('POST', `${sessions}/${id}/redeem`, { body: { challenge } })

    const pending = await redeem()
    await running.call('DELETE', `${sessions}/${id}`)
    const cancelled = await redeem()

    expect([pending.code, cancelled.code]).toEqual(['api.error.conflict.state', 'api.error.conflict.state'])
  })

  inFullRun('an approval can be redeemed for ten minutes', async () => {
    const inTime = await approved('in time')
    await running.clock.advance(10 * minute - 1)
    const first = await inTime.redeem()
    const late = await approved('late')
    await running.clock.advance(10 * minute)
    const second = await late.redeem()

    expect([first.status, second.code]).toEqual([200, 'api.error.conflict.state'])
  })

  it('redeeming a session rejects malformed challenges', async () => {
    const { redeem } = await approved('form')

    expect((await redeem('x')).code).toBe('api.error.invalid.challenge')
  })
})
