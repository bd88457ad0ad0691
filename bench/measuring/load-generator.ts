/** Puts a load on a contender. Its own process, so that its work does not count as the contender's. */
import { on } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

import type { Load, RoundOrder, Sample } from './load.ts'
import { timeOf, timeWithChildren } from './processor-time.ts'
import { median } from '../spread.ts'

process.once('disconnect', () => process.exit())
const messages = on(process, 'message')
const next = async <T>(): Promise<T> => ((await messages.next()).value as [T])[0]

const module = (await import(`../loads/${process.argv[2]}.ts`)) as { createLoad(options: object): Promise<Load> }
const load = await module.createLoad(await next<object>())
process.send?.(load.facts ?? {})
for (;;) process.send?.(await round(await next<RoundOrder>()))

async function round({ milliseconds, atATime, rate = Infinity, counted }: RoundOrder): Promise<Sample> {
  const latencies: number[] = []
  const names = Object.keys(counted)
  const times = () => names.map((name) => (counted[name] ? timeOfCounted(counted[name]) : 0))
  const spent = names.map(() => 0)
  let took = 0
  while (took < milliseconds) {
    await load.nextPass?.()
    const before = times()
    const start = performance.now()
    const isOver = () => took + performance.now() - start >= milliseconds
    let index = 0
    const work = async () => {
      while (index < load.size && !isOver()) {
        const unit = index++
        await untilTime(start + (unit * 1000) / rate)
        const startTime = performance.now()
        await load.unit(unit)
        latencies.push(performance.now() - startTime)
      }
    }
    await Promise.all(Array.from({ length: atATime }, work))
    took += performance.now() - start
    for (const [process, after] of times().entries())
      spent[process] = (spent[process] ?? 0) + after - (before[process] ?? 0)
  }
  const done = latencies.length
  return {
    perSecond: done / (took / 1000),
    latency: median(latencies),
    cpu: Object.fromEntries(names.map((name, index) => [name, (spent[index] ?? 0) / done])),
  }
}

/** @param time As `performance.now()`. */
async function untilTime(time: number): Promise<void> {
  const left = time - performance.now()
  if (left > 0) await pause(left)
}

function timeOfCounted({ pid, withChildren }: RoundOrder['counted'][string]): number {
  return withChildren ? timeWithChildren(pid) : timeOf(pid)
}
