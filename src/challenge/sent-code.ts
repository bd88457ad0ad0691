import { ApiError, UnreachableError } from '../client/errors.ts'
import type { SentFactor } from '../contract/factor-descriptions.ts'
import type { SentNotice } from './challenge.ts'
import type { Membership } from './passkey-policy.ts'
import { secondsToWait } from './rejection.ts'
import type { ConnectedService } from './service.ts'
import type { MfaUser } from './user.ts'
import { findMember } from './user.ts'

/** The result; nothing was sent if only a passkey counts. */
export type SentOutcome = SentNotice | { readonly kind: 'passkey_needed' }

export interface SendOptions {
  readonly language: string
  /** Unix time, seconds. */
  readonly now: number
  /** Whether a code that is sent would pass for this user. */
  readonly accepts: (membership: Membership) => boolean
}

/** Has the service send a code to the user. */
export async function sendCode(
  service: ConnectedService,
  user: MfaUser,
  factor: SentFactor,
  { language, now, accepts }: SendOptions,
): Promise<SentOutcome> {
  const member = await findMember(service, user)
  if (!member || member.factors?.includes(factor) === false) return { kind: `${factor}_sent` }
  if (!accepts({ service, member })) return { kind: 'passkey_needed' }
  try {
    // Without a retry: the user decides about that.
    await service.client.sessions.sendCode(service.domainId, member.id, factor, language)
    return { kind: `${factor}_sent` }
  } catch (error) {
    if (isNotSent(factor, service, error)) return { kind: `${factor}_failed` }
    const wait = secondsToWait(error)
    if (wait === undefined) throw error
    return { kind: `${factor}_paused`, until: now + wait }
  }
}

function isNotSent(factor: SentFactor, service: ConnectedService, error: unknown): boolean {
  // The queue of what is to be sent is full.
  if (error instanceof UnreachableError) return error.reason === 'no_room'
  return error instanceof ApiError && service.isSendingRejection(factor, error)
}
