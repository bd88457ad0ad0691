import { addDevices } from '../../test/support/crowd/devices.ts'
import { interleave } from '../measuring/interleave.ts'
import { startLoad } from '../measuring/load.ts'
import { cpu, latency, lineOf, perSecond, ratio } from '../row.ts'
import type { Row } from '../row.ts'
import { sqliteFile, startService } from './start-service.ts'

export const users: Row = {
  name: 'users',
  title: 'Sign-ins with many users',
  work:
    'Codes of users who are named by their user name, over REST, at services whose SQLite file has 1,000 and 100,000 users with a device each ' +
    '(and 1,000,000 with `--long`). It is flat if the time does not depend on the number of users.',
  columns: [perSecond, cpu, latency],
  chart: 'cpu',
  lowerIsBetter: true,
  async measure(run) {
    const entries = []
    for (const count of [1_000, 100_000, ...(run.long ? [1_000_000] : [])]) {
      const service = await startService(sqliteFile(run.folder, `users-${count}`))
      await addDevices(service.given.database, service.given.domainId, count)
      const load = await startLoad('rest-code', service.given)
      const name = `${count.toLocaleString('en-US')} users`
      entries.push({ name, ours: true, load, counted: { contender: service }, service })
    }
    const measured = await interleave(entries, run)
    for (const { load, service } of entries) {
      load.stop()
      await service.stop()
    }
    const grown = ratio(measured.at(-1), measured[0], (sample) => sample.cpu['contender'] ?? Number.NaN)
    return {
      lines: measured.map(lineOf),
      goals: [
        {
          figure: 'processor time of a code with many users, compared with few',
          value: grown,
          reach: 1.15,
          atMost: true,
          unit: 'times',
        },
      ],
      findings: [
        `With ${measured.at(-1)?.name}, a code needs ${grown.toFixed(2)} times the processor time that it needs with ${measured[0]?.name}.`,
      ],
    }
  },
}
