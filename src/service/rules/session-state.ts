import type { Session } from '../../contract/sessions.ts'
import type { SessionRow } from '../store/sessions.ts'
import { latestBeginning, notAfter } from './present.ts'

/** How long a domain lets people think, at most, seconds (OWASP ASVS 5.0 6.5.5). */
export const maxRequestTimeout = 600

/** How long a settled session can be read, seconds. */
export const readableFor = 24 * 60 * 60

/** How long an approval can be redeemed, seconds. */
export const redeemableFor = 10 * 60

/** The session as it is now: whatever the database still says, a pending one ends with its time, or is from the future. */
export function atTime(session: SessionRow, now: number): SessionRow {
  const begun = session.createdAt <= latestBeginning(now)
  if (session.state !== 'pending' || (begun && session.expiresAt > now)) return session
  return { ...session, state: 'expired', reason: 'timeout', settledAt: notAfter(session.expiresAt, now) }
}

export function isReadable(session: SessionRow, now: number): boolean {
  return session.settledAt === null || session.settledAt + readableFor > now
}

export function sessionView(session: SessionRow): Session {
  return {
    id: session.id,
    state: session.state,
    reason: session.reason ?? undefined,
    factor: session.factor ?? undefined,
    factorId: session.factorId ?? undefined,
    purpose: session.purpose,
    // Once it is settled nobody has to type it any more.
    number: session.state === 'pending' ? (session.number ?? undefined) : undefined,
    createdAt: session.createdAt,
    expiresAt: session.expiresAt,
    settledAt: session.settledAt ?? undefined,
  }
}
