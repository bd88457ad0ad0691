import { describe, expect, it } from 'vitest'

import { createChallenge } from '../../src/challenge/challenge.ts'
import { policyOfApp } from '../../src/challenge/policy.ts'
import { adapt14 } from '../../src/challenge/service-1-4.ts'
import type { Outcome } from '../../src/express/request/outcome.ts'
import type { WebRequest } from '../../src/express/request/web-request.ts'
import { declineCodes, downloadCodes } from '../../src/express/self-service/recovery.ts'
import { openChallenge } from '../../src/express/sign-in/open-challenge.ts'
import { completeChallenge, finish } from '../../src/express/sign-in/finish.ts'
import { giveUp } from '../../src/express/sign-in/push-again.ts'
import { setRemember } from '../../src/express/sign-in/remembered.ts'
import { demand } from '../../src/express/sign-in/demand.ts'

const now = 1_800_000_000
const userKey = 'username:alice'
const random = (size: number) => new Uint8Array(size).fill(7)
const challenge = {
  ...createChallenge({ userKey, purpose: 'sign_in', returnTo: '/account' }, now, random),
  sessionId: 's1',
  askedAt: now,
}
const approved = { id: 's1', state: 'approved', factor: 'push', createdAt: now, settledAt: now + 5 }

/** A service that redeems an approval once. */
function arrange(overrides: Partial<WebRequest> = {}, headers: object = {}) {
  const calls: string[] = []
  const redeem = () => {
    calls.push('redeem')
    return Promise.resolve(approved)
  }
  const sessions = { redeem, cancel: () => Promise.resolve(calls.push('cancel')), get: () => Promise.resolve(approved) }
  const service = { ...adapt14({ client: { sessions }, domainId: 'd' } as never), domainId: 'd', client: { sessions } }
  const options = {
    clock: { now: () => now + 10 },
    random,
    passkeys: { relyingPartyOf: () => undefined },
    remember: false,
    recoveryCodes: true,
  }
  const policy = policyOfApp({ factors: ['push', 'otp'], phishingResistant: 'off', unknownBrowser: 'number' })
  const epochs = { update: () => {}, covers: () => true }
  const mfa = { options, policy, connect: () => Promise.resolve(service), epochs }
  const request = {
    req: { method: 'GET', headers, originalUrl: '/mfa', socket: {} },
    context: { base: '/mfa', prefix: '', userKey, mfa },
    user: { username: 'alice' },
    state: {},
    form: {},
    ...overrides,
  } as unknown as WebRequest
  return { request, calls }
}

describe('finish()', () => {
  it('finish() verifies under a new session id, and keeps nothing of the challenge', async () => {
    const { request } = arrange({ state: { challenge, page: 'p' } })

    const { verified, effects } = await finish(request, challenge)

    expect(verified).toMatchObject({ userKey, factor: 'push', at: now + 5 })
    expect(effects.state).toEqual({ renew: expect.objectContaining({ verified, lastReturnTo: '/account' }) })
    expect(effects.state).not.toHaveProperty('renew.challenge')
    expect(effects.events).toEqual([{ type: 'challenge.passed', factor: 'push', sessionId: 's1' }])
  })

  it('finish() changes no state if the approval belongs to another user', async () => {
    const { request } = arrange({ user: { username: 'mallory' } })

    const { verified, effects } = await finish(request, challenge)

    expect(verified).toBeUndefined()
    expect(effects).toEqual({ state: 'as-is', events: [{ type: 'challenge.refused', sessionId: 's1' }] })
  })

  it('completeChallenge() continues at the requested page only after its effects', async () => {
    const { request, calls } = arrange({ state: { challenge } })

    const outcome = await completeChallenge(request, new AbortController().signal)

    expect(calls).toEqual(['redeem'])
    expect(outcome.answer.kind).toBe('continue')
    const next = outcome.answer.kind === 'continue' && outcome.answer.run({}, new AbortController().signal)
    expect(await next).toEqual({ state: 'as-is', answer: { kind: 'redirect', location: '/account' } })
  })
})

describe('a challenge', () => {
  it('a challenge is reused for the same purpose, without another event', () => {
    const { request } = arrange({ state: { challenge } })

    const opened = openChallenge(request, { userKey, purpose: 'sign_in', returnTo: '/other' })

    expect(opened.challenge).toMatchObject({ id: challenge.id, returnTo: '/other' })
    expect(opened.effects.events).toEqual([])
  })

  it('a challenge for another purpose is new, and drops the state of another user', () => {
    const other = { at: now, factor: 'push', purpose: 'sign_in', userKey: 'username:mallory' } as const
    const { request } = arrange({ state: { challenge, verified: other } })

    const { effects } = openChallenge(request, { userKey, purpose: 'step_up', returnTo: '/' })

    expect(effects.state).toMatchObject({ save: { verified: undefined, challenge: { purpose: 'step_up' } } })
    expect(effects.events).toEqual([{ type: 'challenge.opened', purpose: 'step_up' }])
  })

  it('a script that is refused opens no challenge', () => {
    const { request } = arrange({}, { accept: 'application/json' })

    expect(demand(request, { purpose: 'step_up' })).toMatchObject({
      state: 'as-is',
      answer: { kind: 'json', status: 403, body: { error: 'mfa_required', challenge: '/mfa?purpose=step_up' } },
    })
  })

  it('a challenge that is canceled detaches the web session', async () => {
    const { request, calls } = arrange({ state: { challenge: { ...challenge, giveUpTo: '/login' } } })

    const outcome = await giveUp(request)

    expect(calls).toEqual(['cancel'])
    expect(outcome).toEqual({
      state: 'detach',
      events: [{ type: 'challenge.given_up' }],
      answer: { kind: 'redirect', location: '/login' },
    } satisfies Outcome)
  })

  it('the choice to remember the browser is saved only as long as there is a challenge', () => {
    const chosen = { form: { remember: 'yes' } }

    expect(setRemember(arrange({ state: { challenge }, ...chosen }).request).state).toMatchObject({
      save: { challenge: { remember: true } },
    })
    expect(setRemember(arrange(chosen).request).state).toBe('as-is')
  })
})

describe('recovery codes', () => {
  it('recovery codes that are declined are not offered again', () => {
    const { request } = arrange({ state: { page: 'p', offer: { returnTo: '/account' } } })

    expect(declineCodes(request)).toEqual({
      state: { save: { page: 'p' } },
      answer: { kind: 'redirect', location: '/account' },
    })
  })

  it.each(['<b>', '123456789 12345', Array.from({ length: 6 }, () => '123456789').join(' ')])(
    'recovery codes are not downloaded as a file if they are %j',
    (codes) => {
      expect(downloadCodes(arrange({ form: { codes } }).request).answer).toEqual({
        kind: 'redirect',
        location: '/mfa/devices',
      })
    },
  )
})
