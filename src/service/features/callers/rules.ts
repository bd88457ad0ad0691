import { callOutcomeStands } from '../../../contract/phone-calls.ts'
import type { CallState } from '../../../contract/phone-calls.ts'
import { latestBeginning, notAfter } from '../../engine/base/present.ts'

/** How often a person can be asked, and how often an administrator can ask; seconds. Apart from the limits of sign-ins. */
export const callLimits = Object.freeze({
  short: { limit: 2, window: 10 * 60 },
  long: { limit: 5, window: 24 * 60 * 60 },
  administrator: { limit: 30, window: 24 * 60 * 60 },
})

interface TimedCall {
  readonly state: CallState
  readonly createdAt: number
  readonly expiresAt: number
  readonly settledAt: number | null
}

/** The current state of a question. One that is stored as pending has expired once its time is over, or if it is in the future. */
export function callAtTime<C extends TimedCall>(call: C, now: number): C {
  const hasBegun = call.createdAt <= latestBeginning(now)
  if (call.state !== 'pending' || (hasBegun && call.expiresAt > now)) return call
  return { ...call, state: 'expired', settledAt: notAfter(call.expiresAt, now) }
}

/** The time until which an outcome stands; null while it is pending. */
export const standsUntil = ({ settledAt }: Pick<TimedCall, 'settledAt'>): number | null =>
  settledAt === null ? null : settledAt + callOutcomeStands
