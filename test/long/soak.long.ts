import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'

import { measurable, measure } from '../support/crowd/measured.ts'
import { createLeapingClock } from '../support/soak/leaping-clock.ts'
import { createPeople } from '../support/soak/people.ts'
import type { Soaked } from '../support/soak/service.ts'

/** `SOAK_MINUTES=30`, as `npm run test:long` has it. */
const minutes = Number(process.env.SOAK_MINUTES ?? 2)
/** Simulated days: everything except the audit trail is kept for at most 90 days. */
const rounds = 60
const days = 3
/** The number of concurrent actions. */
const together = 8
/** So many that the requests that each of them abandons in a round stay within the limits of a user. */
const people = 100 * Math.max(1, minutes)
/** Rounds until code is compiled and caches are full. */
const warm = rounds / 2
/** The first rounds take equally long. Each later one does as much as the median of them, so its database has the same size. */
const timed = 9

/** The sizes of the database in bytes. */
interface Space {
  readonly audit: number
  readonly rest: number
  readonly log: number
}

function spaceOf(database: string): Space {
  const file = new BetterSqlite3(database, { readonly: true, timeout: 5_000 })
  try {
    const pages = file.prepare('select name, sum(pgsize) as size from dbstat group by name').all()
    const tables = pages as readonly { readonly name: string; readonly size: number }[]
    const sum = (subset: typeof tables) => subset.reduce((total, { size }) => total + size, 0)
    const audit = tables.filter(({ name }) => /^(sqlite_autoindex_)?audit/.test(name))
    return { audit: sum(audit), rest: sum(tables) - sum(audit), log: statSync(`${database}-wal`).size }
  } finally {
    file.close()
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`

describe(`a service that works for ${minutes} minutes and ${rounds * days} days`, () => {
  it(
    'a service under load for months of simulated time keeps its memory flat, and its database stops growing',
    { timeout: (3 * minutes + 10) * 60_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'second-factor-soak-'))
      const database = join(folder, 'mfa.sqlite')
      const socket = join(folder, 'probe.sock')
      const child = fork(new URL('../support/soak/service.ts', import.meta.url), [database], {
        env: { ...process.env, NODE_NO_WARNINGS: '1', ...measurable(socket) },
      })
      onTestFinished(async () => {
        child.kill('SIGKILL')
        await once(child, 'exit')
        rmSync(folder, { recursive: true })
      })
      const [soaked] = (await once(child, 'message')) as [Soaked]
      const service = measure(child.pid ?? 0, socket)
      const clock = createLeapingClock()
      const { acts } = await createPeople(soaked, clock, people)
      const done: Record<string, number> = {}
      const problems: string[] = []

      async function work(more: () => boolean): Promise<void> {
        while (more()) {
          for (const [name, act] of Object.entries(acts)) {
            try {
              await act()
              done[name] = (done[name] ?? 0) + 1
            } catch (error) {
              problems.push(`${name}: ${String(error)}`)
            }
          }
        }
      }

      const started = performance.now()
      const heaps: number[] = []
      const resident: number[] = []
      const spaces: Space[] = []
      const counts: number[] = []
      for (let round = 0; round < rounds; round++) {
        const until = performance.now() + (minutes * 60_000) / rounds
        const enough = median(counts.slice(0, timed))
        let count = 0
        const more = () => {
          const goesOn = round < timed ? performance.now() < until : count < enough
          if (goesOn) count++
          return goesOn
        }
        await Promise.all(Array.from({ length: together }, () => work(more)))
        counts.push(count)
        child.send(days * 24 * 3600)
        await once(child, 'message')
        clock.leap(days * 24 * 3600)
        // Expired rows are swept before the next round starts.
        await expect.poll(() => swept(database, clock.now())).toBe(true)
        const memory = await service.memory()
        heaps.push(memory.heapUsed)
        resident.push(memory.rss)
        spaces.push(spaceOf(database))
      }

      const half = (values: readonly number[]) => [
        median(values.slice(warm, warm * 1.5)),
        median(values.slice(warm * 1.5)),
      ]
      const [heapBefore = 0, heapAfter = 0] = half(heaps)
      const [residentBefore = 0, residentAfter = 0] = half(resident)
      const [before = 0, after = 0] = half(spaces.map(({ rest }) => rest))
      const total = Object.values(done).reduce((sum, count) => sum + count, 0)
      process.stdout.write(
        [
          `${JSON.stringify(done)}; ${(service.processorTime() / ((performance.now() - started) / 1000)).toFixed(2)} of a core`,
          `heap ${megabytes(heapBefore)}, then ${megabytes(heapAfter)}`,
          `resident ${megabytes(residentBefore)}, then ${megabytes(residentAfter)}`,
          `database without its audit trail ${megabytes(before)}, then ${megabytes(after)}`,
          `audit trail ${((spaces.at(-1)?.audit ?? 0) / total).toFixed(0)} bytes for each of these`,
          `log of changes ${megabytes(Math.max(...spaces.map(({ log }) => log)))} at most`,
        ].join('\n') + '\n',
      )
      expect(problems).toEqual([])
      expect(heapAfter).toBeLessThan(heapBefore * 1.05 + 2 ** 20)
      // V8 reserves up to 128 MB for new objects, and keeps them.
      expect(residentAfter).toBeLessThan(residentBefore * 1.05 + 2 ** 22)
      expect(after).toBeLessThan(before * 1.1)
      // A checkpoint starts after 4,000 pages of 4 kB. A read delays it, and a large transaction is written before it.
      expect(Math.max(...spaces.map(({ log }) => log))).toBeLessThan(24 * 2 ** 20)
    },
  )
})

/** Whether no request is still pending that expired long ago. */
function swept(database: string, now: number): boolean {
  const file = new BetterSqlite3(database, { readonly: true, timeout: 5_000 })
  try {
    const expiredSessions = file
      .prepare("select count(*) from session where state = 'pending' and expires_at < ?")
      .pluck()
    const expiredCalls = file.prepare('select count(*) from device_call where expires_at < ?').pluck()
    return expiredSessions.get(now - 3600) === 0 && expiredCalls.get(now - 3600) === 0
  } finally {
    file.close()
  }
}
