import { z } from 'zod'

import { longestVerified } from '../challenge/challenge.ts'
import { Factor } from '../contract/users.ts'
import { parseOptions } from '../contract/validate.ts'

const Need = z.strictObject({
  /** How long ago the second step may have been passed, seconds. */
  maxAge: z.int().min(1).optional(),
  /** What it may have been passed with. */
  factors: z.array(Factor).min(1).optional(),
})

/** What a route wants of the second step. */
export type Need = Readonly<Omit<z.input<typeof Need>, 'factors'>> & {
  readonly factors?: readonly Factor[] | undefined
}

/**
 * @param caller whose options these are.
 * @throws {TypeError} on unknown options; {RangeError} when maxAge is over 43,200 s.
 */
export function readNeed(caller: string, given: Need): Need {
  const need = parseOptions(Need, caller, given)
  const { maxAge } = need
  if (maxAge !== undefined && maxAge > longestVerified) {
    throw new RangeError(
      `${caller}: maxAge is in seconds, at most ${longestVerified}; was ${maxAge} meant as milliseconds?`,
    )
  }
  return need
}
