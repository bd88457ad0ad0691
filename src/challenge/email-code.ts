import { ApiError, UnreachableError } from '../client/errors.ts'
import type { ConnectedService } from './service.ts'
import { secondsToWait } from './throttle.ts'
import type { MfaUser } from './user.ts'
import { findMember } from './user.ts'

/** What came of it; `until` in Unix seconds. */
export type EmailOutcome =
  | { readonly kind: 'emailed' }
  /** No further one is sent until then. */
  | { readonly kind: 'email_paused'; readonly until: number }
  /** The mail server does not take it. The service itself is well, and says so. */
  | { readonly kind: 'email_failed' }

/** Has a code sent to the user's address, once: another try is for the person to make. */
export async function sendEmailCode(service: ConnectedService, user: MfaUser, now: number): Promise<EmailOutcome> {
  const known = await findMember(service, user)
  if (!known || known.factors?.includes('email') === false) return { kind: 'emailed' }
  try {
    await service.client.sessions.emailCode(service.domainId, known.id)
    return { kind: 'emailed' }
  } catch (error) {
    if (isMailTrouble(service, error)) return { kind: 'email_failed' }
    const wait = secondsToWait(error)
    if (wait === undefined) throw error
    return { kind: 'email_paused', until: now + wait }
  }
}

function isMailTrouble({ version }: ConnectedService, error: unknown): boolean {
  // As many e-mails as may be are waiting for the mail server.
  if (error instanceof UnreachableError) return error.reason === 'no_room'
  if (!(error instanceof ApiError)) return false
  // 1.3 has no code of its own for this. The service has just said who the user is, so it is not out.
  return error.code === 'api.error.unavailable.mail' || (version === '1.3' && error.status === 503)
}
