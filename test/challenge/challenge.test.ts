import { describe, expect, it } from 'vitest'

import { createChallenge, isFresh } from '../../src/challenge/challenge.ts'

const verified = { at: 1000, factor: 'push', purpose: 'sign_in', userKey: 'username:alice' } as const

describe('the verification record', () => {
  it('a verification record counts only for its user', () => {
    expect(isFresh(verified, 'username:alice', 1001)).toBe(true)
    expect(isFresh(verified, 'username:bob', 1001)).toBe(false)
    expect(isFresh(verified, 'id:alice', 1001)).toBe(false)
    expect(isFresh(undefined, 'username:alice', 1001)).toBe(false)
  })

  it.each([
    [300, 299, true],
    [300, 300, false],
    [undefined, 43_199, true],
    [undefined, 43_200, false],
    [90_000, 43_200, false],
  ])('a verification record with maxAge %s is fresh after %i seconds: %s', (maxAge, passed, fresh) => {
    expect(isFresh(verified, 'username:alice', 1000 + passed, maxAge)).toBe(fresh)
  })
})

describe('a challenge', () => {
  it('a challenge has two independent random ids of 128 bits: one for the service, one for its page', () => {
    let next = 0
    const random = (size: number) => new Uint8Array(size).fill(++next)

    const challenge = createChallenge({ userKey: 'u', purpose: 'sign_in', returnTo: '/' }, 1000, random)

    expect(Buffer.from(challenge.id, 'base64url')).toEqual(Buffer.alloc(16, 1))
    const [secret = ''] = challenge.page.split('.')
    expect(Buffer.from(secret, 'base64url')).toEqual(Buffer.alloc(16, 2))
  })

  it('a challenge survives the JSON of a session store', () => {
    const challenge = createChallenge(
      { userKey: 'u', purpose: 'step_up', returnTo: '/a' },
      1000,
      (size) => new Uint8Array(size),
    )

    expect(JSON.parse(JSON.stringify(challenge))).toEqual({ ...challenge })
  })
})
