import { authenticator, totp } from 'otplib'
import * as passportTotp from 'passport-totp'
import speakeasy from 'speakeasy'
import { describe, expect, it } from 'vitest'

import { codeOf, read, readOne, reasons } from './read.ts'
import { inFullRun } from '../../../../support/full-run.ts'

const time = 1_795_000_000
const hashes = ['sha1', 'sha256', 'sha512'] as const

describe('speakeasy', () => {
  it.each(hashes.flatMap((algorithm) => [6, 8].map((digits) => ({ algorithm, digits }))))(
    'apps of speakeasy show the same codes after an import: $algorithm, $digits digits',
    async ({ algorithm, digits }) => {
      const { base32 } = speakeasy.generateSecret()
      const theirs = speakeasy.totp({ secret: base32, encoding: 'base32', algorithm, digits, step: 60, time })

      const row = await readOne(`username,secret,algorithm,digits,step\nalice,${base32},${algorithm},${digits},60`, {
        from: 'speakeasy',
      })

      expect(codeOf(row, time)).toBe(theirs)
    },
  )

  inFullRun('an app of speakeasy is read from the object that it stores, and from its text', async () => {
    const secret = speakeasy.generateSecret({ name: 'Wiki: alice' })
    const objects = [
      { username: 'alice', secret },
      { username: 'bob', two_factor_secret: JSON.stringify(secret) },
    ]

    const rows = await read(objects.map((each) => JSON.stringify(each)).join('\n'), { from: 'speakeasy' })

    const theirs = speakeasy.totp({ secret: secret.ascii, time })
    expect(rows.map((row) => codeOf(row as never, time))).toEqual([theirs, theirs])
    expect(rows[0]).toMatchObject({ username: 'alice', assumed: true })
  })

  it('parameters that its app passes to speakeasy, but not to the address, count', async () => {
    const secret = speakeasy.generateSecret()
    const theirs = speakeasy.totp({ secret: secret.ascii, algorithm: 'sha256', digits: 8, time })

    const row = await readOne(JSON.stringify({ username: 'alice', secret }), {
      from: 'speakeasy',
      algorithm: 'SHA256',
      digits: 8,
    })

    expect(codeOf(row, time)).toBe(theirs)
  })

  inFullRun('an address of speakeasy that says its parameters is read as it says', async () => {
    const { ascii } = speakeasy.generateSecret()
    const uri = speakeasy.otpauthURL({ secret: ascii, label: 'a', algorithm: 'sha512', digits: 8, period: 60 })
    const theirs = speakeasy.totp({ secret: ascii, algorithm: 'sha512', digits: 8, step: 60, time })

    expect(codeOf(await readOne(`username,otpauth_url\nalice,${uri}`, { from: 'speakeasy' }), time)).toBe(theirs)
    expect(codeOf(await readOne(`username,otpauth_url\nalice,${uri}`), time)).toBe(theirs)
    expect(await reasons(`username,otpauth_url\nalice,${uri}`, { from: 'speakeasy', digits: 6 })).toEqual([
      'digits: is said twice, and differently',
    ])
  })
})

describe('otplib 12', () => {
  inFullRun.each(hashes.flatMap((algorithm) => [10, 15, 16, 18, 20, 31, 32].map((bytes) => ({ algorithm, bytes }))))(
    'apps of otplib show the same codes after an import: $algorithm, a secret of $bytes bytes',
    async ({ algorithm, bytes }) => {
      const theirs = authenticator.clone({ algorithm: algorithm as never, epoch: time * 1000, digits: 8 })
      const secret = theirs.generateSecret(bytes)
      const hash = algorithm.toUpperCase().replace('SHA', 'SHA-')

      const row = await readOne(`username,secret,algorithm,digits\nalice,${secret},${hash},8`, { from: 'otplib' })

      expect(codeOf(row, time)).toBe(theirs.generate(secret))
    },
  )

  inFullRun.each(hashes.flatMap((algorithm) => [10, 20, 40].map((length) => ({ algorithm, length }))))(
    'text secrets of otplib show the same codes after an import: $algorithm, $length characters',
    async ({ algorithm, length }) => {
      const theirs = totp.clone({ algorithm: algorithm as never, epoch: time * 1000 })
      const secret = 'abcdefghijklmnopqrstuvwxyz0123456789ABCD'.slice(0, length)

      const row = await readOne(JSON.stringify({ username: 'alice', secret, encoding: 'ascii', algorithm }), {
        from: 'otplib',
      })

      expect(codeOf(row, time)).toBe(theirs.generate(secret))
    },
  )

  it('the default secret of otplib has 80 bits and is imported', async () => {
    const row = await readOne(`username,secret\nalice,${authenticator.generateSecret()}`, { from: 'otplib' })

    expect(row.app.seed).toHaveLength(20)
    expect(row.assumed).toBe(true)
  })

  it('a secret of otplib under 80 bits is rejected, also where its hash makes a long key of it', async () => {
    const secret = authenticator.generateSecret(9)

    expect(await reasons(`username,secret,algorithm\nalice,${secret}=,sha512`, { from: 'otplib' })).toEqual([
      'the secret is not 10 to 64 bytes long',
    ])
  })
})

describe('passport-totp', () => {
  it.each([undefined, 30, 60])(
    'apps of passport-totp show the same codes after an import: period %s',
    async (period) => {
      const key = ' a ké¥ of characters'
      const row = await readOne(JSON.stringify({ username: 'alice', key, period }), { from: 'passport-totp' })

      expect(await accepts(key, period, codeOf(row, Date.now() / 1000))).toBe(true)
      expect(await accepts(key, period, '000000')).toBe(false)
    },
  )

  it('other parameters than those of passport-totp are rejected', async () => {
    expect(await reasons('username,key,digits\nalice,a key of characters,8', { from: 'passport-totp' })).toEqual([
      'digits: is said twice, and differently',
    ])
  })
})

/** Whether passport-totp accepts a code. It reads the time itself. */
async function accepts(key: string, period: number | undefined, code: string): Promise<boolean> {
  const strategy = new passportTotp.Strategy({ window: 1 }, (_user, done) => done(null, key, period))
  return new Promise((resolve, reject) => {
    const outcomes = { success: () => resolve(true), fail: () => resolve(false), error: reject }
    const created = Object.assign(strategy, outcomes) as unknown as { authenticate(request: object): void }
    created.authenticate({ body: { code }, user: {} })
  })
}
