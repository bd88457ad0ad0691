import { notAfter } from '../../engine/base/present.ts'

/**
 * How often a user who does not approve is asked (OWASP ASVS 5.0 6.6.4): an attacker who knows the password must not be able
 * to ask until the user gives in. Times in seconds.
 */
export const pushLimits = {
  short: { limit: 5, window: 10 * 60 },
  long: { limit: 15, window: 24 * 60 * 60 },
  /** The pause after "This was not me". */
  afterReport: { limit: 1, window: 15 * 60 },
} as const

export const maxPendingPushes = 3

/** If nothing shows that a password was entered first, the network of the request is limited too; seconds. */
export const networkWindow = 10 * 60

/** A user who was sent a request from a network. */
export interface AskedUser {
  /** Unix time, seconds. */
  readonly lastAskedAt: number
  readonly approved: boolean
}

/**
 * Whether a network may send another request: no longer after more than `limit` different users of whom fewer than half
 * approved, which looks like an attack on strangers and not like an office.
 *
 * @returns 0, or the seconds until enough of these requests are too old to count.
 */
export function networkWait(pushedUsers: readonly AskedUser[], limit: number, now: number): number {
  const approved = pushedUsers.filter((user) => user.approved).length
  if (pushedUsers.length <= limit || approved * 2 >= pushedUsers.length) return 0
  const times = pushedUsers.map((user) => notAfter(user.lastAskedAt, now)).sort((a, b) => a - b)
  return Math.max(1, (times[pushedUsers.length - limit - 1] ?? now) + networkWindow - now)
}
