import { hash } from 'node:crypto'

import type { SessionReason, SessionState } from '../../../contract/sessions.ts'
import { latestBeginning, notAfter } from '../../engine/base/present.ts'
import { randomBelow } from '../../engine/base/random.ts'
import type { Random } from '../../engine/base/random.ts'

/** How long a settled session can be read, seconds. */
export const readableFor = 24 * 60 * 60

/** How long an approval can be redeemed, seconds. */
export const redeemableFor = 10 * 60

/** How long a session that ended without an answer can be reported, seconds. */
export const reportableFor = 10 * 60

interface TimedSession {
  readonly state: SessionState
  readonly reason: SessionReason | null
  readonly createdAt: number
  readonly expiresAt: number
  readonly settledAt: number | null
}

/**
 * The session's current state. A session that is stored as pending has expired once its time is over, or if it is dated in
 * the future.
 */
export function atTime<S extends TimedSession>(session: S, now: number): S {
  const hasBegun = session.createdAt <= latestBeginning(now)
  if (session.state !== 'pending' || (hasBegun && session.expiresAt > now)) return session
  return { ...session, state: 'expired', reason: 'timeout', settledAt: notAfter(session.expiresAt, now) }
}

/**
 * Whether the person can still report a session that ended without an answer. An attacker who holds the web session ends the
 * request that the person is about to report, and leaves others open.
 * @param session As `atTime` says it.
 */
export function isReportable(
  session: TimedSession & { readonly answeredDecision: string | null },
  now: number,
): boolean {
  const { state, settledAt, answeredDecision } = session
  const endedAlone = (state === 'cancelled' || state === 'expired') && answeredDecision === null
  return endedAlone && settledAt !== null && settledAt + reportableFor > now
}

export function isReadable(session: Pick<TimedSession, 'settledAt'>, now: number): boolean {
  return session.settledAt === null || session.settledAt + readableFor > now
}

/** How the secret of a scanned code is stored. A fast hash is enough: 128 random bits cannot be guessed. */
export const scanHashOf = (secret: string): string => hash('sha256', secret, 'base64url')

/**
 * Two digits for the user to type, different from those of the user's other pending sessions: typing one of those would approve
 * the wrong session.
 * @returns undefined if all numbers are in use.
 */
export function newMatchingNumber(random: Random, inUse: ReadonlySet<string>): string | undefined {
  const free = Array.from({ length: 90 }, (_, index) => String(10 + index)).filter((number) => !inUse.has(number))
  return free.length === 0 ? undefined : free[randomBelow(random, free.length)]
}
