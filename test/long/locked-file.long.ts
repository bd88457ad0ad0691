import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { median } from '../../bench/spread.ts'
import { build } from '../../scripts/build.ts'
import { command, serve } from '../processes/command.ts'
import { createCall, newUser } from '../service/start-service.ts'

const holder = fileURLToPath(new URL('../processes/lock-holder.ts', import.meta.url))
/** Seconds; and how often something is asked meanwhile, milliseconds. */
const lockTime = 30
const interval = 300

describe('a SQLite file that another process keeps locked for 30 seconds', () => {
  beforeAll(async () => void (await build({ types: false })))

  it('a SQLite file locked for 30 seconds delays no read by a second, and no change by more than three', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-locked-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const database = join(folder, 'mfa.sqlite')
    const { apiKey } = (await command(['init', '--database', database, '--json'])).json
    const service = await serve(database)
    onTestFinished(service.kill)
    const call = createCall(service.origin, apiKey)
    const timed = async (method: string, path: string, body?: object) => {
      const begun = performance.now()
      const { status } = await call(method, path, { body })
      return { status, took: performance.now() - begun }
    }
    const other = spawn(process.execPath, [holder, database], { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void other.kill('SIGKILL'))
    const exited = once(other, 'exit')
    await once(other.stdout, 'data')

    const calls: { reads: ReturnType<typeof timed>[]; changes: ReturnType<typeof timed>[] } = { reads: [], changes: [] }
    const end = performance.now() + lockTime * 1000
    for (let number = 0; performance.now() < end; number += 1) {
      calls.reads.push(timed('GET', '/users'))
      if (number % 3 === 0) calls.changes.push(timed('POST', '/users', newUser(`locked-${number}`)))
      await new Promise((resolve) => void setTimeout(resolve, interval))
    }
    // Requests sent in the last seconds may still be waiting for the lock.
    const [reads, refused] = [await Promise.all(calls.reads), await Promise.all(calls.changes)]
    other.stdin.end()
    await exited
    const after = await timed('POST', '/users', newUser('after'))

    const times = (answers: readonly { took: number }[]) => answers.map(({ took }) => Math.round(took))
    const [readTimes, refusalTimes] = [times(reads), times(refused)]
    // oxlint-disable-next-line no-console -- the figures of docs/guarantees.md
    console.log(
      `${reads.length} reads: median ${median(readTimes)} ms, at most ${Math.max(...readTimes)} ms; ` +
        `${refused.length} changes refused: median ${median(refusalTimes)} ms, at most ${Math.max(...refusalTimes)} ms`,
    )
    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]))
    expect(Math.max(...readTimes)).toBeLessThan(1_000)
    expect(Math.max(...refusalTimes)).toBeLessThan(3_000)
    expect([after.status, after.took < 1_000]).toEqual([200, true])
  })
})
