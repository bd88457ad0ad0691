import { notAfter } from './present.ts'

/**
 * How often a person is asked who does not approve (OWASP ASVS 5.0 6.6.4): somebody who knows the password must not be
 * able to ask until they give in. Times in seconds.
 */
export const pushLimits = {
  short: { limit: 5, window: 10 * 60 },
  long: { limit: 15, window: 24 * 60 * 60 },
  /** After "this was not me". */
  afterReport: { limit: 1, window: 15 * 60 },
} as const

export const mostPendingPushes = 3

/** Where nothing says that a password came first, the address that asks is looked at as well; seconds. */
export const networkWindow = 10 * 60

/** A user who was asked from a network. */
export interface AskedUser {
  /** Unix time, seconds. */
  readonly lastAskedAt: number
  readonly approved: boolean
}

/**
 * Whether a network may ask yet another time: it may not once it has asked more than `limit` different users and fewer
 * than half of those approved, which is what asking strangers looks like, and not what an office does.
 *
 * @returns 0, or the seconds until enough of them are too long ago to count.
 */
export function networkWait(asked: readonly AskedUser[], limit: number, now: number): number {
  const approved = asked.filter((user) => user.approved).length
  if (asked.length <= limit || approved * 2 >= asked.length) return 0
  const times = asked.map((user) => notAfter(user.lastAskedAt, now)).sort((a, b) => a - b)
  return Math.max(1, (times[asked.length - limit - 1] ?? now) + networkWindow - now)
}
