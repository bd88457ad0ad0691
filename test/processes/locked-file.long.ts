import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { run } from '../cli/admin/run-command.ts'
import { createCall, newUser } from '../service/start-service.ts'
import { serve } from './command.ts'
import type { Served } from './command.ts'

const holder = fileURLToPath(new URL('lock-holder.ts', import.meta.url))

describe('a running `serve` whose SQLite file another process keeps locked', () => {
  let folder: string
  let database: string
  let service: Served
  let call: ReturnType<typeof createCall>

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-locked-'))
    database = join(folder, 'mfa.sqlite')
    const { apiKey } = (await run('init', '--database', database, '--json')).json
    service = await serve(database)
    call = createCall(service.origin, apiKey)
  })
  afterAll(() => {
    service?.kill()
    rmSync(folder, { recursive: true })
  })

  /** @returns a function that releases the lock, and resolves when it is released. */
  async function lock(): Promise<() => Promise<void>> {
    const child = spawn(process.execPath, [holder, database], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const exited = once(child, 'exit')
    await once(child.stdout, 'data')
    return async () => {
      child.stdin.end()
      await exited
    }
  }

  const write = (username: string, signal?: AbortSignal) =>
    call('POST', '/users', { body: newUser(username), ...(signal && { signal }) })
  const usernames = async (): Promise<string[]> =>
    (await call('GET', '/users')).json.map((user: { username: string }) => user.username)
  const readiness = async () => (await fetch(`${service.origin}/readyz`)).status
  const timed = async <T>(operation: Promise<T>): Promise<{ value: T; took: number }> => {
    const begun = performance.now()
    const value = await operation
    return { value, took: performance.now() - begun }
  }

  it('serve with a locked SQLite file answers reads, rejects changes after 2 seconds, and accepts them again afterwards', async () => {
    const release = await lock()

    const changes = Promise.all(Array.from({ length: 20 }, (_, number) => timed(write(`locked-${number}`))))
    const refusing = new AbortController()
    void changes.finally(() => refusing.abort())
    const reads: { value: { status: number }; took: number }[] = []
    while (!refusing.signal.aborted) {
      reads.push(await timed(call('GET', '/users')))
      await pause(20)
    }
    const refused = await changes
    const during = await readiness()
    await release()
    const after = await timed(write('afterwards'))

    expect(new Set(reads.map(({ value }) => value.status))).toEqual(new Set([200]))
    expect(reads.length).toBeGreaterThan(20)
    expect(Math.max(...reads.map(({ took }) => took))).toBeLessThan(1_500)
    const answers = refused.map(({ value }) => [value.status, value.code, value.headers.get('retry-after')])
    expect(answers).toEqual(answers.map(() => [503, 'api.error.unavailable', '1']))
    expect(Math.min(...refused.map(({ took }) => took))).toBeGreaterThan(1_900)
    expect(Math.max(...refused.map(({ took }) => took))).toBeLessThan(10_000)
    expect([after.value.status, after.took < 10_000]).toEqual([200, true])
    expect([during, await readiness()]).toEqual([503, 200])
    expect(await usernames()).toEqual(['afterwards'])
  })

  it('serve with a locked SQLite file executes nothing for callers that have disconnected', async () => {
    const release = await lock()
    const leaving = new AbortController()
    const abandonedWrites = Array.from({ length: 10 }, (_, number) =>
      write(`left-${number}`, leaving.signal).catch(() => 'left'),
    )
    const completedWrite = write('stayed')
    // The service reads requests in order of arrival, so it has received the earlier ones by now.
    await call('GET', '/users')
    await call('GET', '/users')

    leaving.abort()
    await Promise.all(abandonedWrites)
    await call('GET', '/users')
    await release()

    expect((await completedWrite).status).toBe(200)
    expect((await usernames()).filter((username) => username !== 'afterwards')).toEqual(['stayed'])
  })
})
