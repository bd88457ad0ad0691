import { isSameText } from '../../../ground/same-text.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import { codesOf, reachSizes } from './totp.ts'
import type { Codes, Reach } from './totp.ts'

/**
 * How many counters are accepted, beginning with the next one (RFC 4226 section 7.4): each press without a sign-in skips one. Ten is a
 * common default of servers. A guess is right ten times in a million, and an attacker has at most 100 guesses for a user.
 */
const lookAhead = 10
/** The same where an administrator enters two codes, which nobody guesses. It is a common default, too. */
const administratorLookAhead = 1_000
/** How long the first of two consecutive codes counts, seconds: long enough to press again and type the second. */
const maxTimeBetween = 300

/** A counter-based source of codes (RFC 4226), and what is remembered of its codes. */
export interface CounterSource extends Codes {
  /** The next counter that is accepted: those before it are used up. */
  readonly counter: number
  /** The last counter that was seen beyond those that are accepted, and when. */
  readonly seenCounter: number | null
  readonly seenAt: number | null
}

export type CounterVerdict =
  | { readonly outcome: 'accepted'; readonly next: number }
  /** Denied. If the next code follows, the token was pressed so often. */
  | { readonly outcome: 'seen'; readonly counter: number }
  | { readonly outcome: 'wrong' }

/**
 * Judges a code by the counters in reach. They are as many as the steps of a time-based source, so that timing does not tell which kind
 * a user has, and a wrong code costs no more. So two consecutive codes resynchronize a token that is up to 20 codes ahead.
 */
export function judgeCounter(reach: Reach, source: CounterSource, code: string, now: number): CounterVerdict {
  const counter = matchingCounter(source, code, reach)
  if (counter === undefined) return { outcome: 'wrong' }
  return counter < source.counter + lookAhead || follows(source, counter, now)
    ? { outcome: 'accepted', next: counter + 1 }
    : { outcome: 'seen', counter }
}

/** The first counter in reach with this code. Computes all of them, so that timing does not tell which one it is. */
function matchingCounter(source: CounterSource, code: string, reach: Reach): number | undefined {
  const codeOf = codesOf(source)
  const start = source.counter + (reach === 'near' ? 0 : reachSizes.near)
  const counters = Array.from({ length: reachSizes[reach] }, (_, index) => start + index)
  return counters.filter((counter) => isSameText(codeOf(counter), code))[0]
}

function follows({ seenCounter, seenAt }: CounterSource, counter: number, now: number): boolean {
  if (seenCounter === null || seenAt === null || counter !== seenCounter + 1) return false
  return now - seenAt <= maxTimeBetween && seenAt <= latestBeginning(now)
}

/** The counter behind two consecutive codes that an administrator reads from the token. Used ones do not count. */
export function resynchronizedCounter(
  source: Codes & Pick<CounterSource, 'counter'>,
  [first, second]: readonly [string, string],
): number | undefined {
  const codeOf = codesOf(source)
  for (let counter = source.counter; counter < source.counter + administratorLookAhead; counter += 1) {
    if (isSameText(codeOf(counter), first) && isSameText(codeOf(counter + 1), second)) return counter + 2
  }
  return undefined
}
