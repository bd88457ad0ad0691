/** Puts a load on a contender. Its own process, so that its work does not count as the contender's. */
import { on } from 'node:events'

import type { Load, RoundOrder, Sample } from './load.ts'
import { timeOf, timeWithChildren } from './processor-time.ts'
import { median } from '../spread.ts'

process.once('disconnect', () => process.exit())
const messages = on(process, 'message')
const next = async <T>(): Promise<T> => ((await messages.next()).value as [T])[0]

const module = (await import(`../loads/${process.argv[2]}.ts`)) as { createLoad(given: object): Promise<Load> }
const load = await module.createLoad(await next<object>())
process.send?.(load.facts ?? {})
for (;;) process.send?.(await round(await next<RoundOrder>()))

async function round({ milliseconds, atATime, counted }: RoundOrder): Promise<Sample> {
  const latencies: number[] = []
  const names = Object.keys(counted)
  const times = () => names.map((name) => (counted[name] ? timeOfCounted(counted[name]) : 0))
  const before = times()
  const start = performance.now()
  const isOver = () => performance.now() - start >= milliseconds
  while (!isOver()) {
    await load.nextPass?.()
    let index = 0
    const work = async () => {
      while (index < load.size && !isOver()) {
        const begun = performance.now()
        await load.unit(index++)
        latencies.push(performance.now() - begun)
      }
    }
    await Promise.all(Array.from({ length: atATime }, work))
  }
  const took = performance.now() - start
  const after = times()
  const done = latencies.length
  return {
    perSecond: done / (took / 1000),
    latency: median(latencies),
    cpu: Object.fromEntries(names.map((name, index) => [name, ((after[index] ?? 0) - (before[index] ?? 0)) / done])),
  }
}

function timeOfCounted({ pid, withChildren }: RoundOrder['counted'][string]): number {
  return withChildren ? timeWithChildren(pid) : timeOf(pid)
}
