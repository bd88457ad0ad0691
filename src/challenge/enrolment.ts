import { ApiError } from '../client/errors.ts'
import type { User } from '../contract/users.ts'
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
  const code = await (service.version === '1.3' ? codeBySay(service, known, mayEnrol) : firstCode(service, known))
  return code === undefined ? { kind: 'no_device' } : { kind: 'enrolling', code }
}

/** Whether somebody may set up a first factor. Only what stores it knows for sure. */
export function mayHaveFirst({ everEnrolled }: Pick<User, 'everEnrolled'>): boolean {
  return everEnrolled === false
}

/** A code that ends with the first factor the user has, whatever that is and whoever has seen the code. */
async function firstCode({ client, domainId }: ConnectedService, known: User): Promise<string | undefined> {
  if (!mayHaveFirst(known)) return undefined
  try {
    return (await client.tokens.issueFirst(domainId, known.id)).code
  } catch (error) {
    if (error instanceof ApiError && error.code === 'api.error.conflict.enrolled') return undefined
    throw error
  }
}

/** A 1.3 service does not say who had a factor: then it is the app that has to. */
async function codeBySay(
  { client, domainId }: ConnectedService,
  known: User,
  mayEnrol: () => Promise<boolean>,
): Promise<string | undefined> {
  return (await mayEnrol()) ? (await client.tokens.issue(domainId, known.id)).code : undefined
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
