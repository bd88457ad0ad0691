import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { run } from '../cli/admin/run-command.ts'
import { createCall, newUser } from '../service/start-service.ts'
import { command, serve } from './command.ts'
import type { Served } from './command.ts'

const preload = new URL('failing-disk.ts', import.meta.url).href

let folder: string
let database: string
let control: string
let env: NodeJS.ProcessEnv
let running: Served | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-disk-'))
  database = join(folder, 'mfa.sqlite')
  control = join(folder, 'disk')
  env = { NODE_OPTIONS: `--import=${preload}`, FAILING_DISK: control }
  disk('well')
})
afterEach(() => {
  running?.kill()
  running = undefined
  rmSync(folder, { recursive: true })
})

const disk = (state: 'well' | 'full' | 'read-only') => writeFileSync(control, state)

async function init() {
  return (await run('init', '--database', database, '--json')).json.apiKey as string
}

/** Adds users until one is rejected. @returns the acknowledged users, and the rejection. */
async function writeUntilRefused(call: ReturnType<typeof createCall>, name: string) {
  const acknowledged: string[] = []
  for (let number = 0; number < 2_000; number += 1) {
    const answer = await call('POST', '/users', { body: newUser(`${name}-${number}`) })
    if (answer.status !== 200) return { acknowledged, refused: answer }
    acknowledged.push(answer.json.username)
  }
  throw new Error('Nothing was refused.')
}

async function usernames(call: ReturnType<typeof createCall>): Promise<string[]> {
  const all: string[] = []
  for (let page = 1; ; page += 1) {
    const { json } = await call('GET', `/users?page=${page}`)
    if (json.length === 0) return all
    all.push(...json.map((user: { username: string }) => user.username))
  }
}

const readiness = async (origin: string) => (await fetch(`${origin}/readyz`)).status

/**
 * Writes until the service is not ready. A new user takes several pages of the log of changes, and what the service tries
 * before it says that it is ready takes one: where the log ends decides how often that still fits.
 */
async function writeUntilUnready(origin: string, call: ReturnType<typeof createCall>) {
  const acknowledged: string[] = []
  for (let round = 0; round < 50; round += 1) {
    const written = await writeUntilRefused(call, `first-${round}`)
    acknowledged.push(...written.acknowledged)
    const status = await readiness(origin)
    if (status !== 200) return { acknowledged, refused: written.refused, status }
  }
  throw new Error('The service stayed ready.')
}

describe.each(['full', 'read-only'] as const)('a running `serve` whose disk is %s', (state) => {
  it('on a full or read-only disk, serve rejects changes with 503, is not ready, still reads, and recovers without a restart', async () => {
    const apiKey = await init()
    running = await serve(database, env)
    const { origin } = running
    const call = createCall(origin, apiKey)
    const before = await readiness(origin)

    disk(state)
    const { acknowledged, refused } = await writeUntilRefused(call, 'first')
    const during = [await readiness(origin), await readiness(origin)]
    const storedNames = await usernames(call)
    disk('well')
    await expect.poll(() => readiness(origin)).toBe(200)
    const after = await call('POST', '/users', { body: newUser('after') })

    expect([refused.status, refused.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'api.error.unavailable',
      '1',
    ])
    expect([before, ...during]).toEqual([200, 503, 503])
    expect(storedNames).toEqual(acknowledged)
    expect(after.status).toBe(200)
    expect(await usernames(call)).toEqual([...acknowledged, 'after'])
  })
})

describe('a running `serve` whose disk reports an error', () => {
  it('after disk errors, serve loses no acknowledged change, even when it is killed, and recovers without a restart', async () => {
    const apiKey = await init()
    // The log of changes cannot grow beyond the limit, which the operating system reports as an error.
    const limit = statSync(database).size + 512 * 1024
    running = await serve(database, {}, [], { maxFileSize: limit })
    const { origin } = running
    const call = createCall(origin, apiKey)

    const first = await writeUntilUnready(origin, call)
    // Clears the log.
    const other = new Sqlite(database)
    other.pragma('wal_checkpoint(TRUNCATE)')
    other.close()
    const recovered = await readiness(origin)
    const second = await writeUntilRefused(call, 'second')
    running.kill()
    running = await serve(database)

    expect([first.refused.status, first.refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect([first.status, recovered]).toEqual([503, 200])
    expect(second.acknowledged.length).toBeGreaterThan(0)
    expect(await usernames(createCall(running.origin, apiKey))).toEqual([...first.acknowledged, ...second.acknowledged])
  })
})

describe('a COMMIT of SQLite that the disk fails', () => {
  it('a COMMIT that the disk fails is answered with an unknown outcome, and the same Idempotency-Key makes the change once', async () => {
    const apiKey = await init()
    const limit = statSync(database).size + 512 * 1024
    running = await serve(database, {}, [], { maxFileSize: limit })
    const call = createCall(running.origin, apiKey)
    const add = (name: string) =>
      call('POST', '/users', { body: newUser(name), headers: { 'idempotency-key': `key-of-${name}` } })
    const acknowledged: string[] = []
    let failed = await add('user-0')
    for (let number = 0; failed.status === 200; failed = await add(`user-${++number}`))
      acknowledged.push(`user-${number}`)
    const name = `user-${acknowledged.length}`

    const other = new Sqlite(database)
    other.pragma('wal_checkpoint(TRUNCATE)')
    other.close()
    await expect.poll(async () => (await add(name)).status).toBe(200)
    const again = await add(name)

    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '1'])
    expect(failed.json.errors[0].outcome).toBe('unknown')
    expect([again.status, again.json.username]).toEqual([200, name])
    expect(await usernames(call)).toEqual([...acknowledged, name])
  })
})

describe('a database that cannot be written when it is opened', () => {
  it('a full disk is reported in one line when the database is opened', async () => {
    disk('full')

    const { code, stderr } = await command(['init', '--database', database], env)

    expect([code, stderr.trim()]).toEqual([
      1,
      `Can't open the database ${database}: the disk is full. Free some space first.`,
    ])
  })

  it('a read-only database is reported in one line when it is opened', async () => {
    await init()
    disk('read-only')

    const { code, stderr } = await command(['serve', '--database', database, '--port', '0'], env)

    expect([code, stderr.trim()]).toEqual([
      1,
      expect.stringMatching(
        /Can't open the database .*: the file isn't writable. Check its mode, .* mounted read-only\.$/,
      ),
    ])
  })
})
