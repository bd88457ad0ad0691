import { createHash } from 'node:crypto'

import { isPhishingResistant, isStrong } from '../../contract/factor-descriptions.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import { hasPasskey } from '../../challenge/passkey.ts'
import { mayManageFactors } from '../../challenge/own-factors.ts'
import { findMember } from '../../challenge/user.ts'
import { canAddPasskeys, relyingPartyOf } from '../request/passkeys.ts'
import { logFailure } from '../request/service-outage.ts'
import type { WebRequest } from '../request/web-request.ts'
import { passkeyOfferCookie } from '../session/id-cookie.ts'

const day = 24 * 60 * 60

/** How long a user is not asked again in this browser, seconds. Browsers keep cookies for 400 days at most. */
export const declinedFor = Object.freeze({ later: 30 * day, never: 400 * day })

/** Whether a verified user is offered a passkey: once, on a device that can keep one. A failure costs only the offer. */
export async function mayOfferPasskey(request: WebRequest, { purpose }: Challenge): Promise<boolean> {
  const { req, context, state, form, user } = request
  const { factor } = state.verified ?? {}
  if (purpose !== 'sign_in' || form['passkeys'] !== 'yes') return false
  if (factor && (isPhishingResistant(factor) || !isStrong(factor))) return false
  if (passkeyOfferCookie.read(req, context) === declinedBy(request)) return false
  try {
    const service = await context.mfa.connect()
    const member = await findMember(service, user)
    if (!member || !canAddPasskeys(request, member) || hasPasskey(member, relyingPartyOf(request)?.id, ['passkey']))
      return false
    return await mayManageFactors(service, member.id)
  } catch (error) {
    logFailure(context, 'a passkey could not be offered', error)
    return false
  }
}

/** The value of the cookie by which this browser remembers that this user wants no passkey: others are asked. */
export function declinedBy({ context }: WebRequest): string {
  return createHash('sha256').update(`no passkey for ${context.userKey}`).digest('base64url').slice(0, 22)
}
