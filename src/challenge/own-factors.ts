import { ApiError } from '../client/errors.ts'
import type { ListedBrowser } from '../contract/browsers.ts'
import type { BypassCode } from '../contract/bypass-codes.ts'
import type { Domain } from '../contract/domains.ts'
import type { Passkey } from '../contract/passkeys.ts'
import type { HardwareToken } from '../contract/hardware.ts'
import type { Replacement, Token } from '../contract/tokens.ts'
import type { ErrorCode } from '../contract/errors.ts'
import type { User } from '../contract/users.ts'
import { placeOf, sentFactors } from '../contract/factor-descriptions.ts'
import type { SentFactor } from '../contract/factor-descriptions.ts'
import type { Factor } from '../contract/factor.ts'
import { tokenOf } from './enrollment.ts'
import { unlessRejected } from './rejection.ts'
import type { ConnectedService } from './service.ts'
import type { MfaUser } from './user.ts'
import { findMember } from './user.ts'

/** The factors of a user. */
export interface OwnFactors {
  readonly userId: string
  /** Where the codes of each factor are sent; empty where there is no place. */
  readonly places: readonly { readonly factor: SentFactor; readonly place: string }[]
  /** The language of the user's mails, if the service knows it (BCP 47). */
  readonly language: string | undefined
  /** The time zone of the times in them, if the service knows it (IANA). */
  readonly timeZone: string | undefined
  /** The factors that can be used now, in this domain. */
  readonly factors: readonly Factor[]
  /** `pending` while its device is not set up. */
  readonly token: Token | undefined
  readonly hardware: HardwareToken | undefined
  /** The user's passkeys for all apps; undefined if the service knows no passkeys. */
  readonly passkeys: readonly Passkey[] | undefined
  /** The number of recovery codes left; undefined if the domain accepts none. */
  readonly recoveryCodes: number | undefined
  /** Their ids, and those of codes that an administrator has made. */
  readonly codeIds: readonly string[]
  /** Whether the user ever had some. */
  readonly hadRecoveryCodes: boolean
}

/** @returns undefined if the service does not know the user. */
export async function readOwnFactors(service: ConnectedService, user: MfaUser): Promise<OwnFactors | undefined> {
  const member = await findMember(service, user)
  if (!member) return undefined
  const { client, domainId } = service
  const [token, hardware, passkeys, domain] = await Promise.all([
    tokenOf(service, member.id),
    member.hardware === ''
      ? undefined
      : unlessRejected(client.hardware.getOfUser(member.id), 'api.error.notfound.hardware'),
    member.passkeys?.length ? client.passkeys.list(domainId, member.id) : member.passkeys && [],
    client.domains.get(domainId),
  ])
  const { id: userId, language, timeZone, factors = [], bypasscodes: codeIds, hadBypassCodes = true } = member
  return {
    userId,
    places: sentFactors.map((factor) => ({ factor, place: placeOf(member, factor) })),
    language,
    timeZone,
    factors,
    token,
    hardware,
    passkeys,
    recoveryCodes: recoveryCodesOf(member, domain),
    codeIds,
    hadRecoveryCodes: hadBypassCodes,
  }
}

/** The factors that users can remove. Recovery codes do not replace them: they are for users who lost the rest. */
export type Removable = 'device' | 'hardware'

/**
 * Whether it is the last factor with which the user signs in to the app.
 * @param rpId The relying party of the app, whose passkeys count.
 */
export function isLast({ token, hardware, passkeys = [] }: OwnFactors, factor: Removable, rpId?: string): boolean {
  if (passkeys.some((passkey) => passkey.rpId === rpId)) return false
  return factor === 'device' ? hardware === undefined : token?.state !== 'active'
}

/** Whether the user could not sign in to its app any more without this passkey. */
export function isLastPasskey({ token, hardware, passkeys = [] }: OwnFactors, { id, rpId }: Passkey): boolean {
  const otherPasskeys = passkeys.filter((other) => other.rpId === rpId && other.id !== id)
  return otherPasskeys.length === 0 && token?.state !== 'active' && hardware === undefined
}

/** @returns false if it was the last one by then. */
export async function remove(
  { client, domainId }: ConnectedService,
  { userId }: OwnFactors,
  change: {
    readonly what: Removable
    readonly pass: string
    readonly epoch: string
    readonly rpId: string | undefined
  },
): Promise<boolean> {
  const removal = client.tokens.giveUp(domainId, userId, change).then(() => true)
  return unlessLast(removal, 'api.error.notfound.token', 'api.error.notfound.hardware')
}

/** @returns false if it was the last factor by then. */
export async function removePasskey(
  { client, domainId }: ConnectedService,
  { userId }: OwnFactors,
  { id, ...change }: { readonly id: string; readonly pass: string; readonly epoch: string },
): Promise<boolean> {
  const removal = client.passkeys.giveUp(domainId, userId, id, change).then(() => true)
  return unlessLast(removal, 'api.error.notfound.passkey')
}

/** @param goneCodes The error if it was removed already. */
async function unlessLast(removal: Promise<boolean>, ...goneCodes: readonly ErrorCode[]): Promise<boolean> {
  try {
    return await removal
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'api.error.conflict.state') return false
    if (goneCodes.some((code) => code === error.code)) return true
    throw error
  }
}

/**
 * Issues a code for another device; the current one stays until the code is used.
 * @returns undefined if an administrator has issued a code, to be handed over in person.
 */
export function deviceCode(
  { client, domainId }: ConnectedService,
  { userId }: OwnFactors,
  change: { readonly pass: string; readonly epoch: string },
): Promise<Replacement | undefined> {
  return unlessRejected(client.tokens.replace(domainId, userId, change), 'api.error.conflict.state')
}

/** Whether an administrator has issued an activation code, to be handed over in person. */
export function isHandedOver({ token }: OwnFactors): boolean {
  return token?.state === 'pending' && !token.selfEnrollment
}

/** The code that a page has shown and that is still unused. */
export function pendingCode({ token }: OwnFactors): { readonly expiresAt: number } | undefined {
  if (token?.state === 'active') return token.replacement
  return token?.selfEnrollment && token.expiresAt !== undefined ? { expiresAt: token.expiresAt } : undefined
}

/** Replaces all recovery codes by five new ones, each valid once and without expiry. */
export async function makeRecoveryCodes(
  { client, domainId }: ConnectedService,
  { userId }: OwnFactors,
  change: { readonly pass: string; readonly epoch: string },
): Promise<readonly BypassCode[]> {
  return client.bypassCodes.replaceAll(domainId, userId, { usesAllowed: 1, expirationTime: 0, ...change })
}

/** The browsers of the user that are remembered or kept here. @param browser The id of the current one, from its cookie. */
export async function readListedBrowsers(
  { client, domainId, managesFactors }: ConnectedService,
  { userId }: OwnFactors,
  browser: string | undefined,
): Promise<readonly ListedBrowser[]> {
  return managesFactors ? client.browsers.list(domainId, userId, browser) : []
}

/** Whether this user has no recovery codes and could get some. */
export async function mayOfferRecoveryCodes(service: ConnectedService, user: MfaUser): Promise<boolean> {
  if (!service.managesFactors) return false
  const member = await findMember(service, user)
  if (!member || member.bypasscodes.length > 0 || !(await mayManageFactors(service, member.id))) return false
  return takesRecoveryCodes(await service.client.domains.get(service.domainId))
}

/** Whether the API key may change factors of users who have one: an `auth` key cannot even read recovery codes. */
export async function mayManageFactors({ client }: ConnectedService, userId: string): Promise<boolean> {
  return (await unlessRejected(client.bypassCodes.list(userId), 'api.error.forbidden')) !== undefined
}

/** Where passkeys are required, only a code that an administrator hands over counts. */
function takesRecoveryCodes({ bypassEnabled, phishingResistant }: Domain): boolean {
  return bypassEnabled && phishingResistant !== 'require'
}

function recoveryCodesOf(user: User, domain: Domain): number | undefined {
  return takesRecoveryCodes(domain) ? user.bypasscodes.length : undefined
}
