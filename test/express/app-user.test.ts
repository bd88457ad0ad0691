import { describe, expect, it } from 'vitest'

import type { AppUser } from '../../src/challenge/user.ts'
import type { AppRequest, ResolvedOptions } from '../../src/express/options.ts'
import { resolveAppUser } from '../../src/express/request/app-user.ts'

const read = (appUser: AppUser) =>
  resolveAppUser({} as AppRequest, { user: () => appUser } as unknown as ResolvedOptions)

describe('the app user of a request', () => {
  it('is not validated again while nothing about the user has changed', () => {
    const first = read({ username: 'alice', email: 'alice@example.com' })

    expect(read({ username: 'alice', email: 'alice@example.com' })).toBe(first)
  })

  it.each([
    ['another e-mail address', { username: 'alice', email: 'alice@example.org' }],
    ['no e-mail address', { username: 'alice' }],
    ['a name', { username: 'alice', email: 'alice@example.com', name: 'Alice' }],
  ])('is the present one after the app has given it %s', (_what, changed) => {
    void read({ username: 'alice', email: 'alice@example.com' })

    expect(read(changed)).toEqual(changed)
  })

  it('is refused after it has become invalid', () => {
    void read({ username: 'alice', email: 'alice@example.com' })

    expect(() => read({ username: 'alice', email: 'not an address' })).toThrow(/a user with a mistake/)
  })
})
