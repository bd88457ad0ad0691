import { ApiError } from '../client/errors.ts'
import type { ConnectedService } from './service.ts'
import type { Standing } from './standing.ts'
import type { MfaUser } from './user.ts'
import { findUser, provisionUser } from './user.ts'

/**
 * Offers a device only to who never had a factor anywhere: otherwise whoever knows the password could add one. The
 * service checks the same again when the device is stored.
 */
export async function enrol(
  service: ConnectedService,
  user: MfaUser,
  mayEnrol: () => Promise<boolean>,
): Promise<Standing> {
  const known = await findUser(service, user)
  if (!known) return { kind: 'no_member' }
  // A 1.3 service does not say: then it is the app that has to.
  const allowed = known.everEnrolled === undefined ? await mayEnrol() : !known.everEnrolled
  if (!allowed) return { kind: 'no_device' }
  const token = await service.client.tokens.issue(service.domainId, known.id)
  return token.code === undefined ? { kind: 'no_device' } : { kind: 'enrolling', code: token.code }
}

/** Brings in whom the service does not know yet, where that is wanted. */
export async function join(
  service: ConnectedService,
  user: MfaUser,
  { provision, mayEnrol }: { provision: boolean; mayEnrol: () => Promise<boolean> },
): Promise<Standing> {
  if (!provision || (await findUser(service, user))) return { kind: 'no_member' }
  return (await provisionUser(service, user)) ? await enrol(service, user, mayEnrol) : { kind: 'no_member' }
}

/** Whether the user's device is ready to be asked. Only reads. */
export async function isActivated(service: ConnectedService, user: MfaUser): Promise<boolean> {
  const known = await findUser(service, user)
  if (!known) return false
  try {
    return (await service.client.tokens.get(service.domainId, known.id)).state === 'active'
  } catch (error) {
    if (error instanceof ApiError && error.code === 'api.error.notfound.token') return false
    throw error
  }
}
