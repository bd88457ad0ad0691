import { fileURLToPath } from 'node:url'

import { interleave } from '../measuring/interleave.ts'
import type { Entry, Measured } from '../measuring/interleave.ts'
import { startLoad } from '../measuring/load.ts'
import { cpu, figure, latency, lineOf, perSecond } from '../row.ts'
import type { Row } from '../row.ts'
import { median } from '../spread.ts'
import { sqliteFile, startService } from './start-service.ts'

/** What a COMMIT takes more, milliseconds: about as on a disk of a cloud, and on a hard disk or a busy network disk. */
const delays = [1, 5] as const
const concurrencies = [1, 8, 32] as const
const kinds = [
  { kind: 'code', load: 'rest-code' },
  { kind: 'push', load: 'push' },
] as const

const slowCommits = fileURLToPath(new URL('../contenders/slow-commits.ts', import.meta.url))

export const slowDisk: Row = {
  name: 'slow-disk',
  title: 'Slow disks',
  work:
    'Codes and complete pushes, 1, 8 and 32 at a time, at services with a SQLite file on a disk that takes 1 and 5 ms more for each COMMIT. The disk is not real: the process of the service waits after each ' +
    'COMMIT that has changed something, as it would wait for `fsync`, and does nothing else meanwhile. Checkpoints do not wait. There is no peer.',
  columns: [perSecond, cpu, latency],
  chart: 'perSecond',
  async measure(run) {
    const entries: Entry[] = []
    const services = []
    for (const delay of delays) {
      const execArgv = ['--import', slowCommits]
      const service = await startService(sqliteFile(run.folder, `slow-${delay}`), {
        execArgv,
        env: { SLOW_COMMIT: String(delay) },
      })
      services.push(service)
      for (const { kind, load: name } of kinds) {
        const load = await startLoad(name, service.given)
        for (const atATime of concurrencies) {
          const words = `${kind}, ${delay} ms more, ${atATime} at a time`
          entries.push({ name: words, ours: true, load, counted: { contender: service }, atATime })
        }
      }
    }
    // Waiting varies less than processor time.
    const measured = await interleave(entries, { ...run, rounds: Math.min(run.rounds, 3) })
    for (const load of new Set(entries.map((entry) => entry.load))) load.stop()
    for (const service of services) await service.stop()
    const perSecondOf = (way: Measured | undefined) => median(way?.samples.map((sample) => sample.perSecond) ?? [])
    return {
      lines: measured.map(lineOf),
      goals: [],
      findings: delays.flatMap((delay, delayIndex) =>
        kinds.map(({ kind }, kindIndex) => {
          const first = (delayIndex * kinds.length + kindIndex) * concurrencies.length
          const [alone, , many] = measured.slice(first, first + concurrencies.length)
          const times = figure(perSecondOf(many) / perSecondOf(alone))
          const noun = kind === 'code' ? 'codes' : 'pushes'
          return `With ${delay} ms more for each COMMIT, ${concurrencies.at(-1)} ${noun} at a time are ${times} times as many a second as one at a time, because concurrent transactions share a COMMIT.`
        }),
      ),
    }
  },
}
