import { expect, it, onTestFinished } from 'vitest'

import { startFailoverCluster } from '../processes/failover.ts'
import { createChance } from '../service/fuzz/random.ts'

const times = Number(process.env.FAILOVERS ?? 20)
/** The moments of the kills follow from it. */
const seed = Number(process.env.SEED ?? 1)

it(
  `${times} kills of a primary with a synchronous standby lose no acknowledged write, and nothing is accepted twice`,
  { timeout: 60_000 + times * 60_000 },
  async () => {
    const cluster = await startFailoverCluster(60, { fsync: true })
    onTestFinished(cluster.stop)
    const chance = createChance(seed)
    const pauses: number[] = []
    const problems: string[] = []

    for (let round = 0; round < times; round += 1) {
      if (round > 0) await cluster.addStandby()
      const result = await cluster.failOver({
        writes: 1 + chance.number(30),
        delay: chance.number(300),
        hang: chance.maybe(0.5) ? chance.number(1_000) : undefined,
      })
      pauses.push(result.pause)
      problems.push(...result.problems.map((problem) => `kill ${round + 1}: ${problem}`))
    }

    const [median, max] = [pauses.toSorted((a, b) => a - b)[times >> 1], Math.max(...pauses)].map((pause = 0) =>
      (pause / 1000).toFixed(1),
    )
    process.stdout.write(
      `${times} kills of the primary, seed ${seed}: ${cluster.acknowledged()} acknowledged writes, ` +
        `pauses of ${median} s (median) to ${max} s\n`,
    )
    expect(problems).toEqual([])
  },
)
