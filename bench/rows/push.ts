import { interleave } from '../measuring/interleave.ts'
import { startLoad } from '../measuring/load.ts'
import { cpu, latency, lineOf, perSecond } from '../row.ts'
import { median } from '../spread.ts'
import type { Row } from '../row.ts'
import { sqliteFile, startService } from './start-service.ts'

export const push: Row = {
  name: 'push',
  title: 'A complete push',
  work:
    'Eight users at a time, and then 32, are asked, read the request on their device, type its number and approve with a signature, and the app reads and redeems the approval. ' +
    'These are five calls, three of which commit to the SQLite file. It is compared with one code at the same service.',
  columns: [perSecond, cpu, latency],
  chart: 'cpu',
  lowerIsBetter: true,
  async measure(run) {
    const service = await startService(sqliteFile(run.folder, 'push'))
    const pushes = await startLoad('push', service.given)
    const codes = await startLoad('rest-code', service.given)
    const countedProcesses = { contender: service }
    const entries = (atATime: number) => [
      {
        name: `second-factor, push, ${atATime} at a time`,
        ours: true,
        load: pushes,
        counted: countedProcesses,
        atATime,
      },
      { name: `second-factor, code, ${atATime}`, load: codes, counted: countedProcesses, atATime },
    ]
    const measured = await interleave([...entries(8), ...entries(32)], run)
    for (const load of [pushes, codes]) load.stop()
    await service.stop()
    return {
      lines: measured.map(lineOf),
      goals: [
        {
          figure: 'complete pushes a second on SQLite',
          value: median(measured[0]?.samples.map((sample) => sample.perSecond) ?? []),
          reach: 700,
          rest:
            'A push is five requests with 42 statements, three commits and two checks of a signature. 700 a second would be 1.4 ms each for the service if it ' +
            'had a core of its own, and the devices sign on the same two cores. Tried, with gain: transactions that wait until no further one comes before they ' +
            'begin (20 % more); the pages of savepoints in memory instead of a temporary file (a seventh less processor time); paths compared by segment instead ' +
            'of by a regular expression each; and, together 15 % less: the same as for codes, and a device protocol without a router. Tried before: Node’s own ' +
            'check of signatures, which takes half of the time of WebCrypto.',
        },
      ],
      findings: [
        'The devices sign on the same machine, in the process of the clients. The processor time is that of the service alone.',
      ],
    }
  },
}
