import { Secret } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { hardwareToken, holder, member, otherThan, unique } from './code-holder.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let running: Running

beforeAll(async () => {
  running = await startService({}, { bypassEnabled: true })
})
afterAll(() => running.close())

const v13 = { accept: 'application/vnd.service.v1+json' }
const challenge = 'BBBBBBBBBBBBBBBBBBBBBA'

describe('a session with a code', () => {
  inFullRun.each([
    { type: 'TOTP6', timeStep: 30 },
    { type: 'TOTP6', timeStep: 60 },
    { type: 'TOTP8', timeStep: 30 },
    { type: 'TOTP8', timeStep: 60 },
    { algorithm: 'SHA256', digits: 6, period: 15 },
    { algorithm: 'SHA512', digits: 7, period: 45 },
    { algorithm: 'SHA1', digits: 8, period: 120 },
  ] as const)('a session is approved at once by the code of a token with %j', async (kind) => {
    const { token, signIn } = await holder(running, kind)

    const session = await signIn({ otp: token.code() })

    const now = running.clock.now()
    expect(session).toEqual({
      id: session.id,
      state: 'approved',
      factor: 'otp',
      factorId: token.id,
      purpose: 'sign_in',
      createdAt: now,
      expiresAt: now + 90,
      settledAt: now,
    })
  })

  it('a session with a code has two members for callers of version 1.3, whatever the outcome', async () => {
    const { id, token } = await holder(running)
    const sessions = `/domains/${running.domain.id}/sessions`
    const create = (otp: string) => running.call('POST', sessions, { headers: v13, body: { user: { id }, otp } })

    const [right, wrong] = [await create(token.code()), await create(token.code())]

    expect(right.text).toBe(`{"id":"${right.json.id}","state":"approved"}`)
    expect(wrong.text).toBe(`{"id":"${wrong.json.id}","state":"denied"}`)
    expect((await running.call('GET', `${sessions}/${right.json.id}`, { headers: v13 })).text).toBe(right.text)
  })

  it('a session with a code needs no device and sends no request to one', async () => {
    const { user, ask, pending } = await running.enroll('with device and code')
    const { json } = await running.call('POST', `/users/${user.id}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 1 },
    })

    const sessions = [await ask({ bypasscode: json.code }), await ask({ otp: '123456' })]

    expect(sessions.map(({ state }) => state)).toEqual(['approved', 'denied'])
    expect(await pending()).toEqual([])
  })

  it('a session accepts a code with the spaces it was displayed with', async () => {
    const { token, signIn } = await holder(running)
    const code = token.code()

    expect(await signIn({ otp: ` ${code.slice(0, 3)} ${code.slice(3)}` })).toMatchObject({ state: 'approved' })
  })

  it('a session with a code can be redeemed once, by its challenge', async () => {
    const { token, signIn } = await holder(running)
    const { id } = await signIn({ otp: token.code(), challenge })
    const redeem = (by: string) =>
      running.call('POST', `/domains/${running.domain.id}/sessions/${id}/redeem`, { body: { challenge: by } })

    const answers = [await redeem('CCCCCCCCCCCCCCCCCCCCCA'), await redeem(challenge), await redeem(challenge)]

    expect(answers.map((answer) => answer.status)).toEqual([409, 200, 409])
    expect(answers[1]?.json).toMatchObject({ state: 'approved', factor: 'otp' })
  })

  it('a session with a wrong code cannot be redeemed', async () => {
    const { token, signIn } = await holder(running)
    const { id } = await signIn({ otp: otherThan(token.code()), challenge })

    const answer = await running.call('POST', `/domains/${running.domain.id}/sessions/${id}/redeem`, {
      body: { challenge },
    })

    expect(answer.code).toBe('api.error.conflict.state')
  })

  it('a session with a code requires a member of the domain', async () => {
    const { id, token } = await holder(running)
    await running.call('DELETE', `/domains/${running.domain.id}/users/${id}`)

    const answer = await running.call('POST', `/domains/${running.domain.id}/sessions`, {
      body: { user: { id }, otp: token.code() },
    })

    expect(answer.code).toBe('api.error.notfound.user')
  })
})

describe('a wrong code', () => {
  it('a wrong code gets the same response, whatever factors the user has', async () => {
    const { token, ...withToken } = await holder(running)
    const without = await member(running)
    const { user, ask } = await running.enroll('denied in the same words')
    const bypass = await running.call('POST', `/users/${user.id}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 1 },
    })
    const otp = otherThan(token.code(), bypass.json.code)

    const sessions = await Promise.all([withToken.signIn({ otp }), without.signIn({ otp }), ask({ otp })])

    const [first] = sessions
    for (const session of sessions) expect(session).toEqual({ ...first, id: session.id })
    expect(first).toMatchObject({ state: 'denied', reason: 'wrong_code', factor: 'otp' })
  })

  inFullRun.each(['1', '12345', '1234567', '0123456789', 'abcdef', '１２３４５６', '-12345', '12345.', "' OR 1=1--"])(
    'a malformed code is denied as a wrong one: %j',
    async (otp) => {
      const { signIn } = await holder(running)

      expect(await signIn({ otp })).toMatchObject({ state: 'denied', reason: 'wrong_code' })
    },
  )

  it('a wrong code does not prevent the right one from being accepted next', async () => {
    const { token, signIn } = await holder(running)
    await signIn({ otp: otherThan(token.code()) })

    expect(await signIn({ otp: token.code() })).toMatchObject({ state: 'approved' })
  })
})

describe('the factor of a code', () => {
  it('a session’s factor is the bypass code if both codes are sent, even when only the other is right', async () => {
    const { token, signIn } = await holder(running)

    const sessionWithBoth = await signIn({ otp: token.code(), bypasscode: '123456789' })
    const sessionWithOne = await signIn({ otp: token.code(), bypasscode: '' })

    expect(sessionWithBoth).toMatchObject({ state: 'denied', factor: 'bypass' })
    expect(sessionWithOne).toMatchObject({ state: 'approved', factor: 'otp' })
  })

  it('a session’s factor is never a token if its code is sent as a bypass code', async () => {
    const { token, signIn } = await holder(running)

    expect(await signIn({ bypasscode: token.code() })).toMatchObject({ state: 'denied', factor: 'bypass' })
  })

  it('a session’s factor is the token or device that displays the code; using one up does not affect the other', async () => {
    const { user, codeSecret, ask } = await running.enroll('token and device')
    const token = await hardwareToken(running)
    await running.call('PUT', `/users/${user.id}/hardware/${token.id}`)
    const seed = Secret.fromBase32(codeSecret).hex
    const deviceCode = codeAt({ seed, digits: 6 }, stepAt(running.clock.now(), 30))

    const sessions = [
      await ask({ otp: deviceCode }),
      await ask({ otp: token.code() }),
      await ask({ otp: deviceCode }),
      await ask({ otp: token.code() }),
    ]

    expect(sessions.map(({ state }) => state)).toEqual(['approved', 'approved', 'denied', 'denied'])
  })
})

describe('a code used by many requests at once', () => {
  inFullRun('a code is accepted once when many requests use it at once', async () => {
    const { token, signIn } = await holder(running)
    const otp = token.code()

    const sessions = await Promise.all(Array.from({ length: 64 }, () => signIn({ otp })))

    expect(sessions.filter(({ state }) => state === 'approved')).toHaveLength(1)
  })

  inFullRun('the second code of a resynchronization is accepted once when many requests use it at once', async () => {
    const { token, signIn } = await holder(running)
    await signIn({ otp: token.code(5) })
    const otp = token.code(6)

    const sessions = await Promise.all(Array.from({ length: 64 }, () => signIn({ otp })))

    expect(sessions.filter(({ state }) => state === 'approved')).toHaveLength(1)
  })

  it('a code that many requests use at once is accepted once across all domains of the organization', async () => {
    const { id, token } = await holder(running)
    const other = await running.service.administration.createDomain(running.organization.id, { name: 'Second' })
    await running.call('PUT', `/domains/${other.id}/users/${id}`)
    const body = { user: { id }, otp: token.code() }

    const answers = await Promise.all(
      [running.domain.id, other.id, running.domain.id, other.id].map((domain) =>
        running.call('POST', `/domains/${domain}/sessions`, { body }),
      ),
    )

    expect(answers.filter(({ json }) => json.state === 'approved')).toHaveLength(1)
  })
})

describe('the clock of a hardware token', () => {
  it('the clock of a hardware token may be a step off, and its learned drift moves the window', async () => {
    const { token, signIn } = await holder(running)
    const states: string[] = []
    for (const stepsAhead of [1, 2, 3, 2]) {
      states.push((await signIn({ otp: token.code(stepsAhead) })).state)
      await running.clock.advance(60)
    }

    expect(states).toEqual(['approved', 'approved', 'approved', 'approved'])
    // Two steps away from the learned drift: without it, this code would be the nearest.
    expect((await signIn({ otp: token.code(0) })).state).toBe('denied')
  })

  inFullRun('syncState reports a hardware token as never used, in sync, out of sync, and in sync again', async () => {
    const { token, signIn } = await holder(running)
    const states = [['', (await token.show()).syncState]]
    const note = async (otp: string) => {
      const { state } = await signIn({ otp })
      states.push([state, (await token.show()).syncState])
    }

    await note(token.code())
    await running.clock.advance(300)
    await note(token.code(7))
    await running.clock.advance(30)
    await note(token.code(7))
    await running.clock.advance(30)
    await note(token.code(7))

    expect(states).toEqual([
      ['', 'Never Used'],
      ['approved', 'Synchronized'],
      ['denied', 'Out of Sync'],
      ['approved', 'Synchronized'],
      ['approved', 'Synchronized'],
    ])
  })

  it('a hardware token is in sync again as soon as one of its codes is accepted', async () => {
    const { token, signIn } = await holder(running)
    await signIn({ otp: token.code(4) })
    const before = (await token.show()).syncState

    const session = await signIn({ otp: token.code() })

    expect([before, session.state]).toEqual(['Out of Sync', 'approved'])
    expect((await token.show()).syncState).toBe('Synchronized')
  })

  it('a hardware token is not resynchronized by one code twice, nor by two that are not consecutive', async () => {
    const { token, signIn } = await holder(running)

    const states = [
      await signIn({ otp: token.code(5) }),
      await signIn({ otp: token.code(5) }),
      await signIn({ otp: token.code(7) }),
      await signIn({ otp: token.code(6) }),
    ].map(({ state }) => state)

    expect(states).toEqual(['denied', 'denied', 'denied', 'denied'])
  })

  it('a hardware token says when its last code was accepted, by the clock of the service', async () => {
    const { token, signIn } = await holder(running)
    const unused = await token.show()
    await signIn({ otp: token.code(7) })
    await running.clock.advance(30)
    await signIn({ otp: token.code(7) })

    const { lastUsedAt } = await token.show()

    expect(unused).not.toHaveProperty('lastUsedAt')
    expect(lastUsedAt).toBe(Math.floor(running.clock.now() / 30) * 30)
  })

  it('a hardware token is not reported as out of sync when a used code is replayed', async () => {
    const { token, signIn } = await holder(running)
    const otp = token.code()
    await signIn({ otp })
    await running.clock.advance(150)

    expect(await signIn({ otp })).toMatchObject({ state: 'denied' })
    expect((await token.show()).syncState).toBe('Synchronized')
  })

  it('a hardware token can be resynchronized ten steps off, but not eleven', async () => {
    const [near, far] = [await holder(running), await holder(running)]

    const states = [
      await near.signIn({ otp: near.token.code(9) }),
      await near.signIn({ otp: near.token.code(10) }),
      await far.signIn({ otp: far.token.code(10) }),
      await far.signIn({ otp: far.token.code(11) }),
    ].map(({ state }) => state)

    expect(states).toEqual(['denied', 'approved', 'denied', 'denied'])
  })
})

describe('the clock of a phone', () => {
  it.each([
    [
      'an authenticator app',
      async () => {
        const person = await member(running)
        const { code } = await person.enrollApp()
        return { code, signIn: person.signIn }
      },
    ],
    [
      'a device',
      async () => {
        const { codeSecret, ask } = await running.enroll(`phone ${unique()}`)
        const seed = Secret.fromBase32(codeSecret).hex
        const code = (stepsAhead: number) => codeAt({ seed, digits: 6 }, stepAt(running.clock.now(), 30) + stepsAhead)
        return { code, signIn: ask }
      },
    ],
  ])('two noted codes in a row do not resynchronize the clock of a phone: %s', async (_what, own) => {
    const { code, signIn } = await own()
    await running.clock.advance(300)

    const states = [
      await signIn({ otp: code(-5) }),
      await signIn({ otp: code(-4) }),
      await signIn({ otp: code(2) }),
      await signIn({ otp: code(-1) }),
      await signIn({ otp: code(1) }),
    ].map(({ state }) => state)

    expect(states).toEqual(['denied', 'denied', 'denied', 'approved', 'approved'])
  })
})
