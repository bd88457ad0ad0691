import { describe, expect, it } from 'vitest'

import type { AppUser } from '../../src/challenge/user.ts'
import type { ResolvedOptions } from '../../src/express/options/options.ts'
import type { AppRequest } from '../../src/express/options/app.ts'
import { resolveAppUser } from '../../src/express/request/app-user.ts'
import { inFullRun } from '../support/full-run.ts'

const read = (appUser: AppUser) =>
  resolveAppUser({} as AppRequest, { user: () => appUser } as unknown as ResolvedOptions)

describe('the app user of a request', () => {
  it('an app user is not validated again while nothing about the user has changed', () => {
    const firstUser = read({ username: 'alice', email: 'alice@example.com' })

    expect(read({ username: 'alice', email: 'alice@example.com' })).toBe(firstUser)
  })

  inFullRun('only the app user who was read first is forgotten when ten thousand others have come', () => {
    const [, second, third] = ['u0', 'u1', 'u2'].map((username) => read({ username }))
    for (let index = 3; index < 10_000; index++) void read({ username: `u${index}` })
    void read({ username: 'u0', name: 'Changed' })
    void read({ username: 'another' })

    expect(read({ username: 'u2' })).toBe(third)
    expect(read({ username: 'u1' })).not.toBe(second)
  })

  it.each([
    ['another e-mail address', { username: 'alice', email: 'alice@example.org' }],
    ['no e-mail address', { username: 'alice' }],
    ['a name', { username: 'alice', email: 'alice@example.com', name: 'Alice' }],
  ])('after the app gives an app user %s, mfa() uses the changed user', (_what, changed) => {
    void read({ username: 'alice', email: 'alice@example.com' })

    expect(read(changed)).toEqual(changed)
  })

  it('an app user is refused after the username has become invalid', () => {
    void read({ username: 'alice', email: 'alice@example.com' })

    expect(() => read({ username: 'a\tb', email: 'alice@example.com' })).toThrow(/a user with a mistake/)
  })

  it.each<[string, object, RegExp]>([
    ['an address without @', { email: 'not-an-address' }, /an e-mail address that cannot be used \(must be an e-mail/],
    ['an address with a blank', { email: 'a b@example.com' }, /an e-mail address that cannot be used/],
    [
      'two lines as an address',
      { email: 'a@example.com\r\nBcc: b@example.com' },
      /an e-mail address that cannot be used/,
    ],
    [
      'an address of 255 characters',
      { email: `${'a'.repeat(243)}@example.com` },
      /an e-mail address that cannot be used/,
    ],
    ['a number as an address', { email: 7 }, /an e-mail address that cannot be used \(must be a string/],
    ['a name with a tab', { name: 'Alice\tExample' }, /a name that cannot be used \(must not contain control/],
    ['a name of 129 characters', { name: 'x'.repeat(129) }, /a name that cannot be used/],
    ['a very long name', { name: 'x'.repeat(1_000_000) }, /a name that cannot be used/],
    ['an object as a name', { name: { first: 'Alice' } }, /a name that cannot be used/],
  ])('an app user is read without %s, with one warning for all users', (_what, wrong, warning) => {
    const warnings: string[] = []
    const options = { user: (): AppUser => ({}), logger: { warn: (text: string) => void warnings.push(text) } }
    const readAs = (username: string) => {
      options.user = () => ({ username, name: 'Somebody', email: 'somebody@example.com', ...wrong })
      return resolveAppUser({} as AppRequest, options as unknown as ResolvedOptions)
    }

    const users = ['bob', 'bob', 'carol'].map((username) => readAs(username))

    const [omittedField] = Object.keys(wrong)
    const rest = omittedField === 'name' ? { email: 'somebody@example.com' } : { name: 'Somebody' }
    expect(users).toEqual(['bob', 'bob', 'carol'].map((username) => ({ username, ...rest })))
    expect(warnings).toEqual([expect.stringMatching(warning)])
  })

  it.each([
    'r&d@example.com',
    'info@müller.de',
    'info@xn--mller-kva.de',
    '用户@例子.广告',
    "o'neil+tag@example.com",
    '"quoted"@example.com',
    'a@[192.0.2.1]',
    'root@localhost',
  ])('an app user can have the e-mail address %s', (email) => {
    expect(read({ username: 'alice', email })).toEqual({ username: 'alice', email })
  })
})
