import { cpus, loadavg } from 'node:os'

import { describe, expect, it, onTestFinished } from 'vitest'

import { startCrowd } from '../support/crowd/crowd.ts'

/** `WAITING_PEOPLE=1000` for a try. */
const people = Number(process.env.WAITING_PEOPLE ?? 10_000)
/** Seconds without any activity: longer than a heartbeat, a held inbox, and a fallback read beside the stream. */
const rest = 60

const percentile = (times: readonly number[], part: number) =>
  ((times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN) / 1000).toFixed(1)

describe(`${people} people who wait at once`, () => {
  it(
    'thousands of waiting people use a tenth of a core, and are all notified of approval within 20 seconds',
    { timeout: 1_200_000 },
    async () => {
      const crowd = await startCrowd({ count: people, inboxes: true })
      onTestFinished(() => crowd.close())
      const { service, webApp } = crowd
      const before = { service: await service.memory(), webApp: await webApp.memory() }
      const gathered = await crowd.gather()
      const after = { service: await service.memory(), webApp: await webApp.memory() }
      const times = () => ({ service: service.processorTime(), webApp: webApp.processorTime() })

      // Waits for the work left over from gathering.
      await new Promise((resolve) => setTimeout(resolve, 5_000))
      const begun = times()
      await new Promise((resolve) => setTimeout(resolve, rest * 1_000))
      const rested = times()
      const outcome = await crowd.approve(180_000)
      const done = times()

      const each = (half: 'service' | 'webApp', kind: 'rss' | 'heapUsed') =>
        `${((after[half][kind] - before[half][kind]) / people / 1024).toFixed(1)} kB`
      const busy = (half: 'service' | 'webApp') => ((rested[half] - begun[half]) / rest) * 100
      const cost = (half: 'service' | 'webApp') => `${(((done[half] - rested[half]) / people) * 1000).toFixed(2)} ms`
      process.stdout.write(
        [
          `${people} people on ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}; gathered in ${gathered.toFixed(0)} s`,
          `memory of each      service ${each('service', 'rss')} resident, ${each('service', 'heapUsed')} heap`,
          `                    web app ${each('webApp', 'rss')} resident, ${each('webApp', 'heapUsed')} heap`,
          `while they wait     service ${busy('service').toFixed(1)} % of a core, web app ${busy('webApp').toFixed(1)} %`,
          `pages told          half within ${percentile(outcome.told, 0.5)} s, all within ${percentile(outcome.told, 1)} s`,
          `people let in       half within ${percentile(outcome.passed, 0.5)} s, all within ${percentile(outcome.passed, 1)} s`,
          `processor for each  service ${cost('service')}, web app ${cost('webApp')}`,
          `made again          ${outcome.reconnected} streams, ${outcome.again} steps`,
        ].join('\n') + '\n',
      )
      expect(outcome.problems).toEqual([])
      expect([outcome.told.length, outcome.passed.length]).toEqual([people, people])
      expect(busy('service') + busy('webApp')).toBeLessThan(10)
      expect(outcome.told.at(-1)).toBeLessThan(20_000)
    },
  )
})
