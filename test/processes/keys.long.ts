import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, readdirSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'
import type { TestContext } from 'vitest'

import { createDatabase } from '../cli/admin/run-command.ts'
import { engines, useEngine } from '../support/engines.ts'
import * as real from './command.ts'

// A rotation waits 15 seconds and longer.
const fastClock: NodeJS.ProcessEnv = {
  NODE_OPTIONS: `--import=${new URL('fast-clock.ts', import.meta.url).href}`,
  FAST_CLOCK_SINCE: String(Date.now()),
}
const command = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => real.command(args, { ...env, ...fastClock })
const serve = (database: string, env: NodeJS.ProcessEnv = {}) => real.serve(database, { ...env, ...fastClock })

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

// The first one runs a command in this process, which two tests must not do at once.
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-keys-'))
  await createDatabase(folder)
  rmSync(folder, { recursive: true })
})

/** A file with its keys, as `init` makes it. */
async function newFile(onTestFinished: TestContext['onTestFinished']): Promise<{ folder: string; database: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-keys-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await createDatabase(folder)
  return { folder, database: join(folder, 'mfa.sqlite') }
}

// Concurrent, because each waits for heartbeats of real processes.
describe.concurrent.each(engines)('`keys rotate` beside a running `serve` on %s', (engine) => {
  const newDatabase = useEngine(engine)

  it(
    'keys rotate waits for the running node, exits with 0, and leaves no node behind',
    { timeout: 90_000 },
    async ({ onTestFinished }) => {
      const isFile = engine === 'SQLite'
      const { database } = isFile ? await newFile(onTestFinished) : { database: await newDatabase() }
      const [k1, k2] = [key('k1'), key('k2')]
      const before = isFile ? {} : { MFA_KEYS: k1 }
      const after = isFile ? {} : { MFA_KEYS: `${k2},${k1}` }
      if (!isFile) await command(['init', '--database', database], before)
      const service = await serve(database, before)
      onTestFinished(() => service.kill())
      if (isFile) await command(['keys', 'add', '--database', database])

      const rotating = command(['keys', 'rotate', '--database', database, '--json'], after)
      await rotating.printed(/Waiting/)
      await rotating.printed(/Waiting/)
      let next: typeof service | undefined
      if (!isFile) {
        // A node with configured keys uses the new one after a restart.
        await service.stop()
        next = await serve(database, after)
        onTestFinished(() => next?.kill())
      }
      const rotated = await rotating
      const status = await command(['keys', 'status', '--database', database, '--json'], after)

      expect([rotated.code, rotated.json?.key.replace(/_.*/, ''), rotated.json?.retired]).toEqual([0, 'k2', ['k1']])
      expect(status.json?.nodes).toHaveLength(1)
      expect(await (next ?? service).stop()).toBe(0)
    },
  )
})

describe.concurrent('a command that is interrupted while it waits', () => {
  it('a command that is interrupted while it waits unregisters, so that the next command sees no node', async ({
    onTestFinished,
  }) => {
    const { database } = await newFile(onTestFinished)
    const service = await serve(database)
    onTestFinished(() => service.kill())
    await command(['keys', 'add', '--database', database])
    const rotating = command(['keys', 'rotate', '--database', database])
    await rotating.printed(/Waiting/)

    rotating.signal('SIGINT')
    const interrupted = await rotating
    await service.stop()
    const status = await command(['keys', 'status', '--database', database, '--json'])

    expect(interrupted.code).toBe(130)
    expect(status.json?.nodes).toEqual([])
  })
})

describe.concurrent('a running `serve` whose key file is deleted', () => {
  it('serve without its key file creates no new key, logs this once, and saves its keys on SIGUSR2', async ({
    onTestFinished,
  }) => {
    const { folder, database } = await newFile(onTestFinished)
    const service = await serve(database)
    onTestFinished(() => service.kill())
    const original = readFileSync(`${database}.keys`, 'utf8')
    rmSync(`${database}.keys`)

    await service.printed(/is missing/)
    const madeAnew = existsSync(`${database}.keys`)
    service.signal('SIGUSR2')
    await service.printed(/keys saved to a new file/)
    const saved = readdirSync(folder).find((name) => name.includes('.keys.saved-')) ?? ''
    await service.stop()
    const refused = await command(['keys', 'status', '--database', database])
    renameSync(join(folder, saved), `${database}.keys`)
    const accepted = await command(['keys', 'status', '--database', database])

    expect(madeAnew).toBe(false)
    expect(readFileSync(`${database}.keys`, 'utf8')).toBe(original)
    expect(statSync(`${database}.keys`).mode & 0o777).toBe(0o600)
    expect(service.stderr().match(/the keys need attention/g)).toHaveLength(1)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('there is no key file')])
    expect(accepted.code).toBe(0)
  })
})
