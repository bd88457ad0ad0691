import type { SessionReason, SessionState } from '../../contract/sessions.ts'
import { latestBeginning, notAfter } from './present.ts'

/** How long a settled session can be read, seconds. */
export const readableFor = 24 * 60 * 60

/** How long an approval can be redeemed, seconds. */
export const redeemableFor = 10 * 60

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
  const begun = session.createdAt <= latestBeginning(now)
  if (session.state !== 'pending' || (begun && session.expiresAt > now)) return session
  return { ...session, state: 'expired', reason: 'timeout', settledAt: notAfter(session.expiresAt, now) }
}

export function isReadable(session: Pick<TimedSession, 'settledAt'>, now: number): boolean {
  return session.settledAt === null || session.settledAt + readableFor > now
}
