import type { ConnectedService } from './service.ts'
import { secondsToWait } from './throttle.ts'
import type { MfaUser } from './user.ts'
import { findUser } from './user.ts'

/**
 * Has a code sent to the user's address.
 * @returns Unix time, seconds, until which no further one is sent; undefined when one is on its way.
 */
export async function sendEmailCode(
  service: ConnectedService,
  user: MfaUser,
  now: number,
): Promise<number | undefined> {
  const known = await findUser(service, user)
  if (!known || known.factors?.includes('email') === false) return undefined
  try {
    await service.client.sessions.emailCode(service.domainId, known.id)
    return undefined
  } catch (error) {
    const wait = secondsToWait(error)
    if (wait === undefined) throw error
    return now + wait
  }
}
