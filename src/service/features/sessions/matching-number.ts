import { randomBelow } from '../../engine/base/random.ts'
import type { Random } from '../../engine/base/random.ts'

/**
 * Two digits for the user to type, different from those of the user's other pending sessions: typing one of those would approve
 * the wrong session.
 * @returns undefined if all numbers are in use.
 */
export function newMatchingNumber(random: Random, inUse: ReadonlySet<string>): string | undefined {
  const free = Array.from({ length: 90 }, (_, index) => String(10 + index)).filter((number) => !inUse.has(number))
  return free.length === 0 ? undefined : free[randomBelow(random, free.length)]
}
