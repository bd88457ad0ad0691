import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  closeSync,
  openSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Sqlite from 'better-sqlite3'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { codeAt, stepAt } from '../../src/service/features/codes/totp.ts'
import { createDatabase, run, runIn } from '../cli/admin/run-command.ts'
import type { Created } from '../cli/admin/run-command.ts'
import { listen } from '../../src/service/engine/http/listen.ts'
import { createService } from '../../src/service/index.ts'
import type { ServiceOptions } from '../../src/service/index.ts'
import { createCall, newUser, withoutOverload } from '../service/start-service.ts'
import { useEngine } from '../support/engines.ts'
import { serve } from './command.ts'

const seed = '3132333435363738393031323334353637383930'
const code = (stepsAhead = 0) => codeAt({ seed, digits: 6 }, stepAt(Math.floor(Date.now() / 1000), 30) + stepsAhead)

let folder: string
let database: string
let backup: string
let createdDatabase: Created
let running: { readonly stop: () => Promise<unknown>; readonly end: () => unknown } | undefined

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-backup-'))
  createdDatabase = await createDatabase(folder)
  database = join(folder, 'mfa.sqlite')
  backup = join(folder, 'mfa.backup')
})
afterEach(async () => {
  await running?.end()
  running = undefined
  rmSync(folder, { recursive: true })
})

async function start() {
  const served = await serve(database)
  running = { stop: served.stop, end: served.kill }
  return { served, call: createCall(served.origin, createdDatabase.apiKey) }
}

/** In this process, where it is no part of the rule that another one has the database open: that takes a fifth of the time. */
async function startHere(options: ServiceOptions = { database }) {
  const service = await createService({ ...options, limits: withoutOverload, push: false })
  const listening = await listen(service.listener, { host: '127.0.0.1', port: 0 })
  const stop = async () => {
    running = undefined
    await listening.close()
    await service.close()
  }
  running = { stop, end: stop }
  return createCall(`http://127.0.0.1:${listening.port}`, createdDatabase.apiKey)
}

type Call = ReturnType<typeof createCall>

/** A user with a hardware token and a bypass code. */
async function person(call: Call, username = 'alice') {
  const { json: user } = await call('POST', '/users', { body: newUser(username) })
  await call('PUT', `/domains/${createdDatabase.domainId}/users/${user.id}`)
  const { json: token } = await call('POST', '/hardware', {
    body: { serialNumber: `of ${username}`, type: 'TOTP6', timeStep: 30, seed },
  })
  await call('PUT', `/users/${user.id}/hardware/${token.id}`)
  const { json: bypass } = await call('POST', `/users/${user.id}/bypasscodes`, {
    body: { usesAllowed: 1, expirationTime: 0 },
  })
  return { id: user.id as string, token: token.id as string, bypass: bypass.code as string }
}

const signIn = async (call: Call, id: string, more: object): Promise<string> =>
  (await call('POST', `/domains/${createdDatabase.domainId}/sessions`, { body: { user: { id }, ...more } })).json.state

const restore = (...more: readonly string[]) => run('restore', backup, '--database', database, ...more)

describe('`backup` of a database that is written to', () => {
  it('a backup under writes contains every change that was acknowledged before, with the audit heads next to it', async () => {
    const { call } = await start()
    const acknowledged: string[] = []
    const enough = new AbortController()
    const writing = (async () => {
      for (let number = 0; !enough.signal.aborted; number += 1) {
        const { status, json } = await call('POST', '/users', { body: newUser(`user-${number}`) })
        if (status === 200) acknowledged.push(json.id)
      }
    })()
    while (acknowledged.length < 50) await new Promise((resolve) => void setImmediate(resolve))

    const before = [...acknowledged]
    const { code: exitCode, json } = await run('backup', backup, '--database', database, '--json')
    enough.abort()
    await writing

    const copy = new Sqlite(backup, { readonly: true })
    const ids = new Set(copy.prepare<[], string>('SELECT id FROM user').pluck().all())
    const last = copy.prepare<[], { writer: string; hash: string }>('SELECT writer, hash FROM audit').all()
    copy.close()
    expect([exitCode, json]).toEqual([0, { file: backup, heads: `${backup}.heads.jsonl`, keys: `${database}.keys` }])
    expect(before.filter((id) => !ids.has(id))).toEqual([])
    const heads = readFileSync(`${backup}.heads.jsonl`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(last).toEqual(expect.arrayContaining(heads.map(({ writer, hash }) => ({ writer, hash }))))
    expect(statSync(backup).mode & 0o777).toBe(0o600)
    expect(
      readdirSync(folder)
        .filter((name) => name.startsWith('mfa.backup'))
        .sort(),
    ).toEqual(['mfa.backup', 'mfa.backup.heads.jsonl'])
  })

  it('a backup never overwrites a file', async () => {
    writeFileSync(backup, 'something else')

    const { code: exitCode, stderr } = await run('backup', backup, '--database', database)

    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('exists')])
    expect(readFileSync(backup, 'utf8')).toBe('something else')
  })
})

describe('`restore`', () => {
  it('after a restore, app codes and recovery codes that were used after the backup are rejected', async () => {
    const first = await startHere()
    const { id, bypass } = await person(first)
    await run('backup', backup, '--database', database)
    const used = code()
    const states = [await signIn(first, id, { otp: used }), await signIn(first, id, { bypasscode: bypass })]
    await running?.stop()

    const restored = await restore('--yes', '--json')
    const second = await startHere()
    const repeated = [await signIn(second, id, { otp: used }), await signIn(second, id, { bypasscode: bypass })]

    expect(states).toEqual(['approved', 'approved'])
    expect([restored.code, restored.json.replaced]).toEqual([0, expect.stringContaining('.replaced-')])
    expect(repeated).toEqual(['denied', 'denied'])
  })

  it('after a restore, the codes of a token that counts presses are rejected until it is resynchronized, as restore says', async () => {
    const first = await startHere()
    const { id, token } = await person(first)
    await first('DELETE', `/hardware/${token}`)
    const body = { serialNumber: 'counts', digits: 6, counter: 0, seed }
    const { json: counting } = await first('POST', '/hardware', { body })
    await first('PUT', `/users/${id}/hardware/${counting.id}`)
    const codeOf = (counter: number) => codeAt({ seed, digits: 6 }, counter)
    await run('backup', backup, '--database', database)
    const before = await signIn(first, id, { otp: codeOf(0) })
    await running?.stop()

    const restored = await restore('--yes')
    const second = await startHere()
    const rejected = [await signIn(second, id, { otp: codeOf(0) }), await signIn(second, id, { otp: codeOf(1) })]
    const found = await run('hardware', 'resynchronize', 'alice', codeOf(2), codeOf(3), '--database', database)
    const after = [await signIn(second, id, { otp: codeOf(3) }), await signIn(second, id, { otp: codeOf(4) })]

    expect(restored.stdout).toContain('1 hardware token with a counter (HOTP)')
    expect([before, rejected, found.code, after]).toEqual(['approved', ['denied', 'denied'], 0, ['denied', 'approved']])
  })

  it('restore applies the revocations that the log has recorded since the backup', async () => {
    const { served, call: first } = await start()
    const [alice, bob] = [await person(first, 'alice'), await person(first, 'bob').catch(() => undefined)]
    await run('backup', backup, '--database', database)
    await first('DELETE', `/hardware/${alice.token}`)
    if (bob) await first('DELETE', `/users/${bob.id}`)
    await served.stop()
    const log = join(folder, 'service.log')
    writeFileSync(log, served.stderr())

    const restored = await restore('--revocations', log, '--json')
    const second = await startHere()
    const [token, user] = [await second('GET', `/hardware/${alice.token}`), await second('GET', `/users/${bob?.id}`)]

    expect(restored.json.revocationsApplied).toBe(2)
    expect([token.status, user.status]).toEqual([404, 404])
  })

  it('restore lists possible revocations and changes nothing without a log and a terminal to ask at', async () => {
    const { token } = await person(await startHere())
    const db = new Sqlite(database)
    db.prepare('UPDATE hardware_token SET serial_number = ?').run('red \u001b[31m')
    db.close()
    await running?.stop()
    await run('backup', backup, '--database', database)
    const before = readFileSync(database)

    const { code: exitCode, stderr } = await restore()

    expect(exitCode).toBe(2)
    expect(stderr).toContain(`Hardware token  ${token.slice(0, 12)}  red `)
    expect(stderr).not.toContain('\u001b[31m')
    expect(stderr).toContain('API key')
    expect(readFileSync(database).equals(before)).toBe(true)
    expect(readdirSync(folder).filter((name) => name.includes('restoring'))).toEqual([])
  })

  it('restore refuses a database that a service has open, even an idle one', async () => {
    await run('backup', backup, '--database', database)
    await start()

    const { code: exitCode, stderr } = await restore('--yes')

    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is in use')])
  })

  it('restore does not apply the write-ahead log of the database it replaces', async () => {
    await run('backup', backup, '--database', database)
    const { served, call } = await start()
    await person(call)
    served.kill()
    await served.ended
    const hadWal = existsSync(`${database}-wal`)

    const { code: exitCode } = await restore('--yes')
    const checked = await run('check', '--database', database)

    expect(hadWal).toBe(true)
    expect([exitCode, checked.code]).toEqual([0, 0])
  })

  it.each([
    ['is cut off', () => truncateSync(backup, 20_000), 'damaged'],
    ['is empty', () => truncateSync(backup, 0), 'is empty'],
    ['has lost a page that is not read at startup', () => losePage(backup), 'damaged'],
    ['is not a database', () => writeFileSync(backup, 'Dear Sir or Madam'), 'is not a database'],
  ])('restore refuses a backup that %s', async (_what, damage, message) => {
    await run('backup', backup, '--database', database)
    damage()

    const { code: exitCode, stderr } = await restore('--yes')

    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)])
  })

  it('restore refuses a backup whose keys are missing or belong to another one', async () => {
    await run('backup', backup, '--database', database)
    const keys = readFileSync(`${database}.keys`)
    rmSync(`${database}.keys`)
    const without = await restore('--yes')
    writeFileSync(`${database}.keys`, `k1:${Buffer.alloc(32, 9).toString('base64')}\n`)
    const withOtherKeys = await restore('--yes')
    writeFileSync(`${database}.keys`, keys)

    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('no key file')])
    expect([withOtherKeys.code, withOtherKeys.stderr]).toEqual([
      1,
      expect.stringContaining('sealed with a different key'),
    ])
    expect((await restore('--yes')).code).toBe(0)
  })
})

describe('`restored` on PostgreSQL', () => {
  const newDatabase = useEngine('PostgreSQL')

  it('the restored command ends everything that may have been used since, and refuses while a node uses the database', async () => {
    const original = await newDatabase()
    const copy = `${original}_copy`
    const keys = { MFA_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}` }
    createdDatabase = (await runIn(keys, 'init', '--database', original, '--json')).json
    const startOn = (address: string) => startHere({ database: address, keys: keys.MFA_KEYS })
    const { id } = await person(await startOn(original))
    await running?.stop()
    await copyDatabase(original, copy)
    const used = code()
    const before = await signIn(await startOn(original), id, { otp: used })
    await running?.stop()

    const restored = await runIn(keys, 'restored', '--database', copy, '--yes')
    const after = await signIn(await startOn(copy), id, { otp: used })
    const refused = await runIn(keys, 'restored', '--database', copy, '--yes')

    expect([before, restored.code, after]).toEqual(['approved', 0, 'denied'])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Stop them first')])
    await running?.stop()
  })
})

/** Overwrites a page of a table with zeros, like a disk that has lost it. */
function losePage(file: string): void {
  const copy = new Sqlite(file, { readonly: true })
  const page = copy
    .prepare<[], number>("SELECT rootpage FROM sqlite_master WHERE name = 'device_history'")
    .pluck()
    .get()
  copy.close()
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(4096), 0, 4096, ((page ?? 1) - 1) * 4096)
  closeSync(descriptor)
}

/** Does the same as pg_dump and pg_restore, which may not be installed. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const client = new Client(from.replace(/[^/]+$/, 'postgres'))
  await client.connect()
  const name = (address: string) => address.slice(address.lastIndexOf('/') + 1)
  await client.query(`CREATE DATABASE ${name(to)} TEMPLATE ${name(from)}`)
  await client.end()
}
