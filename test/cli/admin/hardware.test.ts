import { readFileSync, writeFileSync } from 'node:fs'

import { beforeEach, describe, expect, it } from 'vitest'

import { systemClock } from '../../../src/ground/clock.ts'
import { codeAt, stepAt } from '../../../src/service/features/codes/totp.ts'
import {
  container,
  encrypted,
  encryption,
  exampleKey,
  exampleSeed,
  keyPackage,
  passwordContainer,
} from '../../service/features/hardware/files/pskc-file.ts'
import { describeInFullRun, inFullRun } from '../../support/full-run.ts'
import { useDatabase } from './run-command.ts'

const { place, file, admin, json } = useDatabase()

const seed = exampleSeed
const csv = (...rows: string[]) => {
  writeFileSync(file('tokens.csv'), ['serial,seed,type,step', ...rows].join('\r\n'))
  return file('tokens.csv')
}

describeInFullRun('second-factor hardware', () => {
  it('second-factor hardware adds a token with a seed from a file', async () => {
    writeFileSync(file('seed.txt'), `${seed}\n`)

    const created = await json('hardware', 'create', '42', '--seed', `@${file('seed.txt')}`)
    const secondCreate = await admin('hardware', 'create', '42', '--seed', seed)

    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      alias: `HW-${created.id.slice(0, 8)}`,
      serialNumber: '42',
      type: 'TOTP6',
      timeStep: '30s',
      algorithm: 'SHA1',
      digits: 6,
      period: 30,
      syncState: 'Never Used',
      user: '',
      createdAt: expect.any(Number),
    })
    expect(secondCreate).toMatchObject({ code: 1, stderr: expect.stringContaining('serial number already exists') })
  })

  it('second-factor hardware create takes the hash, the length and the period of codes, or the words of version 1.3', async () => {
    const create = (serial: string, ...options: string[]) =>
      admin('hardware', 'create', serial, '--seed', seed, ...options)

    const exact = await create('1', '--algorithm', 'SHA256', '--digits', '7', '--period', '45')
    const former = await create('2', '--type', 'TOTP8', '--time-step', '60')
    const wrong = [
      await create('3', '--digits', '9'),
      await create('3', '--period', '14'),
      await create('3', '--period', '30s'),
      await create('3', '--type', 'TOTP8', '--digits', '6'),
    ]

    expect(exact.stdout).toContain('Codes   7 digits, 45 s, SHA256\n')
    expect(former.stdout).toContain('Codes   8 digits, 60 s, SHA1\n')
    expect(wrong.map(({ code, stderr }) => [code, stderr.split('. See')[0]])).toEqual([
      [2, expect.stringContaining('Expected 6, 7 or 8')],
      [2, expect.stringContaining('Expected seconds, from 15 to 120')],
      [2, expect.stringContaining('Expected seconds, from 15 to 120')],
      [2, expect.stringContaining('must fit the type: TOTP8')],
    ])
  })

  it('second-factor hardware create takes the counter of a token that counts presses, and no time beside it', async () => {
    const create = (serial: string, ...options: string[]) =>
      admin('hardware', 'create', serial, '--seed', seed, '--counter', ...options)

    const created = await create('1', '4711', '--digits', '8')
    const wrong = [await create('2', '-1'), await create('2', '5000000000'), await create('2', '0', '--period', '30')]
    const { stdout } = await admin('hardware', 'list')

    expect(created.stdout).toContain('Codes   8 digits, HOTP from 4711, SHA1\n')
    expect(stdout).toContain('1       8 digits, HOTP from 4711, SHA1  Never Used')
    expect(wrong.map(({ code, stderr }) => [code, stderr])).toEqual([
      [2, expect.stringContaining('Expected the number of codes')],
      [2, expect.stringContaining('Expected the number of codes')],
      [2, expect.stringContaining('must be absent with a counter')],
    ])
  })

  it.each(['xyz', '', 'abcd', `${seed}0`])(
    'second-factor hardware create rejects the seed %j without repeating it',
    async (invalidSeed) => {
      const { stdout, stderr, code } = await admin('hardware', 'create', '42', '--seed', invalidSeed)

      expect(code).toBe(2)
      expect(invalidSeed !== '' && (stdout + stderr).includes(invalidSeed)).toBe(false)
    },
  )

  it('second-factor hardware assigns and releases tokens by alias, serial number or id', async () => {
    const { id, alias } = await json('hardware', 'create', '42', '--seed', seed)
    for (const name of ['alice', 'bob']) {
      await admin('user', 'create', name, '--name', name, '--email', `${name}@example.com`)
    }

    const assigned = await admin('hardware', 'assign', '42', 'alice')
    const conflict = await admin('hardware', 'assign', alias, 'bob')
    const { stdout } = await admin('hardware', 'list')
    const released = await admin('hardware', 'release', 'alice')
    const toBob = await admin('hardware', 'assign', id.slice(0, 10), 'bob')

    expect([assigned.code, conflict.code, released.code, toBob.code]).toEqual([0, 1, 0, 0])
    expect(stdout).toContain(`${alias}  42      6 digits, 30 s, SHA1  Never Used  alice\n`)
    expect(await json('user', 'show', 'bob')).toMatchObject({ hardware: id, factors: ['otp'] })
  })

  it.each(['Ärzte-1', 'ärzte-1'])('second-factor hardware finds the token Ärzte-1 as %s', async (typed) => {
    await json('hardware', 'create', 'Ärzte-1', '--seed', seed)
    await json('user', 'create', 'alice', '--name', 'Alice', '--email', 'alice@example.com')

    const { code, stderr } = await admin('hardware', 'assign', typed, 'alice')

    expect([code, stderr]).toEqual([0, ''])
  })

  it('second-factor hardware deletes a token only with confirmation', async () => {
    await admin('hardware', 'create', '42', '--seed', seed)

    const unasked = await admin('hardware', 'delete', '42')
    const confirmed = await admin('hardware', 'delete', '42', '--yes')

    expect([unasked.code, confirmed.code]).toEqual([2, 0])
    expect(await json('hardware', 'list')).toEqual([])
  })
})

describeInFullRun('second-factor hardware delete', () => {
  it('second-factor hardware delete refuses a token that belongs to a user, and says what to do', async () => {
    await admin('hardware', 'create', '42', '--seed', seed)
    await admin('user', 'create', 'alice', '--name', 'Alice', '--email', 'a@example.com')
    await admin('hardware', 'assign', '42', 'alice')

    const refused = await admin('hardware', 'delete', '42', '--yes')
    await admin('hardware', 'release', 'alice')
    const deleted = await admin('hardware', 'delete', '42', '--yes')

    expect([refused.code, deleted.code]).toEqual([1, 0])
    expect(refused.stderr).toContain('belongs to "alice". Take it away first: second-factor hardware release\n')
    expect(await json('audit', 'list', '--event', 'hardware.deleted')).toMatchObject([{ actor: { kind: 'cli' } }])
  })
})

describeInFullRun('second-factor hardware resynchronize', () => {
  /** The code that a token shows whose clock is ahead. */
  const tokenCode = (steps: number) => codeAt({ seed, digits: 6 }, stepAt(systemClock.now(), 30) + steps)

  beforeEach(async () => {
    await admin('user', 'create', 'alice', '--name', 'Alice', '--email', 'a@example.com', '--domain', 'Intranet')
  })

  it('second-factor hardware resynchronize corrects a token’s clock by two consecutive codes, and records it', async () => {
    await admin('hardware', 'create', '42', '--seed', seed)
    await admin('hardware', 'assign', '42', 'alice')

    const done = await admin('hardware', 'resynchronize', 'alice', tokenCode(7), tokenCode(8))
    const secondRun = await admin('hardware', 'resynchronize', 'alice', tokenCode(7), tokenCode(8))

    expect([done.code, done.stdout]).toEqual([0, 'Synchronized the hardware token of "alice".\n'])
    expect([secondRun.code, secondRun.stderr]).toEqual([1, expect.stringContaining('Read two new codes')])
    expect(await json('hardware', 'list')).toMatchObject([{ syncState: 'Synchronized' }])
    expect(await json('audit', 'list', '--event', 'hardware.resynchronized')).toMatchObject([
      { actor: { kind: 'cli' } },
    ])
  })

  it('second-factor hardware resynchronize finds the counter of a token by two consecutive codes', async () => {
    await admin('hardware', 'create', '42', '--seed', seed, '--counter', '0')
    await admin('hardware', 'assign', '42', 'alice')
    const code = (counter: number) => codeAt({ seed, digits: 6 }, counter)

    const done = await admin('hardware', 'resynchronize', 'alice', code(700), code(701))
    const secondRun = await admin('hardware', 'resynchronize', 'alice', code(700), code(701))

    expect([done.code, secondRun.code]).toEqual([0, 1])
    expect(await json('hardware', 'list')).toMatchObject([{ counter: 702, syncState: 'Synchronized' }])
  })

  it('second-factor hardware resynchronize says what is missing: an assigned token, or digits of a code', async () => {
    const unmatched = await admin('hardware', 'resynchronize', 'alice', '123456', '654321')
    const short = await admin('hardware', 'resynchronize', 'alice', '12345', '654321')

    expect([unmatched.code, unmatched.stderr]).toEqual([1, expect.stringContaining('second-factor hardware assign')])
    expect([short.code, short.stderr]).toEqual([2, expect.stringContaining('6 to 8 digits')])
  })
})

describe('second-factor hardware import', () => {
  inFullRun('second-factor hardware import imports all tokens of a file', async () => {
    const rows = Array.from({ length: 1_234 }, (_, each) => `${each},${seed},${each % 2 ? 'TOTP8' : 'TOTP6'},60`)

    const { stdout, stderr, code } = await admin('hardware', 'import', csv(...rows))
    const listed = await json('hardware', 'list')

    expect([stdout, stderr, code]).toEqual(['1234 tokens imported.\n', '', 0])
    expect(listed).toHaveLength(1_234)
    expect(listed[1]).toMatchObject({ serialNumber: '1', type: 'TOTP8', timeStep: '60s', syncState: 'Never Used' })
  })

  inFullRun(
    'second-factor hardware import imports nothing when a row is invalid, and names each invalid row without its seed',
    async () => {
      await admin('hardware', 'create', '5', '--seed', seed)
      const path = csv(
        `1,${seed},TOTP6,30`,
        `2,${seed.slice(0, 30)},TOTP6,30`,
        `${seed.repeat(2)},${seed},TOTP6,30`,
        `1,${seed},TOTP6,30`,
        `5,${seed},TOTP6,30`,
        `6,${seed},TOTP9,30`,
        `7,${seed},TOTP6,121`,
        `8,GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ,TOTP6,30`,
      )

      const { stdout, stderr, code } = await admin('hardware', 'import', path)
      const asJson = await json('hardware', 'import', path)

      expect(code).toBe(1)
      expect(stdout.split('\n').map((line) => line.split(':')[0])).toEqual([
        'Line 3',
        'Line 4',
        'Line 5',
        'Line 6',
        'Line 7',
        'Line 8',
        'Line 9',
        'Nothing was imported, 7 rows rejected. Correct the file, or import the others with --skip-rejected.',
        '',
      ])
      expect(stdout).toContain('Line 5: line 2 has the same serial number\n')
      expect(stdout).toContain('Line 6: its serial number is there already\n')
      expect(stdout + stderr).not.toContain(seed.slice(0, 30))
      expect(stdout + stderr).not.toContain('GEZD')
      expect(asJson).toMatchObject({ imported: 0, acceptable: 1, dryRun: false })
      expect(asJson.rejected).toHaveLength(7)
      expect(await json('hardware', 'list')).toHaveLength(1)
    },
  )

  inFullRun('second-factor hardware import imports the valid rows with --skip-rejected', async () => {
    const path = csv(`1,${seed},TOTP6,30`, `2,x,TOTP6,30`, `3,${seed},TOTP6,30`)

    const { stdout, code } = await admin('hardware', 'import', path, '--skip-rejected')

    expect([code, stdout]).toEqual([0, expect.stringContaining('2 tokens imported, 1 row rejected.\n')])
    expect(await json('hardware', 'list')).toHaveLength(2)
  })

  inFullRun('second-factor hardware import finds the same errors in a dry run, without changing anything', async () => {
    const path = csv(`1,${seed},TOTP6,30`, `2,x,TOTP6,30`)

    const wrong = await admin('hardware', 'import', path, '--dry-run')
    const right = await admin('hardware', 'import', csv(`1,${seed},TOTP6,30`), '--dry-run')

    expect(wrong).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('1 token can be imported, 1 row rejected.'),
    })
    expect(right).toMatchObject({
      code: 0,
      stdout: 'Serial  Codes\n1       6 digits, 30 s, SHA1\n1 token can be imported. Nothing was changed.\n',
    })
    expect(await json('hardware', 'list')).toEqual([])
  })

  inFullRun('second-factor hardware import decrypts a container with a key from a file', async () => {
    writeFileSync(file('tokens.xml'), container(encryption(), keyPackage({ secret: encrypted() })))
    writeFileSync(file('key.txt'), `${exampleKey}\n`)

    const without = await admin('hardware', 'import', file('tokens.xml'))
    const wrong = await admin('hardware', 'import', file('tokens.xml'), '--key', '00'.repeat(16))
    const short = await admin('hardware', 'import', file('tokens.xml'), '--key', '0011')
    const right = await admin('hardware', 'import', file('tokens.xml'), '--key', `@${file('key.txt')}`)

    expect([without.code, wrong.code, short.code, right.code]).toEqual([1, 1, 2, 0])
    expect(without.stderr).toContain('--key @FILE')
    expect(short.stderr).not.toContain('0011')
    expect(await json('hardware', 'list')).toMatchObject([{ serialNumber: '987654321', type: 'TOTP8' }])
  })

  inFullRun('second-factor hardware import decrypts a container with a password from a file', async () => {
    writeFileSync(file('tokens.xml'), passwordContainer())
    writeFileSync(file('password.txt'), 'qwerty\n')

    const without = await admin('hardware', 'import', file('tokens.xml'))
    const shown = await admin('hardware', 'import', file('tokens.xml'), '--password', 'qwerty')
    const right = await admin('hardware', 'import', file('tokens.xml'), '--password', `@${file('password.txt')}`)

    expect([without.code, shown.code, right.code]).toEqual([1, 2, 0])
    expect(without.stderr).toContain('--password @FILE')
    expect(shown.stderr).toContain('expected @ and the path of a file')
  })

  inFullRun(
    'second-factor hardware import says which columns it ignores, and asks how a column named secret is written',
    async () => {
      writeFileSync(file('tokens.csv'), `serial,secret,maker,digits\n1,${seed},Acme,8`)

      const without = await admin('hardware', 'import', file('tokens.csv'))
      const right = await admin('hardware', 'import', file('tokens.csv'), '--encoding', 'hex')

      expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('Or set --encoding.')])
      expect(right.stdout).toBe('Ignored columns: "maker"\n1 token imported.\n')
      expect(await json('hardware', 'list')).toMatchObject([{ serialNumber: '1', digits: 8 }])
    },
  )

  inFullRun.each([
    ['in UTF-16 without a mark', () => Buffer.from(`serial,seed\n1,${seed}`, 'utf16le'), 'UTF-8'],
    ['that is empty', () => Buffer.alloc(0), 'no tokens'],
    ['of a header alone', () => Buffer.from('serial,seed,type,step\n'), 'no tokens'],
    ['larger than 16 MiB', () => Buffer.alloc(16 * 1024 * 1024 + 1, '\n'), 'larger than 16 MiB'],
  ])('second-factor hardware import rejects a file %s', async (_what, bytes, reason) => {
    writeFileSync(file('tokens.csv'), bytes())

    const { stderr, code } = await admin('hardware', 'import', file('tokens.csv'))

    expect(code).toBe(1)
    expect(stderr).toContain(reason)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  inFullRun('second-factor hardware import reads a file with a byte order mark', async () => {
    writeFileSync(file('tokens.csv'), `\ufeffserial,seed,type,step\n1,${seed},TOTP6,30`)

    expect((await admin('hardware', 'import', file('tokens.csv'))).code).toBe(0)
  })

  it('second-factor hardware import does not print control characters of a path', async () => {
    const { stderr, code } = await admin('hardware', 'import', '../\u001b[2Jnone.csv')

    expect(code).toBe(1)
    expect(stderr).not.toContain('\u001b')
  })

  inFullRun('second-factor hardware import rejects the database as a file of tokens', async () => {
    const sizeBefore = readFileSync(place.database).length

    expect((await admin('hardware', 'import', place.database)).code).toBe(1)
    expect(sizeBefore).toBeGreaterThan(0)
  })
})
