import { writeFileSync } from 'node:fs'

import * as OTPAuth from 'otpauth'
import { describe, expect, it, onTestFinished } from 'vitest'

import { listen } from '../../../src/service/engine/http/listen.ts'
import { createService } from '../../../src/service/index.ts'
import type { Service } from '../../../src/service/index.ts'
import { createCall } from '../../service/start-service.ts'

import { inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { file, admin, json, place } = useDatabase()

const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const uri = (more = '', base32 = secret) => `otpauth://totp/Wiki:alice?secret=${base32}&issuer=Wiki${more}`
const other = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

const write = (text: string) => {
  writeFileSync(file('apps.txt'), text)
  return file('apps.txt')
}
const importing = (path: string, ...more: string[]) => admin('factor', 'import', path, '--domain', 'Intranet', ...more)

describe('second-factor factor import', () => {
  inFullRun(
    'second-factor factor import stores the apps and recovery codes of people, and adds the people',
    async () => {
      const path = write(
        `username,name,email,otpauth,recovery\nalice,"Doe, Alice",alice@example.com,${uri()},4fgh-82kq QX7PZ4M2\nbob,,,${uri('&digits=8&period=60&algorithm=SHA256', other)},\n`,
      )

      const refused = await importing(path)
      const stored = await importing(path, '--add-users')

      expect([refused.code, refused.stdout]).toEqual([
        1,
        'Line 2: the user is unknown; --add-users adds users\nLine 3: the user is unknown; --add-users adds users\n' +
          'Nothing was imported, 2 rows rejected. Correct the file.\n',
      ])
      expect([stored.code, stored.stdout, stored.stderr]).toEqual([
        0,
        '2 recovery codes of these people.\n2 apps imported.\n',
        '',
      ])
      expect(await json('user', 'show', 'alice')).toMatchObject({
        name: 'Doe, Alice',
        email: 'alice@example.com',
        factors: ['otp', 'bypass'],
        everEnrolled: true,
      })
      expect(await json('user', 'show', 'bob')).toMatchObject({ name: 'bob', email: '', factors: ['otp'] })
    },
  )

  inFullRun(
    'second-factor factor import shows in a dry run what would be stored, without a seed or a code',
    async () => {
      const rows = Array.from({ length: 7 }, (_, index) => ({
        username: `user-${index}`,
        otpauth: uri(index < 3 ? '&digits=8' : '', index === 6 ? secret.slice(0, 16) : secret),
        recovery: index === 0 ? ['4fgh-82kq', '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy'] : [],
      }))
      const path = write(rows.map((row) => JSON.stringify(row)).join('\n'))

      const { stdout, code } = await importing(path, '--add-users', '--dry-run')

      expect(code).toBe(0)
      expect(stdout).toBe(
        [
          'Apps  Codes',
          '4     TOTP 6 digits, 30 s, SHA1',
          '3     TOTP 8 digits, 30 s, SHA1',
          'Username  Codes                      Recovery codes',
          'user-0    TOTP 8 digits, 30 s, SHA1  1',
          'user-1    TOTP 8 digits, 30 s, SHA1  0',
          'user-2    TOTP 8 digits, 30 s, SHA1  0',
          'user-3    TOTP 6 digits, 30 s, SHA1  0',
          'user-4    TOTP 6 digits, 30 s, SHA1  0',
          '1 recovery code of these people.',
          "1 recovery code can't be imported, such as those hashed by bcrypt or scrypt: people make new codes after signing in.",
          '1 seed shorter than 128 bits.',
          '7 apps can be imported. Nothing was changed.',
          '',
        ].join('\n'),
      )
      expect(await json('user', 'list')).toEqual([])
    },
  )

  inFullRun('second-factor factor import changes nothing the second time', async () => {
    const path = write(`username,otpauth\nalice,${uri()}`)
    await importing(path, '--add-users')

    const again = await importing(path)

    expect([again.code, again.stdout]).toEqual([0, '1 app here already, which stay as they are.\nNothing to import.\n'])
    expect(await json('factor', 'import', path, '--domain', 'Intranet')).toMatchObject({ imported: 0, unchanged: 1 })
  })

  inFullRun('second-factor factor import completes what was interrupted', async () => {
    const rows = Array.from({ length: 250 }, (_, index) => `user-${index},${uri('', index % 2 ? secret : other)}`)
    await importing(write(['username,otpauth', ...rows.slice(0, 120)].join('\n')), '--add-users')

    const { stdout } = await importing(write(['username,otpauth', ...rows].join('\n')), '--add-users')

    expect(stdout).toBe('120 apps here already, which stay as they are.\n130 apps imported.\n')
    expect(await json('user', 'list')).toHaveLength(250)
  })

  inFullRun(
    'second-factor factor import stores nothing while a row is rejected, unless --skip-rejected is set',
    async () => {
      const path = write(
        `username,otpauth\nalice,${uri()}\nbob,${uri('&encoder=steam')}\ncarol,${uri().replace('totp', 'hotp')}`,
      )

      const refused = await importing(path, '--add-users')
      const skipped = await importing(path, '--add-users', '--skip-rejected')

      expect(refused.code).toBe(1)
      expect(refused.stdout).toContain('import the others with --skip-rejected')
      expect(refused.stdout + refused.stderr).not.toContain('GEZD')
      expect([skipped.code, skipped.stdout.split('\n').at(-2)]).toEqual([0, '1 app imported, 2 rows rejected.'])
    },
  )

  it('second-factor factor import rejects two apps of one person, unless it is told which to keep', async () => {
    const row = (username: string, createdAt: string, base32: string) => `${username},${uri('', base32)},${createdAt}\n`
    const rows = (username: string) => row(username, '2024-01-01', secret) + row(username, '2025-01-01', other)
    const path = write(`username,otpauth,createdAt\n${rows('alice')}`)

    const refused = await importing(path, '--add-users')
    const newest = await importing(path, '--add-users', '--keep', 'newest')
    const again = await json('factor', 'import', path, '--domain', 'Intranet', '--keep', 'newest')
    const older = await json('factor', 'import', path, '--domain', 'Intranet', '--keep', 'oldest')

    const reason = 'the file has 2 apps of this person, the first at line 2: --keep newest or --keep oldest chooses'
    expect(refused.stdout).toContain(`Line 2: ${reason}\nLine 3: ${reason}\n`)
    expect(newest.stdout).toBe('1 app imported.\n')
    expect(again).toMatchObject({ unchanged: 1, rejectedRows: 0 })
    expect(older).toMatchObject({ unchanged: 0, rejected: [{ line: 2, reason: 'the user has or had another factor' }] })
  })

  inFullRun(
    'second-factor factor import counts identical rows as one, and cannot choose among rows without a date',
    async () => {
      const same = write(`username,otpauth\nalice,${uri()}\nalice,${uri()}`)
      const undated = `username,otpauth\nbob,${uri()}\nbob,${uri('', other)}`

      expect((await importing(same, '--add-users')).stdout).toBe('1 app imported.\n')
      const { stdout } = await importing(write(undated), '--add-users', '--keep', 'oldest')
      expect(stdout).toContain('does not say of each when it was made (createdAt)')
    },
  )

  inFullRun('second-factor factor import says what a file does not say, and takes it from options', async () => {
    const path = write(`username,secret\nalice,${secret}`)

    const guessed = await importing(path, '--add-users')
    const assumed = await importing(path, '--add-users', '--from', 'speakeasy', '--dry-run')
    const said = await importing(
      path,
      '--add-users',
      '--from',
      'speakeasy',
      '--digits',
      '8',
      '--period',
      '60',
      '--algorithm',
      'SHA256',
      '--dry-run',
    )

    expect([guessed.code, guessed.stderr]).toEqual([1, expect.stringContaining('--from')])
    expect(assumed.stdout).toContain("1 app with defaults that the file doesn't say: 6 digits, 30 s, SHA1.")
    expect(said.stdout).toContain('1     TOTP 8 digits, 60 s, SHA256\n')
    expect(said.stdout).not.toContain('defaults')
    expect((await importing(path, '--digits', '9')).code).toBe(2)
  })

  it('second-factor factor import reads the secret of the app from a file only', async () => {
    const path = write('[]')

    const shown = await importing(path, '--from', 'better-auth', '--secret', 'the-secret')

    expect([shown.code, shown.stderr]).toEqual([2, expect.stringContaining('expected @ and the path of a file')])
    expect(shown.stderr).not.toContain('the-secret')
  })

  inFullRun(
    'second-factor factor import lists the columns that it ignores, and takes usernames from the column that is named',
    async () => {
      const path = write(`login,mailbox,department,otpauth\n1,alice,IT,${uri()}`)

      const { stdout } = await importing(path, '--add-users', '--username-column', 'mailbox')

      expect(stdout).toBe('Ignored columns: "login", "department"\n1 app imported.\n')
      expect(await json('user', 'show', 'alice')).toMatchObject({ username: 'alice' })
    },
  )

  inFullRun(
    'second-factor factor import takes a username as it is, and never gives an app to another person',
    async () => {
      const rows = [
        { username: 'alice ', otpauth: uri() },
        { username: 'alice', otpauth: uri('', other) },
      ]

      const { stdout } = await importing(write(rows.map((row) => JSON.stringify(row)).join('\n')), '--add-users')

      expect(stdout).toBe('2 apps imported.\n')
      const people = (await json('user', 'list')) as readonly { username: string }[]
      expect(people.map(({ username }) => username)).toEqual(['alice ', 'alice'])
    },
  )

  it('second-factor factor import rejects serial numbers that no hardware token can have', async () => {
    const rows = ['x'.repeat(65), 'a\u0000b', 'A-1'].map((serialNumber, index) => ({
      username: `user-${index}`,
      serialNumber,
      otpauth: uri(),
    }))

    const { stdout } = await importing(
      write(rows.map((row) => JSON.stringify(row)).join('\n')),
      '--add-users',
      '--dry-run',
    )

    expect(stdout.split('\n').filter((line) => line.startsWith('Line'))).toEqual([
      'Line 1: serialNumber: must have 1 to 64 characters',
      'Line 2: serialNumber: must not contain control characters',
    ])
  })

  inFullRun('an app that second-factor factor import stored shows codes that the service accepts', async () => {
    const address = uri('&algorithm=SHA512&digits=7')
    await importing(write(JSON.stringify({ username: 'alice', otpauth: address })), '--add-users')
    const service = await createService({ database: place.database, push: false })
    onTestFinished(() => service.close())
    const { origin, close } = await listening(service)
    onTestFinished(close)

    const otp = (OTPAuth.URI.parse(address) as OTPAuth.TOTP).generate()
    const call = createCall(origin, place.apiKey)
    const { json: session } = await call('POST', `/domains/${place.domainId}/sessions`, {
      body: { user: { username: 'alice' }, otp },
    })

    expect(session).toMatchObject({ state: 'approved', factor: 'otp' })
  })
})

async function listening(service: Service) {
  const listener = await listen(service.listener, { host: '127.0.0.1', port: 0 })
  return { origin: `http://127.0.0.1:${listener.port}`, close: () => listener.close() }
}
