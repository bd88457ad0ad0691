import { randomBelow } from './random.ts'
import type { Random } from './random.ts'

const smallest = 10
const count = 90

/**
 * Two digits for the person to type. None that another pending session of the person has: typing it would approve that one.
 * @returns nothing where all are in use.
 */
export function newMatchingNumber(random: Random, inUse: ReadonlySet<string>): string | undefined {
  const free = Array.from({ length: count }, (_, index) => String(smallest + index)).filter(
    (number) => !inUse.has(number),
  )
  return free.length === 0 ? undefined : free[randomBelow(random, free.length)]
}
