import { ApiError } from '../client/errors.ts'
import type { Version } from '../contract/endpoint.ts'
import type { Token } from '../contract/tokens.ts'
import type { User } from '../contract/users.ts'
import type { ConnectedService } from './service.ts'
import type { ChallengeStatus } from './challenge-status.ts'
import type { MfaUser } from './user.ts'
import { findMember, findUser, provisionUser } from './user.ts'

/** The app's rules for users who set up a first factor. */
export interface EnrollOptions {
  /** Whether this user may set up a first factor with the password alone. */
  readonly mayEnroll: (version: Version) => Promise<boolean>
  /** The activation code that this challenge has shown already, for services that do not say who issued a code. */
  readonly shownCode: (service: ConnectedService) => string | undefined
}

/**
 * Offers a device only to users who never had a factor in any domain, and only if the app allows that: otherwise an attacker
 * who knows the password could add one. The service checks the former again when the device is stored.
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

/** Whether the user may set up a first factor, as far as known: the service decides when it stores the factor. */
export function mayHaveFirst({ everEnrolled }: Pick<User, 'everEnrolled'>): boolean {
  return everEnrolled === false
}

/** Issues a code that becomes invalid as soon as the user has any factor, so it does not matter who else has seen it. */
async function issueFirstCode({ client, domainId }: ConnectedService, known: User): Promise<ChallengeStatus> {
  try {
    return enrollingWith(await client.tokens.issueFirst(domainId, known.id))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'api.error.conflict.enrolled') return { kind: 'no_device' }
    throw error
  }
}

/** A 1.3 service does not say who issued a pending code: if this challenge has not shown it, an administrator may have. */
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

/** The service returns no code if an administrator has issued one, to be handed over in person. */
function enrollingWith({ code }: Pick<Token, 'code'>): ChallengeStatus {
  return code === undefined ? { kind: 'code_needed' } : { kind: 'enrolling', code }
}

/** Whether an activation code of an administrator is still unused. */
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

/** The app's rules for users that the service does not know. */
export interface ProvisionOptions extends EnrollOptions {
  readonly provision: boolean
  /** Whether similar names belong to different users. */
  readonly usernames: 'distinct' | 'exact'
}

/** Provisions a user that the service does not know, and offers them a device. */
export async function provisionAndEnroll(
  service: ConnectedService,
  user: MfaUser,
  options: ProvisionOptions,
): Promise<ChallengeStatus> {
  return (await provisionMember(service, user, options)) ?? enroll(service, user, options)
}

/**
 * Provisions a user that the service does not know, if the app wants that.
 * @returns the status if the user was not provisioned.
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

/** Whether the user has an active device. Only reads. */
export async function isActivated(service: ConnectedService, user: MfaUser): Promise<boolean> {
  const known = await findMember(service, user)
  if (!known) return false
  return (await tokenOf(service, known.id))?.state === 'active'
}
