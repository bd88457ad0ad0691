import type { Token } from '../contract/tokens.ts'
import type { User } from '../contract/users.ts'
import type { ChallengeStatus } from './challenge-status.ts'
import { domainPolicy } from './passkey-policy.ts'
import { unlessRejected } from './rejection.ts'
import type { ConnectedService } from './service.ts'
import type { CreateOptions, MailSettings, MfaUser } from './user.ts'
import { findMember, findUser, provisionUser, storeMailSettings } from './user.ts'

/** The app's rules for users who set up a first factor. */
export interface EnrollOptions extends MailSettings {
  /** What to show instead, where another system of the app has factors of this user. */
  readonly statusOfBrought: (member: User) => Promise<ChallengeStatus | undefined>
  /** Whether this user may set up a first factor with the password alone. */
  readonly mayEnroll: (member: User) => Promise<boolean>
  /** The activation code that this challenge has shown already, for services that do not say who issued a code. */
  readonly shownCode: string | undefined
}

/**
 * Offers a device only to users who never had a factor in any domain, and only if the app allows that: otherwise an attacker
 * who knows the password could add one. The service checks the former again when the device is stored.
 */
export async function enroll(
  service: ConnectedService,
  member: User | undefined,
  { statusOfBrought, mayEnroll, shownCode, language, timeZone }: EnrollOptions,
): Promise<ChallengeStatus> {
  if (!member) return { kind: 'no_member' }
  if (service.knowsFactors && !mayHaveFirst(member)) return { kind: 'no_device' }
  // A device would not sign in: the first factor is a passkey.
  if (domainPolicy({ service, member }) === 'require') return { kind: 'no_device' }
  const brought = await statusOfBrought(member)
  if (brought) return brought
  // Where the service does not know, the user may have had a device.
  if (!(await mayEnroll(member))) return { kind: service.knowsFactors ? 'code_needed' : 'no_device' }
  await storeMailSettings(service, member, { language, timeZone })
  const token = await service.issueFirstToken(member.id, shownCode)
  if (!token) return { kind: 'no_device' }
  // An administrator has issued a code, and hands it over in person.
  return token.code === undefined ? { kind: 'code_needed' } : { kind: 'enrolling', code: token.code }
}

/** Whether the user may set up a first factor, as far as known: the service decides when it stores the factor. */
export function mayHaveFirst({ everEnrolled }: Pick<User, 'everEnrolled'>): boolean {
  return everEnrolled === false
}

/** Whether an activation code of an administrator is still unused. */
export async function hasHandedOverCode(service: ConnectedService, userId: string): Promise<boolean> {
  const token = await tokenOf(service, userId)
  return token?.state === 'pending' && !token.selfEnrollment
}

/** The user's token in our domain, if any. */
export function tokenOf({ client, domainId }: ConnectedService, userId: string): Promise<Token | undefined> {
  return unlessRejected(client.tokens.get(domainId, userId), 'api.error.notfound.token')
}

/** The app's rules for users that the service does not know. */
export interface ProvisionOptions extends EnrollOptions {
  readonly provision: boolean
  /** Whether similar names belong to different users. */
  readonly usernames: 'distinct' | 'exact'
  readonly onUnusable: CreateOptions['onUnusable']
}

/** Provisions a user that the service does not know, and offers them a device. */
export async function provisionAndEnroll(
  service: ConnectedService,
  user: MfaUser,
  options: ProvisionOptions,
): Promise<ChallengeStatus> {
  return (await provisionMember(service, user, options)) ?? enroll(service, await findMember(service, user), options)
}

/**
 * Provisions a user that the service does not know, if the app wants that.
 * @returns the status if the user was not provisioned.
 */
export async function provisionMember(
  service: ConnectedService,
  user: MfaUser,
  { provision, usernames, ...options }: Omit<ProvisionOptions, keyof Omit<EnrollOptions, keyof MailSettings>>,
): Promise<ChallengeStatus | undefined> {
  if (!provision || (await findUser(service, user))) return { kind: 'no_member' }
  const provisioned = await provisionUser(service, user, { ...options, exact: usernames === 'exact' })
  if (provisioned.kind === 'similar_name') return provisioned
  return provisioned.kind === 'created' ? undefined : { kind: 'no_member' }
}

/** Whether the user has an active device. Only reads. */
export async function isActivated(service: ConnectedService, user: MfaUser): Promise<boolean> {
  const member = await findMember(service, user)
  if (!member) return false
  return (await tokenOf(service, member.id))?.state === 'active'
}
