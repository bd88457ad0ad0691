import { ApiError } from '../client/errors.ts'
import type { Membership } from './passkey-policy.ts'
import type { ConnectedService } from './service.ts'
import type { MfaUser } from './user.ts'
import { findMember } from './user.ts'

/** Unix seconds. */
interface Remembered {
  readonly rememberedUntil: number
  /** The time until which the browser is known. */
  readonly expiresAt: number
}

/**
 * @param passes Whether this user may pass without a second step.
 * @returns until when this browser is remembered for this user; undefined if it is not.
 */
export async function readRemembered(
  service: ConnectedService,
  user: MfaUser,
  browser: string,
  passes: (membership: Membership) => boolean,
): Promise<Remembered | undefined> {
  const member = service.knowsBrowsers ? await findMember(service, user) : undefined
  if (!member || !passes({ service, member })) return undefined
  try {
    const { rememberedUntil, expiresAt } = await service.client.browsers.recognize(service.domainId, member.id, browser)
    return rememberedUntil === undefined ? undefined : { rememberedUntil, expiresAt }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 429) return undefined
    throw error
  }
}
