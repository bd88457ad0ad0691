import type { Challenge } from './challenge.ts'
import type { Session, SessionReason } from '../contract/sessions.ts'

/** The status of a challenge, as its page shows it. */
export type ChallengeStatus =
  /** A push request was sent. `number` has to be typed on the device. Times in Unix seconds, by our clock. */
  | {
      readonly kind: 'waiting'
      readonly number: string | undefined
      readonly createdAt: number
      /** Undefined if the service does not say. */
      readonly expiresAt: number | undefined
    }
  /** The user can pass with a passkey; no request was sent to a device, and one can be only if there is a device. */
  | { readonly kind: 'passkey'; readonly canAskDevice: boolean }
  /** Approved; the web session may now be verified. */
  | { readonly kind: 'approved' }
  | {
      readonly kind: 'ended'
      readonly reason: SessionReason
      /** A 1.3 service does not say why: the request may have expired as well. */
      readonly unexplained?: boolean
      /** How long the request was valid, seconds, if it timed out. */
      readonly lasted?: number | undefined
    }
  /** The user never had a factor: this code sets up the authenticator. */
  | { readonly kind: 'enrolling'; readonly code: string }
  /** The user never had a factor here, and signs in with the app of another system, or with one of its recovery codes if it has some. */
  | { readonly kind: 'importing'; readonly withCodes: boolean }
  /** The user never had a factor, and only an activation code of an administrator may set one up. */
  | { readonly kind: 'code_needed' }
  /** The user no longer has a device, and only an administrator may allow a new one. */
  | { readonly kind: 'no_device' }
  /** The service does not know the user in this domain. */
  | { readonly kind: 'no_member' }
  /** The service knows a similar name; `reason` is for the log. */
  | { readonly kind: 'similar_name'; readonly reason: string }
  /** Too many requests were sent; no other one until then, Unix seconds. */
  | { readonly kind: 'throttled'; readonly until: number }

/** @param challenge supplies what a 1.3 service does not say, and how far the service's clock is ahead. */
export function statusOf(session: Session, challenge: Pick<Challenge, 'askedAt' | 'serviceAhead'>): ChallengeStatus {
  if (session.state === 'approved') return { kind: 'approved' }
  if (session.state !== 'pending') return endOf(session)
  const { askedAt = 0, serviceAhead = 0 } = challenge
  const { number, createdAt, expiresAt } = session
  return {
    kind: 'waiting',
    number,
    createdAt: createdAt === undefined ? askedAt : createdAt - serviceAhead,
    expiresAt: expiresAt === undefined ? undefined : expiresAt - serviceAhead,
  }
}

function endOf({ reason, createdAt, expiresAt }: Session): ChallengeStatus {
  if (reason === undefined) return { kind: 'ended', reason: 'user_denied', unexplained: true }
  if (reason !== 'timeout' || createdAt === undefined || expiresAt === undefined) return { kind: 'ended', reason }
  return { kind: 'ended', reason, lasted: expiresAt - createdAt }
}
