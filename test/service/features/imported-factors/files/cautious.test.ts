import { describe, expect, it } from 'vitest'

import { parseKeyUri } from '../../../../../src/contract/key-uri.ts'
import { formsOfTyped } from '../../../../../src/service/features/bypass-codes/imported.ts'
import { readRecovery } from '../../../../../src/service/features/imported-factors/files/read-recovery.ts'
import { onePerPerson, withoutSharedCodes } from '../../../../../src/service/features/imported-factors/rules.ts'
import { read } from './read.ts'

const uri = 'otpauth://totp/Shop:anna?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const app = parseKeyUri(uri)

describe('a file of factors that says whose second factor is off', () => {
  it.each(['enabled', 'is_enabled', 'active', 'mfa_active', '2fa_enabled', 'TfaEnabled'])(
    'people for whom %s is false are rejected: nobody has checked a code of theirs',
    async (column) => {
      const rows = await read(`username,otpauth,${column}\nanna,${uri},false\nben,${uri},true\n`)

      expect(rows).toMatchObject([{ line: 2, reason: expect.any(String) }, { username: 'ben' }])
    },
  )

  it.each(['status', 'state', 'enabled_at', 'locked', 'deleted', 'account_disabled'])(
    'a column %s stops the file, because it may say so in words of its own',
    async (column) => {
      await expect(read(`username,otpauth,${column}\nanna,${uri},pending\n`)).rejects.toThrow(
        'Column 3 of line 1 may say whose second factor is off',
      )
    },
  )
})

describe('recovery codes of a file', () => {
  it.each([
    ['members around them', '{"codes":["aaaa-1111"],"used":false}'],
    ['words around them', 'backup codes: aaaa1111 bbbb2222'],
    ['no value', 'undefined'],
    ['an object', '[object Object]'],
    ['serialized PHP', 'a:3:{i:0;s:9:"aaaa-1111";}'],
    ['hyphens', '------'],
    ['one character', 'a-----'],
    ['six digits', '123456'],
  ])('a text with %s is refused, and nothing of it becomes a code', (_what, text) => {
    const { codes, refused } = readRecovery(text)

    expect(codes).toEqual([])
    expect(refused).toBeGreaterThan(0)
  })

  it.each([
    ['a list of JSON', '["aaaa-1111","bbbb-2222"]'],
    ['an array of PostgreSQL', '{aaaa-1111,"bbbb-2222"}'],
    ['blanks', 'aaaa-1111 bbbb-2222'],
  ])('codes in %s are read', (_what, text) => {
    expect(readRecovery(text)).toEqual({ codes: ['aaaa-1111', 'bbbb-2222'], refused: 0 })
  })

  it('a code that two people have is no secret: nobody gets it', () => {
    const rows = withoutSharedCodes([
      { line: 1, username: 'anna', app, recovery: ['shared-1', 'anna-code-1'] },
      { line: 2, username: 'ben', app, recovery: ['SHARED-1', 'ben-code-1'] },
    ])

    expect(rows).toMatchObject([
      { recovery: ['anna-code-1'], recoveryRefused: 1 },
      { recovery: ['ben-code-1'], recoveryRefused: 1 },
    ])
  })

  it('codes of several rows of one app count together', () => {
    const rows = onePerPerson([
      { line: 1, username: 'anna', app, recovery: ['anna-code-1'] },
      { line: 2, username: 'anna', app, recovery: ['anna-code-2'] },
    ])

    expect(rows).toMatchObject([{ line: 1, recovery: ['anna-code-1', 'anna-code-2'] }])
  })

  it.each(['------', '      ', '- - - -', 'a-----', '123-456'])(
    'what is typed as %j is compared with no code',
    (typed) => {
      expect(formsOfTyped(typed)).toEqual([])
    },
  )
})
