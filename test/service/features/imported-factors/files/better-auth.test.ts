import { describe, expect, it } from 'vitest'

import { codeOf, read, readOne, reasons } from './read.ts'

// All of it was encrypted by better-auth 1.7.
const secret = 'a-secret-of-the-app-with-better-auth'
const sealedKey =
  'ef6f0e349dede30ab926c2c9af44ba5da514d8b782b6f878b5ad73a58fb0f2919fa19ac7f3b6a18000d541929ec295ab4f251b17c94be12198c2a342dca184db988a7b29bf39a78b'
const sealedCodes =
  '36d0309007df6569a88c655b9e30f76dcaaa36814ece79f53e9379f286492ac002b3e81a7dbceb7e8f7272bd72da6cdbe32f818e62451de9643509e1c92d67e096070063b8'
const rotatedKey =
  '$ba$2$1d6ccb8bcb5217abd4c0e7237eee4e7486ec36568993012a3205ab36464672a53107e20cf9b9ac244f9aef618e663fd24418506470458be2a141c0e8a93649f2f55be0af5f59b52a'
const importedKey =
  '2bfd45a084026727aca0045b2c8f981171cbebd313b477784b76146c6782211dbd6154b5605058c3bb598e09b9b43ec2f571f801cdda9038826f84a5375cca1bd3a6912eab8ff824b33dad6592a5b8'
/** The codes that better-auth computes for the key at this step. */
const [step, six, eight] = [54_321, '415786', '36415786']

const from = 'better-auth'
const row = (more: object = {}) => ({
  username: 'alice',
  userId: 'u1',
  secret: sealedKey,
  backupCodes: sealedCodes,
  ...more,
})
const lines = (...rows: object[]) => rows.map((each) => JSON.stringify(each)).join('\n')

describe('the twoFactor table of better-auth', () => {
  it('a row of better-auth is decrypted with the secret of its app, and so are its recovery codes', async () => {
    const read6 = await readOne(lines(row({ verified: true, lockedUntil: null, failedVerificationCount: 0 })), {
      from,
      secret,
    })
    const read8 = await readOne(lines(row()), { from, secret, digits: 8 })

    expect(codeOf(read6, step * 30)).toBe(six)
    expect(codeOf(read8, step * 30)).toBe(eight)
    expect(read6.recovery).toEqual(['aB3dE-fG5hI', 'kL7mN-oP9qR'])
    expect(read6.app.algorithm).toBe('SHA1')
  })

  it.each([
    ['in lines', `1:the-first-secret\n2:the-second-secret\n${secret}\n`],
    ['between commas', '2:the-second-secret, 1:the-first-secret'],
  ])(
    'rows of better-auth with a rotated secret are decrypted by its version, with secrets %s',
    async (_where, secrets) => {
      expect(codeOf(await readOne(lines(row({ secret: rotatedKey })), { from, secret: secrets }), step * 30)).toBe(six)
    },
  )

  it('a row of better-auth that is older than the first rotation is decrypted with the secret without a version', async () => {
    const secrets = `2:the-second-secret\n${secret}`

    expect(codeOf(await readOne(lines(row()), { from, secret: secrets }), step * 30)).toBe(six)
  })

  it('a secret that better-auth got from another system is read as Base32', async () => {
    const { app } = await readOne(lines(row({ secret: importedKey })), { from, secret })

    expect(app.seed).toBe(Buffer.from('12345678901234567890').toString('hex'))
  })

  it('tables are read as the array that SQLite prints, and as CSV', async () => {
    const array = JSON.stringify([row(), row({ username: 'bob' })], undefined, 1)
    const csv = `id,secret,backupCodes,userId,verified,username\n1,${sealedKey},${sealedCodes},u1,t,alice`

    expect(await read(array, { from, secret })).toMatchObject([{ username: 'alice' }, { username: 'bob', line: 8 }])
    expect(await read(csv, { from, secret })).toMatchObject([
      { username: 'alice', recovery: ['aB3dE-fG5hI', 'kL7mN-oP9qR'] },
    ])
  })

  it.each([{ verified: false }, { verified: 0 }, { verified: 'f' }, { verified: true, twoFactorEnabled: false }])(
    'an enrollment that was never finished is rejected: %j',
    async (more) => {
      expect(await reasons(lines(row(more)), { from, secret })).toEqual([expect.stringContaining('never finished')])
    },
  )

  it('a row that no secret opens is rejected, and nothing of it is quoted', async () => {
    const found = await read(lines(row(), row({ secret: rotatedKey })), { from, secret: 'another secret' })

    expect(found).toEqual([1, 2].map((line) => ({ line, reason: expect.stringContaining('--secret is another one') })))
  })

  it('recovery codes that cannot be decrypted are counted, and the app is imported', async () => {
    const damaged = `${sealedCodes.slice(0, -2)}00`

    expect(await readOne(lines(row({ backupCodes: damaged })), { from, secret })).toMatchObject({
      recoveryRefused: 1,
      app: { digits: 6 },
    })
  })

  it('a table of better-auth without --secret is refused by name', async () => {
    await expect(read(lines(row()), { from })).rejects.toThrow('--secret @FILE')
  })
})
