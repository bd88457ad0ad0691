import { describe, expect, it, vi } from 'vitest'

import { maxImportedCodes } from '../../../../../src/contract/imported-factors.ts'
import { read, readOne, reasons } from './read.ts'

const base32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const seed = Buffer.from('12345678901234567890').toString('hex')
const uri = `otpauth://totp/Wiki:alice?secret=${base32}&issuer=Wiki`
const app = { seed, algorithm: 'SHA1', digits: 6, period: 30 }
const line = (row: object) => `${JSON.stringify(row)}\n`

describe('a file of people and their factors', () => {
  it.each([
    ['CSV with an address', `username,otpauth\nalice,${uri}`],
    ['CSV with Base32', `username,base32\nalice,${base32}`],
    ['CSV with hexadecimal', `Username;Hex;Digits;Period;Algorithm\nalice;${seed};6;30;SHA-1`],
    ['CSV that says the encoding', `login,secret,encoding\nalice,${base32},base32`],
    ['CSV with a byte order mark', `\uFEFFusername,otpauth\r\nalice,${uri}\r\n`],
    ['CSV with an address and the same seed', `username,otpauth,hex\nalice,${uri},${seed}`],
    ['JSON lines with an address', line({ username: 'alice', otpauth: uri })],
    ['JSON lines with an issuer', line({ username: 'alice', otpauth: uri, issuer: undefined, email: null })],
    [
      'JSON lines with a secret',
      line({ username: 'alice', secret: seed, encoding: 'hex', digits: 6, period: 30, algorithm: 'SHA1' }),
    ],
    ['an array of JSON', JSON.stringify([{ username: 'alice', otpauth: uri }], undefined, 2)],
  ])('is read: %s', async (_what, text) => {
    expect(await read(text)).toMatchObject([{ username: 'alice', app }])
  })

  it('lines of an export of this service are read with name and address', async () => {
    const exported = { username: 'alice', name: 'Alice "A" {Doe}', email: 'alice@example.com', otpauth: uri }

    expect(await readOne(line(exported), { from: 'uri' })).toMatchObject({
      username: 'alice',
      name: exported.name,
      email: exported.email,
      app,
    })
  })

  it('objects of a file keep their lines, however they are broken', async () => {
    const rows = await read(
      `\n\n${line({ username: 'a', otpauth: uri })}{"username":\n"b","otpauth":"${uri}"}\n{"username":"c","otpauth":1,}\n`,
    )

    expect(rows).toMatchObject([
      { line: 3, username: 'a' },
      { line: 4, username: 'b' },
      { line: 6, reason: 'it is not valid JSON' },
    ])
  })

  it('usernames are read from the column that the person names', async () => {
    const csv = `username,mail,otpauth\nold,alice,${uri}`

    expect(await readOne(csv, { usernameColumn: 'mail' })).toMatchObject({ username: 'alice' })
  })

  it.each([
    ['no column of usernames', `person,otpauth\nalice,${uri}`, 'names no usernames'],
    ['no header', `alice,${uri}`, 'names no usernames'],
    ['no factors', 'username,name\nalice,Alice', 'names no factors'],
    ['a column that may change codes', `username,otpauth,seconds\nalice,${uri},60`, '"seconds" may change the codes'],
    ['two columns of one meaning', `username,login,otpauth\na,a,${uri}`, 'mean the same'],
    ['a secret without an encoding', `username,secret\nalice,${base32}`, '--from'],
    [
      'a member that may change codes',
      line({ username: 'a', otpauth: uri, window: 3 }),
      '"window" may change the codes',
    ],
    ['text behind JSON', `${line({ username: 'a', otpauth: uri })}x`, 'is not JSON'],
    ['JSON that ends early', `{"username":"a","otpauth":"${uri}"`, 'ends in the middle'],
    ['an array of texts', `["${uri}"]`, 'is not JSON'],
    ['an object that never ends', `{"username":"${'a'.repeat(70_000)}`, 'longer than 65,536'],
    ['no rows', 'username,otpauth\n', 'contains no factors'],
    ['a transfer of Google Authenticator', 'otpauth-migration://offline?data=CjEK', 'Google Authenticator'],
    ['a backup of Aegis', '{\n "version": 1,\n "header": {"slots":null},"db":{}}', 'Aegis'],
    ['a backup of 2FAS', '{"services":[{"secret":"X"}],"schemaVersion":4}', '2FAS'],
    ['a list of addresses', uri, 'without usernames'],
    ['a file of age', 'age-encryption.org/v1\n-> scrypt x 18\n\u0000', 'encrypted by age'],
    ['an armored file of age', '-----BEGIN AGE ENCRYPTED FILE-----\nYWdl', 'encrypted by age'],
    ['PSKC', '<?xml version="1.0"?><KeyContainer/>', 'hardware import'],
    ['YAML', '- _hashed_pin: x\n  serial: T1', 'YAML'],
    ['SQL', 'INSERT INTO twoFactor VALUES (1)', 'SQL'],
  ])('is refused as a whole, without being quoted: %s', async (_what, text, message) => {
    const refusal = await read(text).then(
      () => 'nothing was refused',
      (error: Error) => error.message,
    )

    expect(refusal).toContain(message)
    expect(refusal).not.toMatch(/GEZD|3132|alice/)
  })

  it.each([
    ['no username', `username,otpauth\n,${uri}`, 'it has no username'],
    ['no app', 'username,otpauth\nalice,', 'it has no app'],
    ['a counter', `username,otpauth\nalice,${uri.replace('totp', 'hotp')}`, 'otpauth: is '],
    ['an unknown parameter', `username,otpauth\nalice,${uri}&encoder=steam`, 'otpauth: has '],
    ['a period that is too long', `username,otpauth\nalice,${uri}&period=300`, 'otpauth: has a period'],
    ['parameters that differ', `username,otpauth,digits\nalice,${uri},8`, 'digits: is said twice, and differently'],
    ['seeds that differ', `username,otpauth,hex\nalice,${uri},${'00'.repeat(20)}`, 'different ones'],
    ['a short seed', 'username,hex\nalice,00112233445566778', 'not hexadecimal'],
    ['72 bits', 'username,hex\nalice,001122334455667788', 'not 10 to 64 bytes'],
    ['a long seed', `username,hex\nalice,${'00'.repeat(65)}`, 'not 10 to 64 bytes'],
    ['Base32 with a digit that is none', `username,base32\nalice,${base32}1`, 'not Base32'],
    ['an unknown encoding', `username,secret,encoding\nalice,${seed},base64`, 'encoding'],
    ['an unknown hash', `username,hex,hash\nalice,${seed},MD5`, 'the hash is not'],
    ['9 digits', `username,hex,digits\nalice,${seed},9`, 'digits'],
    ['a type that counts', `username,hex,type\nalice,${seed},HOTP`, 'counter-based'],
    ['a counter and no type', `username,hex,counter\nalice,${seed},4`, 'a counter and no type'],
    ['another type', `username,hex,type\nalice,${seed},OCRA`, 'not TOTP'],
    ['type and digits that differ', `username,hex,type,digits\nalice,${seed},TOTP8,6`, 'type and digits differ'],
    ['an enrollment that was never finished', `username,otpauth,verified\nalice,${uri},false`, 'never finished'],
    ['an unclear enrollment', `username,otpauth,verified\nalice,${uri},perhaps`, 'neither true nor false'],
    ['too few fields', `username,otpauth,name\nalice,${uri}`, 'expected 3 fields, got 2'],
  ])('a row is rejected, without being quoted: %s', async (_what, text, reason) => {
    const [found] = await reasons(text)

    expect(found).toContain(reason)
    expect(found).not.toMatch(/GEZD|3132|0011|alice/)
  })

  it('the names of ignored columns are reported once', async () => {
    const noteIgnored = vi.fn<(names: readonly string[]) => void>()
    const row = { username: 'alice', otpauth: uri, department: 'IT' }

    await read(line(row) + line({ ...row, location: 'B' }), { noteIgnored })

    expect(noteIgnored.mock.calls.flat(2)).toEqual(['"department"', '"location"'])
  })

  it.each([
    [1_700_000_000, 1_700_000_000],
    ['1700000000000', 1_700_000_000],
    ['2023-11-14T22:13:20Z', 1_700_000_000],
    ['2023-11-14 22:13:20.5+00', 1_700_000_000],
    ['2023-11-15T00:13:20+02:00', 1_700_000_000],
    ['2023-11-14', 1_699_920_000],
    ['yesterday', undefined],
  ])('the time of an enrollment is read: %s', async (createdAt, seconds) => {
    expect((await readOne(line({ username: 'alice', otpauth: uri, createdAt }))).createdAt).toBe(seconds)
  })
})

const withCodes = async (recovery: unknown) => {
  const { recovery: codes = [], recoveryRefused = 0 } = await readOne(
    line({ username: 'alice', otpauth: uri, recovery }),
  )
  return [codes, recoveryRefused]
}
const [sha256, sha512] = ['ab'.repeat(32), 'CD'.repeat(64)]

describe('recovery codes of a file', () => {
  it.each([
    ['a list', ['4fgh-82kq', 'QX7PZ4M2'], ['4fgh-82kq', 'QX7PZ4M2']],
    ['a text of JSON', '["4fgh-82kq"]', ['4fgh-82kq']],
    ['a text with blanks', '4fgh-82kq  QX7PZ4M2', ['4fgh-82kq', 'QX7PZ4M2']],
    ['an array of PostgreSQL', '{4fgh-82kq,"QX7PZ4M2"}', ['4fgh-82kq', 'QX7PZ4M2']],
    ['a code that is there twice', ['4fgh-82kq', '4fgh-82kq'], ['4fgh-82kq']],
    ['numbers', [12345678], ['12345678']],
    ['hashes', [sha256, `sha512:${sha512}`, { sha256 }], [{ sha256 }, { sha512: sha512.toLowerCase() }]],
    ['none', null, []],
  ])('are read: %s', async (_what, recovery, codes) => {
    expect(await withCodes(recovery)).toEqual([codes, 0])
  })

  it.each([
    ['bcrypt', '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'],
    ['argon2', '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub'],
    ['scrypt', '$scrypt$ln=17,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4Cb'],
    ['scrypt of better-auth', `${'0a'.repeat(16)}:${'0b'.repeat(64)}`],
    ['scrypt of Werkzeug', 'scrypt:32768:8:1$salt$0011'],
    ['PBKDF2 of Django', 'pbkdf2_sha256$600000$salt$aGFzaA=='],
    ['an unsalted hash that is too short', 'ab'.repeat(20)],
    ['text that nobody types', 'a code with blanks'.repeat(4)],
    ['a code of five digits', '12345'],
  ])('are refused one by one, and the app is imported: %s', async (_what, hashed) => {
    expect(await withCodes([hashed, '4fgh-82kq'])).toEqual([['4fgh-82kq'], 1])
  })

  it(`are ${maxImportedCodes} at most`, async () => {
    const codes = Array.from({ length: maxImportedCodes + 2 }, (_, index) => `code-${100 + index}`)

    expect(await withCodes(codes)).toEqual([codes.slice(0, maxImportedCodes), 2])
  })
})
