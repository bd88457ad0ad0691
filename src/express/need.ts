import { z } from 'zod'

import { longestVerified } from '../challenge/challenge.ts'
import { Factor } from '../contract/users.ts'

const Need = z.strictObject({
  /** How long ago the second step may have been passed, seconds. */
  maxAge: z.int().min(1).optional(),
  /** What it may have been passed with. */
  factors: z.array(Factor).min(1).optional(),
})

/** What a route wants of the second step. */
export type Need = Readonly<z.input<typeof Need>>

/**
 * @param caller whose options these are.
 * @throws {TypeError} on unknown options; {RangeError} when maxAge is over 43,200 s.
 */
export function readNeed(caller: string, given: Need): Need {
  const parsed = Need.safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new TypeError(`${caller}: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')}`)
  }
  const { maxAge } = parsed.data
  if (maxAge !== undefined && maxAge > longestVerified) {
    throw new RangeError(
      `${caller}: maxAge is in seconds, at most ${longestVerified}; was ${maxAge} meant as milliseconds?`,
    )
  }
  return Object.freeze(parsed.data)
}
