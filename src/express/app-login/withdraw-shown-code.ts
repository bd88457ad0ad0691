import type { HttpRequest } from '../framework/http-request.ts'
import { currentRequestId } from '../../challenge/service-calls.ts'
import { findMember } from '../../challenge/user.ts'
import type { MfaUser } from '../../challenge/user.ts'
import type { Mfa } from '../request/context.ts'
import { readMfaState } from '../session/session-state.ts'

/** Requests that have done so: one request can sign out in several ways. */
const done = new WeakSet<HttpRequest>()

/**
 * Withdraws the code for another device that this web session has shown, when its login ends: the next user of the browser, or
 * an onlooker, cannot use it. If the service is unreachable, the user is signed out nevertheless, and the code expires within
 * 15 minutes.
 */
export async function withdrawShownCode(req: HttpRequest, { options, connect }: Mfa): Promise<void> {
  const { service: issuer = options.serviceId, shownReplacement } = readMfaState(req)
  if (!shownReplacement || shownReplacement.until <= options.clock.now()) return
  // The mfa() of another service withdraws that service's codes.
  if (issuer !== options.serviceId || done.has(req)) return
  done.add(req)
  try {
    const service = await connect()
    const member = await findMember(service, userOf(shownReplacement.userKey))
    if (member) await service.client.tokens.withdrawReplacement(service.domainId, member.id)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    options.logger.warn(
      `mfa: the code for another device was not withdrawn at sign-out: ${reason} (request ${currentRequestId()})`,
    )
  }
}

/** The reverse of `userKeyOf()`, because the request of a user who has signed out no longer has the user. */
function userOf(userKey: string): MfaUser {
  const [, kind = '', name = ''] = /^(id|username):(.*)$/s.exec(userKey) ?? []
  return kind === 'id' ? { serviceUserId: name } : { username: name }
}
