import { randomBytes } from 'node:crypto'

import session from 'express-session'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createChallenge, maxVerifiedAge, purposes } from '../../src/challenge/challenge.ts'
import type { Challenge } from '../../src/challenge/challenge.ts'
import { RequestedPhishingResistance } from '../../src/contract/phishing-resistance.ts'
import { Factor } from '../../src/contract/factor.ts'
import type { MfaState } from '../../src/express/session/mfa-state.ts'
import { parseState, serializeState } from '../../src/express/session/stored-state.ts'
import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

const words = fc.oneof(
  fc.constantFrom('', '|', '-', ' ', '%', '%20', 'a b', '"', 'é', 'undefined'),
  fc.string({ unit: 'grapheme' }),
)
const optional = fc.option(words, { nil: undefined })
const states = fc
  .record({
    userKey: words.map((name) => `username:${name}`),
    at: fc.nat({ max: 999_999_999_999 }),
    factor: fc.constantFrom(...Factor.options),
    factorId: optional,
    sessionId: optional,
    epoch: optional,
    nextEpoch: optional,
    phishingResistant: fc.constantFrom(undefined, ...RequestedPhishingResistance.options),
    browser: fc.constantFrom(undefined, 'kept' as const),
    purpose: fc.constantFrom(...purposes),
  })
  .chain((verified) =>
    fc.record({
      verified: fc.constant(verified),
      service: optional,
      lastReturnTo: optional,
      ownId: fc.constant({ userKey: verified.userKey }),
    }),
  )

/** What a session store returns. */
const store = (state: MfaState): { verified: string } => JSON.parse(JSON.stringify(serializeState(state)))

const verified = { userKey: 'username:alice', at: 1_795_000_000, factor: 'otp', purpose: 'sign_in' } as const
const complete = store({ verified, service: 's', lastReturnTo: '/page' }).verified

describe('the stored verification record', () => {
  inFullRun('a stored verification record is the same when it is read', () => {
    fc.assert(
      fc.property(states, (state) => {
        expect({ ...parseState(store(state)) }).toEqual(state)
      }),
    )
  })

  it('a verification record that was cut off anywhere verifies no user', () => {
    fc.assert(
      fc.property(states, fc.nat(), (state, position) => {
        const { verified: text } = store(state)
        expect(parseState({ verified: text.slice(0, position % text.length) }).verified).toBeUndefined()
      }),
    )
  })

  it('the app cannot change the verification record that other requests read', () => {
    const read = () => parseState({ verified: complete }).verified

    expect(() => Object.assign(read() ?? {}, { userKey: 'username:bob' })).toThrow(TypeError)
    expect(read()).toEqual(verified)
  })

  it.each([undefined, ...RequestedPhishingResistance.options])(
    'a verification record stored before browsers were recorded names no browser, under the policy %s',
    (phishingResistant) => {
      const text = complete.replace('/page |', `/page ${phishingResistant ?? '|'}`)

      expect(parseState({ verified: text }).verified).toEqual({ ...verified, phishingResistant, browser: undefined })
    },
  )

  it('a complete stored verification record is read', () => {
    expect(complete).toBe('username:alice 1795000000 otp | | | | s /page | sign_in')
    expect(parseState({ verified: complete }).verified).toEqual(verified)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['true', true],
    ['a list', complete.split(' ')],
    ['the record as an object', verified],
    ['the record as JSON', JSON.stringify(verified)],
    ['an empty text', ''],
    ['empty values', ' '.repeat(10)],
    ['no user', complete.replace('username:alice', '')],
    ['an absent user', complete.replace('username:alice', '|')],
    ['no time', complete.replace('1795000000', '|')],
    ['a time that is no number', complete.replace('1795000000', 'Infinity')],
    ['a negative time', complete.replace('1795000000', '-1795000000')],
    ['a time in another notation', complete.replace('1795000000', '1.795e9')],
    ['an unknown factor', complete.replace('otp', 'constructor')],
    ['no factor', complete.replace('otp', '|')],
    ['an unknown purpose', complete.replace('sign_in', 'sign_in2')],
    ['a value too few', complete.replace('| ', '')],
    ['a value too many', complete.replace('| ', '| | ')],
    ['a value with a wrong escape', complete.replace('/page', '%E0%A4%A')],
    ['a text before it', ` ${complete}`],
    ['a text after it', `${complete} `],
  ])('a malformed verification record verifies no user: %s', (_, text) => {
    expect(parseState({ verified: text }).verified).toBeUndefined()
  })

  it.each([undefined, null, true, 7, complete, [complete], { verified: {} }])(
    'a web session whose whole state is %j verifies no user',
    (stored) => {
      expect(parseState(stored).verified).toBeUndefined()
    },
  )

  inFullRun(
    'a verification record in the format of earlier versions leads to a new second step, not to an error',
    async () => {
      const memory = new session.MemoryStore()
      const raw = (memory as unknown as { sessions: Record<string, string> }).sessions
      const app = await startWebApp({ session: { store: memory } })
      const browser = app.browser()
      await app.verify(browser, 'alice')
      expect((await browser.fetch('/account')).status).toBe(200)

      for (const [id, text] of Object.entries(raw)) {
        const stored = JSON.parse(text) as { mfa?: { verified?: unknown } }
        const record = parseState(stored.mfa)
        if (!record.verified) continue
        expect(record.verified.at).toBeGreaterThan(app.clock.now() - maxVerifiedAge)
        raw[id] = JSON.stringify({ ...stored, mfa: { ...record } })
      }

      expect((await browser.fetch('/account')).status).toBe(403)
      expect((await browser.visit('/account')).text).toContain('Approve the sign-in')
    },
  )
})

describe('the challenges of a web session', () => {
  const challengeOf = (binding: string | undefined) =>
    ({
      ...createChallenge({ userKey: 'username:alice', purpose: 'sign_in', returnTo: '/' }, 1_795_000_000, randomBytes),
      binding,
    }) satisfies Challenge
  const [ownChallenge, otherChallenge] = [challengeOf('mine'), challengeOf('other')]

  it.each([
    ['its own', [otherChallenge, ownChallenge], 'mine', ownChallenge],
    ['none of another browser', [otherChallenge], 'mine', undefined],
    ['none where it sends no cookie', [otherChallenge, ownChallenge], undefined, undefined],
    ['none without a binding', [challengeOf(undefined)], undefined, undefined],
    ['none where they are no list', 'other', 'mine', undefined],
  ])('a web session shows a challenge to its own browser alone: %s', (_, challenges, binding, expectedChallenge) => {
    expect(parseState({ challenges }, binding).challenge).toEqual(expectedChallenge)
  })

  it('changing one challenge keeps those of other browsers, and a fourth one drops the oldest', () => {
    const state = parseState({ challenges: [otherChallenge, ownChallenge, challengeOf('third')] }, 'mine')

    const changed = serializeState({ ...state, challenge: { ...ownChallenge, returnTo: '/other' } })
    const added = serializeState({ ...parseState(changed, 'new'), challenge: challengeOf('new') })

    expect(changed.challenges?.map(({ binding }) => binding)).toEqual(['other', 'third', 'mine'])
    expect(changed.challenges?.at(-1)?.returnTo).toBe('/other')
    expect(added.challenges?.map(({ binding }) => binding)).toEqual(['third', 'mine', 'new'])
  })

  it('a web session keeps the notice about a code that an earlier version has e-mailed', () => {
    const state = parseState({ challenges: [{ ...ownChallenge, notice: { kind: 'emailed' } }] }, 'mine')

    expect(state.challenge).toEqual({ ...ownChallenge, notice: { kind: 'email_sent' } })
  })

  it('a web session ignores the single challenge of a version before browser bindings', () => {
    const state = parseState({ challenge: ownChallenge }, 'mine')

    expect(state.challenge).toBeUndefined()
    expect(serializeState(state)).toEqual({})
  })
})
