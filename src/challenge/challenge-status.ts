import type { Challenge } from './challenge.ts'
import type { Session, SessionReason } from '../contract/sessions.ts'

/** Where a challenge stands; what its page shows. */
export type ChallengeStatus =
  /** The device was asked. `number` is to be typed there. Times in Unix seconds. */
  | {
      readonly kind: 'waiting'
      readonly number: string | undefined
      readonly createdAt: number
      /** Undefined where the service does not say. */
      readonly expiresAt: number | undefined
    }
  /** The device said yes; the web session may now be verified. */
  | { readonly kind: 'approved' }
  | {
      readonly kind: 'ended'
      readonly reason: SessionReason
      /** How long the device was asked, seconds, where that is what ended it. */
      readonly lasted?: number | undefined
    }
  /** Nothing was ever enrolled: this code sets up the authenticator. */
  | { readonly kind: 'enrolling'; readonly code: string }
  /** Nothing was ever enrolled, and only an activation code of an administrator may change that. */
  | { readonly kind: 'code_needed' }
  /** There is no device now, and only an administrator may allow a new one. */
  | { readonly kind: 'no_device' }
  /** The service does not know the user, or not in this domain. */
  | { readonly kind: 'no_member' }
  /** The service knows a name that could be mistaken for this one; why, for the log. */
  | { readonly kind: 'similar_name'; readonly reason: string }
  /** The device was asked too often; when it may be asked again, Unix seconds. */
  | { readonly kind: 'throttled'; readonly until: number }

/** @param challenge knows what a 1.3 service does not say. */
export function statusOf(session: Session, challenge: Pick<Challenge, 'askedAt'>): ChallengeStatus {
  if (session.state === 'approved') return { kind: 'approved' }
  if (session.state !== 'pending') return endOf(session)
  return {
    kind: 'waiting',
    number: session.number,
    createdAt: session.createdAt ?? challenge.askedAt ?? 0,
    expiresAt: session.expiresAt,
  }
}

function endOf({ reason = 'user_denied', createdAt, expiresAt }: Session): ChallengeStatus {
  if (reason !== 'timeout' || createdAt === undefined || expiresAt === undefined) return { kind: 'ended', reason }
  return { kind: 'ended', reason, lasted: expiresAt - createdAt }
}
