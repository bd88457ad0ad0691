import type { IncomingMessage } from 'node:http'

import { currentRequestId } from '../../challenge/request-id.ts'
import { findMember } from '../../challenge/user.ts'
import type { MfaUser } from '../../challenge/user.ts'
import type { Mfa } from '../request/context.ts'
import { readMfaState } from '../session/web-session.ts'

/** Requests that have done so: several of the ways out can meet in one. */
const done = new WeakSet<IncomingMessage>()

/**
 * Withdraws the code for another device that this web session has shown, when its login ends: whoever uses the browser
 * next, or has noted the code, sets up nothing with it. Nobody is kept from signing out: where the service cannot be
 * asked, the code ends by itself within 15 minutes.
 */
export async function withdrawShownCode(req: IncomingMessage, { options, connect }: Mfa): Promise<void> {
  const { service: issuer = options.serviceId, codeShown } = readMfaState(req)
  if (!codeShown || codeShown.until <= options.clock.now()) return
  // What another service has issued, its own mfa() withdraws.
  if (issuer !== options.serviceId || done.has(req)) return
  done.add(req)
  try {
    const service = await connect()
    const known = await findMember(service, userOf(codeShown.userKey))
    if (known) await service.client.tokens.withdrawReplacement(service.domainId, known.id)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    options.logger.warn(
      `mfa: the code for another device was not withdrawn at sign-out: ${reason} (request ${currentRequestId()})`,
    )
  }
}

/** The reverse of `userKeyOf()`: who has signed out is not on the request any more. */
function userOf(userKey: string): MfaUser {
  const [, kind = '', name = ''] = /^(id|username):(.*)$/s.exec(userKey) ?? []
  return kind === 'id' ? { serviceUserId: name } : { username: name }
}
