import { ApiError } from '../client/errors.ts'
import type { Version } from '../contract/endpoint.ts'
import type { Token } from '../contract/tokens.ts'
import type { User } from '../contract/users.ts'
import type { ConnectedService } from './service.ts'
import type { ChallengeStatus } from './challenge-status.ts'
import type { MfaUser } from './user.ts'
import { findMember, findUser, provisionUser } from './user.ts'

/** What the app says about people who set up a first factor. */
export interface EnrollOptions {
  /** Whether this user may set up a first factor with the password alone. */
  readonly mayEnroll: (version: Version) => Promise<boolean>
  /** The activation code that this challenge has shown already; for services that do not say who issued one. */
  readonly shownCode: (service: ConnectedService) => string | undefined
}

/**
 * Offers a device only to users who never had a factor anywhere, and only where the app allows that: otherwise whoever
 * knows the password could add one. The service checks the former again when the device is stored.
 */
export async function enroll(
  service: ConnectedService,
  user: MfaUser,
  options: EnrollOptions,
): Promise<ChallengeStatus> {
  const known = await findMember(service, user)
  if (!known) return { kind: 'no_member' }
  const { version } = service
  if (version !== '1.3' && !mayHaveFirst(known)) return { kind: 'no_device' }
  // A 1.3 service does not say whether the user ever had a factor.
  if (!(await options.mayEnroll(version))) return { kind: version === '1.3' ? 'no_device' : 'code_needed' }
  return version === '1.3' ? issueCode(service, known, options) : issueFirstCode(service, known)
}

/** Whether somebody may set up a first factor. Only what stores it knows for sure. */
export function mayHaveFirst({ everEnrolled }: Pick<User, 'everEnrolled'>): boolean {
  return everEnrolled === false
}

/** A code that ends with the first factor the user has, whatever that is and whoever has seen the code. */
async function issueFirstCode({ client, domainId }: ConnectedService, known: User): Promise<ChallengeStatus> {
  try {
    return enrollingWith(await client.tokens.issueFirst(domainId, known.id))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'api.error.conflict.enrolled') return { kind: 'no_device' }
    throw error
  }
}

/** A 1.3 service does not say who issued a pending code: one that this challenge has not shown may be an administrator's. */
async function issueCode(
  service: ConnectedService,
  known: User,
  { shownCode }: EnrollOptions,
): Promise<ChallengeStatus> {
  const { client, domainId } = service
  const present = await tokenOf(service, known.id)
  if (present?.code !== undefined) return enrollingWith({ ...(present.code === shownCode(service) && present) })
  return enrollingWith(await client.tokens.issue(domainId, known.id))
}

/** No code is answered where an administrator has issued one, to be handed over in person. */
function enrollingWith({ code }: Pick<Token, 'code'>): ChallengeStatus {
  return code === undefined ? { kind: 'code_needed' } : { kind: 'enrolling', code }
}

/** Whether an administrator has issued an activation code that was not used yet. */
export async function hasHandedOverCode(service: ConnectedService, userId: string): Promise<boolean> {
  const token = await tokenOf(service, userId)
  return token?.state === 'pending' && !token.selfEnrollment
}

async function tokenOf({ client, domainId }: ConnectedService, userId: string): Promise<Token | undefined> {
  try {
    return await client.tokens.get(domainId, userId)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'api.error.notfound.token') return undefined
    throw error
  }
}

/** What the app says of people whom the service does not know. */
export interface ProvisionOptions extends EnrollOptions {
  readonly provision: boolean
  /** Whether names that look alike are different people. */
  readonly usernames: 'distinct' | 'exact'
}

/** Brings in whom the service does not know yet, and offers them a device. */
export async function join(
  service: ConnectedService,
  user: MfaUser,
  options: ProvisionOptions,
): Promise<ChallengeStatus> {
  return (await provisionMember(service, user, options)) ?? enroll(service, user, options)
}

/**
 * Brings in whom the service does not know yet, where that is wanted.
 * @returns where the user stands if not.
 */
export async function provisionMember(
  service: ConnectedService,
  user: MfaUser,
  { provision, usernames }: Pick<ProvisionOptions, 'provision' | 'usernames'>,
): Promise<ChallengeStatus | undefined> {
  if (!provision || (await findUser(service, user))) return { kind: 'no_member' }
  const provisioned = await provisionUser(service, user, { exact: usernames === 'exact' })
  if (provisioned.kind === 'similar_name') return provisioned
  return provisioned.kind === 'created' ? undefined : { kind: 'no_member' }
}

/** Whether the user's device is ready to be asked. Only reads. */
export async function isActivated(service: ConnectedService, user: MfaUser): Promise<boolean> {
  const known = await findMember(service, user)
  if (!known) return false
  return (await tokenOf(service, known.id))?.state === 'active'
}
