import { ApiError, UnreachableError } from '../client/errors.ts'
import type { Membership } from './passkey-policy.ts'
import { secondsToWait } from './rejection.ts'
import type { ConnectedService } from './service.ts'
import type { MfaUser } from './user.ts'
import { findMember } from './user.ts'

/** The result; `until` in Unix seconds. */
export type EmailOutcome =
  | { readonly kind: 'emailed' }
  /** No other e-mail is sent until then. */
  | { readonly kind: 'email_paused'; readonly until: number }
  /** Nothing was sent, because only a passkey counts. */
  | { readonly kind: 'passkey_needed' }
  /** The mail server rejected it; the service itself is available. */
  | { readonly kind: 'email_failed' }

export interface EmailOptions {
  readonly language: string
  /** Unix time, seconds. */
  readonly now: number
  /** Whether an e-mailed code would pass for this user. */
  readonly accepts: (membership: Membership) => boolean
}

/** Has the service e-mail a code to the user, without a retry: the user decides about that. */
export async function sendEmailCode(
  service: ConnectedService,
  user: MfaUser,
  { language, now, accepts }: EmailOptions,
): Promise<EmailOutcome> {
  const member = await findMember(service, user)
  if (!member || member.factors?.includes('email') === false) return { kind: 'emailed' }
  if (!accepts({ service, member })) return { kind: 'passkey_needed' }
  try {
    await service.client.sessions.emailCode(service.domainId, member.id, language)
    return { kind: 'emailed' }
  } catch (error) {
    if (isMailTrouble(service, error)) return { kind: 'email_failed' }
    const wait = secondsToWait(error)
    if (wait === undefined) throw error
    return { kind: 'email_paused', until: now + wait }
  }
}

function isMailTrouble(service: ConnectedService, error: unknown): boolean {
  // The queue of e-mails for the mail server is full.
  if (error instanceof UnreachableError) return error.reason === 'no_room'
  return error instanceof ApiError && service.isMailRejection(error)
}
