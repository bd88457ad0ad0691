import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { PassThrough } from 'node:stream'

import Sqlite from 'better-sqlite3'
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { systemClock } from '../../../src/ground/clock.ts'
import { listen } from '../../../src/service/engine/http/listen.ts'
import { createService } from '../../../src/service/index.ts'
import { activateDevice } from '../../service/start-service.ts'
import { agePassphrase } from '../../support/age-passphrase.ts'
import { inFullRun } from '../../support/full-run.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { useDatabase } from './run-command.ts'
import type { Ran } from './run-command.ts'

const { place, file, admin, json } = useDatabase()

const seed = '3132333435363738393031323334353637383930'
const passphrase = 'mango-Lantern-piano-42'
let [identity, recipient] = ['', '']

beforeEach(async () => {
  identity = await generateIdentity()
  recipient = await identityToRecipient(identity)
  const alice = ['alice', '--name', 'Alice', '--email', 'alice@example.com', '--domain', 'Intranet']
  await json('user', 'create', ...alice)
  writeFileSync(file('seed.txt'), seed)
  await json('hardware', 'create', 'HW-1', '--seed', `@${file('seed.txt')}`)
  await json('hardware', 'assign', 'HW-1', 'alice')
  writeFileSync(file('passphrase.txt'), `${passphrase}\n`)
})
afterEach(() => vi.unstubAllEnvs())

const exportTo = (name: string, ...more: readonly string[]) => admin('factor', 'export', file(name), ...more)

async function decrypted(name: string, key: { readonly passphrase?: string; readonly identity?: string }) {
  const decrypter = new Decrypter()
  if (key.passphrase !== undefined) decrypter.addIdentity(agePassphrase(key.passphrase))
  if (key.identity !== undefined) decrypter.addIdentity(key.identity)
  return decrypter.decrypt(readFileSync(file(name)), 'text')
}

const aliceLine = {
  username: 'alice',
  name: 'Alice',
  email: 'alice@example.com',
  serialNumber: 'HW-1',
  otpauth:
    'otpauth://totp/Organization:alice?issuer=Organization&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
}

const trail = async () => (await json('audit', 'list', '--event', 'factors.exported')) as { facts: object }[]

/** Registered owners, as after their first sign-in. */
function addOwners(...names: readonly string[]): void {
  const database = new Sqlite(place.database)
  const insert = database.prepare(
    `insert into administrator (id, organization_id, name, email, role, user_handle, created_at)
     values (?, ?, ?, ?, 'owner', ?, 1)`,
  )
  for (const name of names) insert.run(name, place.organizationId, name, `${name}@example.com`, name)
  database.close()
}

/** Runs a command for somebody who types these lines. */
async function atTerminal(lines: readonly string[], command: () => Promise<Ran>): Promise<Ran> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const waiting = [...lines]
  stdin.on('resume', () => void stdin.write(`${waiting.shift() ?? ''}\r`))
  const spy = vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as unknown as typeof process.stdin)
  const { isTTY } = process.stdout
  process.stdout.isTTY = true
  try {
    return await command()
  } finally {
    process.stdout.isTTY = isTTY
    spy.mockRestore()
  }
}

/** Derives keys from passphrases in a hundredth of the time. Another test below derives them as people do. */
function derivesQuickly(): void {
  const spy = vi.spyOn(Encrypter.prototype, 'setPassphrase').mockImplementation(function (this: Encrypter, typed) {
    this.setScryptWorkFactor(10)
    spy.mockRestore()
    this.setPassphrase(typed)
  })
  onTestFinished(() => spy.mockRestore())
}

const leftovers = () => readdirSync(place.folder).filter((name) => name.includes('.part'))

describe('second-factor factor export', () => {
  inFullRun('second-factor factor export encrypts with a passphrase, and nothing else opens the file', async () => {
    const { code, stdout } = await exportTo('factors.age', '--passphrase', `@${file('passphrase.txt')}`)

    expect(code).toBe(0)
    expect(JSON.parse(await decrypted('factors.age', { passphrase }))).toEqual(aliceLine)
    await expect(decrypted('factors.age', { passphrase: `${passphrase}!` })).rejects.toThrow('no identity matched')
    // As slow to guess as age makes it by default.
    expect(readFileSync(file('factors.age'), 'latin1')).toMatch(/^-> scrypt \S+ 18$/m)
    expect(statSync(file('factors.age')).mode & 0o777).toBe(0o600)
    expect(leftovers()).toEqual([])
    expect(stdout).toContain(`Exported      1 authenticator app or hardware token to ${file('factors.age')}\n`)
    expect(stdout).toContain(`age -d -o factors.jsonl ${file('factors.age')}\n`)
    expect(stdout).toContain(`delete ${file('factors.age')} and what you decrypted`)
  })

  it('second-factor factor export encrypts for each public key of age', async () => {
    const other = await generateIdentity()
    const keys = ['--recipient', recipient, '--recipient', await identityToRecipient(other)]

    const { code, stdout } = await exportTo('factors.age', ...keys, '--domain', 'Intranet')

    const texts = [await decrypted('factors.age', { identity }), await decrypted('factors.age', { identity: other })]
    expect([code, texts[0]]).toEqual([0, texts[1]])
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ username: 'alice' })
    expect(stdout).toContain('age -d -i KEY_FILE -o factors.jsonl')
    expect(statSync(file('factors.age')).mode & 0o777).toBe(0o600)
    expect(readFileSync(file('factors.age'), 'latin1')).not.toMatch(/alice|otpauth|GEZDGNBV/)
  })

  inFullRun('second-factor factor export says what stays, and why, beside a running service', async () => {
    await json('hardware', 'create', 'HW-2', '--seed', `@${file('seed.txt')}`)
    const service = await createService({ database: place.database })
    const listening = await listen(service.listener, { host: '127.0.0.1', port: 0 })
    onTestFinished(async () => {
      const closed = listening.close()
      await service.close()
      await closed
    })
    const { code } = await json('token', 'issue', 'alice', '--domain', 'Intranet')
    await activateDevice(`http://127.0.0.1:${listening.port}`, systemClock, code)

    const { stdout } = await exportTo('factors.age', '--recipient', recipient)
    const { json: report } = await exportTo('more.age', '--recipient', recipient, '--json')

    expect(stdout).toContain('1 device and 0 passkeys cannot be exported: their keys never leave them.')
    expect(stdout).toContain('1 hardware token without a user')
    expect(stdout).toContain('recovery codes: users make new ones')
    expect(stdout).toContain('Told by mail  nobody: MFA_SMTP_URL is not set')
    const counts = { exported: 1, devices: 1, passkeys: 0, freeTokens: 1, damaged: [], ownersTold: 0 }
    expect(report).toEqual({ file: file('more.age'), ...counts })
  })

  it('second-factor factor export takes no passphrase as an argument, and does not repeat it', async () => {
    const { code, stdout, stderr } = await exportTo('factors.age', '--passphrase', passphrase)

    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^--passphrase: expected @ and the path of a file, because every user of the machine can read/,
    )
    expect(stdout + stderr).not.toContain(passphrase)
    expect([existsSync(file('factors.age')), await trail()]).toEqual([false, []])
  })

  it('second-factor factor export takes no passphrase that can be guessed from the file', async () => {
    writeFileSync(file('passphrase.txt'), 'tulip-7-Rose\n')

    const { code, stderr } = await exportTo('factors.age', '--passphrase', `@${file('passphrase.txt')}`)

    expect([code, stderr]).toEqual([2, expect.stringContaining('needs 15 characters or more')])
    expect([existsSync(file('factors.age')), await trail()]).toEqual([false, []])
  })

  inFullRun.each([
    ['both', ['--recipient', 'age1x', '--passphrase', '@x'], 'not both'],
    ['neither, without a terminal', [], 'Set --passphrase @FILE or --recipient'],
    ['a recipient that is no key', ['--recipient', 'age1qqqq'], 'expected a public key of age'],
  ])('second-factor factor export says what is wrong with %s', async (_, options, message) => {
    const { code, stderr } = await exportTo('factors.age', ...options)

    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect([existsSync(file('factors.age')), await trail(), leftovers()]).toEqual([false, [], []])
  })

  it('second-factor factor export does not repeat a private key', async () => {
    const { code, stdout, stderr } = await exportTo('factors.age', '--recipient', identity)

    expect([code, stderr]).toEqual([2, expect.stringContaining('expected a public key of age')])
    expect(stdout + stderr).not.toContain(identity)
  })

  it('second-factor factor export keeps an existing file, unless it may replace it', async () => {
    writeFileSync(file('factors.age'), 'other')

    const refused = await exportTo('factors.age', '--recipient', recipient)
    const kept = readFileSync(file('factors.age'), 'utf8')
    const entries = await trail()
    const replaced = await exportTo('factors.age', '--recipient', recipient, '--force')

    expect([refused.code, refused.stderr, kept]).toEqual([2, expect.stringContaining('--force'), 'other'])
    expect([entries, leftovers(), replaced.code]).toEqual([[], [], 0])
    expect(JSON.parse(await decrypted('factors.age', { identity }))).toEqual(aliceLine)
    expect(statSync(file('factors.age')).mode & 0o777).toBe(0o600)
  })

  inFullRun('second-factor factor export says where it cannot write, before it has exported anything', async () => {
    mkdirSync(file('folder'))

    const missing = await exportTo('missing/factors.age', '--recipient', recipient)
    const folder = await exportTo('folder', '--recipient', recipient, '--force')

    expect([missing.code, folder.code]).toEqual([1, 2])
    expect(missing.stderr).toContain('no such folder')
    expect(folder.stderr).toContain('not a regular file')
    expect(await trail()).toEqual([])
  })

  it('second-factor factor export is in the audit trail, and mails every owner before it ends', async () => {
    const mail = await startMailServer()
    onTestFinished(() => mail.close())
    vi.stubEnv('MFA_SMTP_URL', `smtp://127.0.0.1:${mail.port}`)
    vi.stubEnv('MFA_SMTP_FROM', 'mfa@example.com')
    const owners = Array.from({ length: 6 }, (_, index) => `owner-${index}`)
    addOwners(...owners)
    mail.meanwhile(() => vi.waitFor(() => expect(existsSync(file('factors.age'))).toBe(true)))

    const { stdout } = await exportTo('factors.age', '--recipient', recipient, '--domain', 'Intranet')

    expect((await trail()).map(({ facts }) => facts)).toEqual([{ domain: place.domainId, count: 1, skipped: 0 }])
    expect(stdout).toContain('Told by mail  6 owners')
    expect(new Set(mail.mails.flatMap(({ to }) => to))).toEqual(new Set(owners.map((name) => `${name}@example.com`)))
    expect(mail.mails[0]?.text).toContain(`${userInfo().username} has written the secrets`)
  })

  inFullRun('second-factor factor export asks twice at a terminal, without showing what is typed', async () => {
    derivesQuickly()
    const typed = await atTerminal([passphrase, `${passphrase}x`], () => exportTo('factors.age'))
    const missing = existsSync(file('factors.age'))
    const same = await atTerminal([passphrase, passphrase], () => exportTo('factors.age'))

    expect([typed.code, typed.stderr, missing]).toEqual([1, expect.stringContaining("aren't the same"), false])
    expect([same.code, JSON.parse(await decrypted('factors.age', { passphrase }))]).toEqual([0, aliceLine])
    expect(same.stdout + same.stderr).not.toContain(passphrase)
  })
})
