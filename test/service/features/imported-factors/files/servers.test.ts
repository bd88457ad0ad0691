import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

import { describe, expect, it } from 'vitest'

import { codeOf, read, readOne, reasons } from './read.ts'
import { inFullRun } from '../../../../support/full-run.ts'

const time = 1_795_000_000
const text = 'Lk4bJs9QvTzXcVbNmKlP'
const base32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const digits20 = Buffer.from('12345678901234567890').toString('hex')

const otp = (data: object = {}, value = text, more: object = {}) => ({
  id: 'c1',
  type: 'otp',
  userLabel: 'My phone',
  createdDate: 1_700_000_000_000,
  secretData: JSON.stringify({ value }),
  credentialData: JSON.stringify({
    subType: 'totp',
    digits: 6,
    counter: 0,
    period: 30,
    algorithm: 'HmacSHA1',
    ...data,
  }),
  ...more,
})
const recovery = (codes: readonly object[], data: object = { hashIterations: 1, algorithm: 'RS512' }) => ({
  type: 'recovery-authn-codes',
  secretData: JSON.stringify({ codes }),
  credentialData: JSON.stringify(data),
})
const password = { type: 'password', secretData: '{"value":"x","salt":"y"}', credentialData: '{}' }
const user = (username: string, ...credentials: object[]) => ({
  username,
  firstName: 'Alice',
  lastName: 'Doe',
  email: 'alice@example.com',
  enabled: true,
  credentials,
  requiredActions: [],
})
const realm = (...users: object[]) =>
  JSON.stringify(
    { id: 'r1', realm: 'wiki', roles: { realm: [{ name: 'users' }] }, groups: [], users, clients: [{}] },
    undefined,
    2,
  )

describe('an export of Keycloak', () => {
  it('users of a realm are read with the key that their credentials mean', async () => {
    const file = realm(
      user('alice', password, otp()),
      user('bob', password),
      user('carol', otp({ secretEncoding: 'BASE32', algorithm: 'HmacSHA256', digits: 8, period: 60 }, base32)),
    )

    const rows = await read(file)

    expect(rows).toMatchObject([
      { username: 'alice', name: 'Alice Doe', email: 'alice@example.com', createdAt: 1_700_000_000 },
      { username: 'carol', app: { seed: digits20, algorithm: 'SHA256', digits: 8, period: 60 } },
    ])
    expect(rows[0]).toMatchObject({ app: { seed: Buffer.from(text).toString('hex') } })
    expect(await read(JSON.stringify(user('alice', otp())), { from: 'keycloak' })).toHaveLength(1)
  })

  it('each app of a user is a row of its own, with the time of its enrollment', async () => {
    const rows = await read(realm(user('alice', otp(), otp({}, base32, { createdDate: 1_600_000_000_000 }))))

    expect(rows.map((row) => 'createdAt' in row && row.createdAt)).toEqual([1_700_000_000, 1_600_000_000])
  })

  it('recovery codes of Keycloak are read by their hashes', async () => {
    const hash = createHash('sha512').update('ABCD1234EFGH')
    const codes = [{ number: 1, encodedHashedValue: hash.copy().digest('base64') }]

    expect((await readOne(realm(user('alice', otp(), recovery(codes))))).recovery).toEqual([
      { sha512: hash.digest('hex') },
    ])
    expect(
      await readOne(
        realm(user('alice', otp(), recovery(codes, { hashIterations: 27_500, algorithm: 'pbkdf2-sha256' }))),
      ),
    ).toMatchObject({ recoveryRefused: 1 })
  })

  inFullRun.each([
    ['counter-based apps', otp({ subType: 'hotp' }), 'counter-based'],
    ['apps of an unknown kind', otp({ subType: undefined }), 'the type is not TOTP'],
    ['an unknown encoding', otp({ secretEncoding: 'BASE64' }), 'encoding'],
    ['an unknown hash', otp({ algorithm: 'HmacMD5' }), 'the hash is not'],
    ['a period that is too long', otp({ period: 300 }), 'period'],
    ['a damaged secret', otp({}, undefined, { secretData: '{' }), 'it has no app'],
  ])('of Keycloak, %s are rejected', async (_what, credential, reason) => {
    expect(await reasons(realm(user('alice', credential)))).toEqual([expect.stringContaining(reason)])
  })
})

const token = (more: object = {}, info: object = {}) => ({
  serial: 'TOTP0001',
  type: 'totp',
  otpkey: digits20,
  description: '',
  otplen: 8,
  counter: 4,
  active: true,
  revoked: false,
  locked: false,
  rollout_state: '',
  _hashed_pin: '',
  info_list: { hashlib: 'sha256', timeStep: '60', timeShift: '0', ...info },
  user: { login: 'alice', realm: 'wiki', resolver: 'r', uid: '1', custom_attributes: {} },
  ...more,
})

/** Encrypts as the specification of Fernet says. */
function fernet(key: Buffer, content: string): string {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-128-cbc', key.subarray(16), iv)
  const head = Buffer.from([0x80, 0, 0, 0, 0, 0x65, 0, 0, 0])
  const body = Buffer.concat([head, iv, cipher.update(content), cipher.final()])
  return Buffer.concat([body, createHmac('sha256', key.subarray(0, 16)).update(body).digest()]).toString('base64url')
}

describe('an export of privacyIDEA', () => {
  it('tokens of privacyIDEA are read with the parameters that they have', async () => {
    expect(await readOne(JSON.stringify([token()], undefined, 2))).toEqual({
      line: 2,
      username: 'alice',
      app: { seed: digits20, algorithm: 'SHA256', digits: 8, period: 60 },
    })
  })

  inFullRun('an encrypted export of privacyIDEA is decrypted by its key', async () => {
    const key = randomBytes(32)
    const file = fernet(
      key,
      JSON.stringify(Array.from({ length: 50 }, (_, index) => token({ user: { login: `user-${index} é` } }))),
    )

    const rows = await read(file, { secret: key.toString('base64url') })

    expect(rows).toHaveLength(50)
    expect(rows[49]).toMatchObject({ username: 'user-49 é', app: { seed: digits20 } })
    await expect(read(file)).rejects.toThrow('--secret @FILE')
    await expect(read(file, { secret: randomBytes(32).toString('base64url') })).rejects.toThrow('does not fit')
    await expect(read(file, { secret: 'short' })).rejects.toThrow('does not fit')
  })

  it.each([
    ['of no one', { user: undefined }, 'belongs to no one'],
    ['that is disabled', { active: false }, 'disabled'],
    ['that was revoked', { revoked: true }, 'disabled'],
    ['that is not rolled out', { rollout_state: 'verify' }, 'never finished'],
    ['that counts', { type: 'hotp' }, 'counter-based'],
    ['of another type', { type: 'push' }, 'the type is not TOTP'],
    ['of an unknown hash', { info_list: { hashlib: 'md5' } }, 'the hash is not'],
  ])('a token of privacyIDEA %s is rejected', async (_which, more, reason) => {
    expect(await reasons(JSON.stringify([token(more)]))).toEqual([expect.stringContaining(reason)])
  })

  it('CSV of privacyIDEA needs --algorithm, because it does not say the hash', async () => {
    const csv = `alice@wiki, TOTP0001, ${digits20}, totp, 6, 30\nn/a, TOTP0002, ${digits20}, totp, 6, 30\nbob@wiki, H1, ${digits20}, hotp, 6`

    await expect(read(csv, { from: 'privacyidea' })).rejects.toThrow('--algorithm')
    expect(await read(csv, { from: 'privacyidea', algorithm: 'SHA1' })).toMatchObject([
      { username: 'alice', app: { seed: digits20, digits: 6 } },
      { reason: expect.stringContaining('belongs to no one') },
      { reason: expect.stringContaining('counter-based') },
    ])
  })
})

describe('CSV of Entra', () => {
  it('a token of Entra is read with its serial number, its seed in Base32', async () => {
    const csv = `upn,serial number,secret key,time interval,manufacturer,model\nalice@wiki.example,1234567,${base32},60,Contoso,HardwareKey`

    const row = await readOne(csv)

    expect(row).toMatchObject({
      username: 'alice@wiki.example',
      serialNumber: '1234567',
      app: { seed: digits20, algorithm: 'SHA1', digits: 6, period: 60 },
    })
    expect(await readOne(csv, { from: 'entra' })).toEqual(row)
    expect(codeOf(row, time)).toMatch(/^\d{6}$/)
  })
})
