import { z } from 'zod'

import { ApiError } from '../client/errors.ts'
import type { SentPlace } from '../contract/factor-descriptions.ts'
import { hasDirectionControls, Id } from '../contract/text.ts'
import type { User } from '../contract/users.ts'
import { Email, Name, TimeZone, Username } from '../contract/users.ts'
import { unlessRejected } from './rejection.ts'
import type { ConnectedService } from './service.ts'

/** Accepts null and the empty string, as databases have them, for a value that is absent. */
const unlessEmpty = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional())

/** The members of a user that decide about nothing: one that cannot be used is left out. */
const Optional = z.object({
  /** The name that administrators and the user's device show; `username` if absent. */
  name: unlessEmpty(Name),
  /** Where e-mailed codes and notices go. */
  email: unlessEmpty(Email),
  /** The time zone in which mails tell times (IANA). */
  timeZone: unlessEmpty(TimeZone),
} satisfies Readonly<Record<'name' | 'timeZone' | SentPlace, z.ZodType>>)

export const optionalMembers = Optional.keyof().options
export type OptionalMember = (typeof optionalMembers)[number]

/** What developers and operators read about these members. */
export const memberTexts: Readonly<Record<OptionalMember, MemberText>> = {
  name: {
    noun: 'a name',
    none: 'no name (people see the username)',
    instead: 'the username is shown instead',
  },
  email: {
    noun: 'an e-mail address',
    none: 'no e-mail address (no mail is sent)',
    instead: 'these users get no mail',
  },
  timeZone: { noun: 'a time zone', instead: 'mails tell their times in that of the browser, or in UTC' },
}

interface MemberText {
  readonly noun: string
  /** Says that it is absent; undefined where the browser says it. */
  readonly none?: string
  /** What happens instead where it cannot be used. */
  readonly instead: string
}

/** The app user as the service knows it. Other members, such as an `id` of the app, are ignored. */
export const MfaUser = z
  .object({
    /** The name the user signs in to the app with; 1 to 128 characters. */
    username: unlessEmpty(Username),
    /** Instead of `username`: the id that the service gave the user. */
    serviceUserId: unlessEmpty(Id),
    ...Optional.shape,
  })
  .refine((user) => user.username !== undefined || user.serviceUserId !== undefined, {
    path: ['username'],
    message: 'is missing',
  })
  .refine((user) => user.username === undefined || user.serviceUserId === undefined, {
    path: ['serviceUserId'],
    message: 'must be absent where there is a username',
  })
export type MfaUser = z.output<typeof MfaUser>

export const userMembers = MfaUser.keyof().options

/** The user that the option `user` returns; an object of the app's own with these members will do. */
export interface AppUser {
  /** The name the user signs in to the app with; 1 to 128 characters. */
  readonly username?: string | null | undefined
  /** Instead of `username`: the id that the service gave the user. An `id` of the app's own is ignored. */
  readonly serviceUserId?: string | null | undefined
  /** The name that administrators and the user's device show; `username` if absent. */
  readonly name?: string | null | undefined
  /** Where e-mailed codes and notices go. */
  readonly email?: string | null | undefined
  /** The time zone in which mails tell times, such as `Europe/Berlin`; that of the browser, if absent. */
  readonly timeZone?: string | null | undefined
}

/** The key that verification records and challenges are bound to. */
export function userKeyOf(user: MfaUser): string {
  return user.serviceUserId === undefined ? `username:${user.username}` : `id:${user.serviceUserId}`
}

/** The user as sessions refer to it. */
export function referenceOf(user: MfaUser): { id: string } | { username: string } {
  return user.serviceUserId === undefined ? { username: user.username ?? '' } : { id: user.serviceUserId }
}

/** The service's user for an app user, if any. */
export function findUser({ client }: ConnectedService, user: MfaUser): Promise<User | undefined> {
  const reference = referenceOf(user)
  const lookup = 'id' in reference ? client.users.get(reference.id) : client.users.getByUsername(reference.username)
  return unlessRejected(lookup, 'api.error.notfound.user')
}

/** The same, only if the user belongs to our domain, with the factors that count there: an organization also has the users of other apps. */
export async function findMember(service: ConnectedService, user: MfaUser): Promise<User | undefined> {
  const { client, domainId, knowsFactors } = service
  const member = await findUser(service, user)
  if (!member?.domains.includes(domainId)) return undefined
  // To a key that is not limited to our domain, the service has just named the factors of all domains of the user.
  const hasOurs = !knowsFactors || member.domains.length === 1
  return hasOurs ? member : unlessRejected(client.domains.getUser(domainId, member.id), 'api.error.notfound.user')
}

/** The result of creating a user. */
export type Provisioned =
  | { readonly kind: 'created' }
  /** The option `user` returned a `serviceUserId` instead of a name. */
  | { readonly kind: 'no_name' }
  /** The service knows a similar name, or the name could be mistaken for any. @see MfaOptions.usernames */
  | { readonly kind: 'similar_name'; readonly reason: string }

/**
 * Creates the user and its membership if the service does not know the username yet. A known user is never added again,
 * because an administrator may have removed it from the domain.
 *
 * @param options.language The language of the page, in which the user gets mail.
 * @param options.timeZone Of the times in them, if it is known.
 * @returns `created` also if another node created the user at the same moment.
 */
export async function provisionUser(
  service: ConnectedService,
  user: MfaUser,
  options: CreateOptions & MailSettings,
): Promise<Provisioned> {
  const { username, serviceUserId: _serviceUserId, ...members } = user
  if (username === undefined) return { kind: 'no_name' }
  // The service rejects them too, unless it speaks only 1.3, or does not learn that the user is provisioned (`exact`).
  if (hasDirectionControls(username)) return { kind: 'similar_name', reason: directionControls }
  const { language, timeZone } = options
  const name = displayName(user, options) ?? username
  try {
    const created = await createUser(service, { ...members, username, name, language, timeZone }, options)
    await service.client.domains.addUser(service.domainId, created.id)
    return { kind: 'created' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // Another node was faster, and adds the membership.
    if (error.code === 'api.error.conflict.username') return { kind: 'created' }
    if (rejectedNames.has(error.code)) return { kind: 'similar_name', reason: error.message }
    throw error
  }
}

const rejectedNames: ReadonlySet<string> = new Set(['api.error.conflict.similarusername', 'api.error.invalid.username'])

const directionControls = 'username: must not contain characters that change the direction of text.'

function displayName({ name }: MfaUser, { onUnusable }: CreateOptions): string | undefined {
  if (name === undefined || !hasDirectionControls(name)) return name
  onUnusable('name', 'must not contain characters that change the direction of text')
  return undefined
}

export interface CreateOptions {
  /** Whether similar names belong to different users. */
  readonly exact: boolean
  /** Called where the service rejects a name or an address, and the user is created without it. */
  readonly onUnusable: (member: OptionalMember, reason: string) => void
}

/** Another service may be stricter about names and addresses than this package: that decides about no user. */
async function createUser(
  service: ConnectedService,
  user: Parameters<ConnectedService['createUser']>[0],
  options: CreateOptions,
): Promise<User> {
  try {
    return await service.createUser(user, options)
  } catch (error) {
    const member = error instanceof ApiError ? rejectedMember(error.code) : undefined
    const rest = { ...user, ...(member === 'name' ? { name: user.username } : member && { [member]: undefined }) }
    if (!(error instanceof ApiError) || !member || rest[member] === user[member]) throw error
    options.onUnusable(member, error.message)
    return createUser(service, rest, options)
  }
}

const rejectedMember = (code: string): OptionalMember | undefined =>
  optionalMembers.find((member) => code === `api.error.invalid.${member}`)

/** How a page is read: how mails are written. */
export interface MailSettings {
  /** BCP 47. */
  readonly language: string
  /** IANA. */
  readonly timeZone: string | undefined
}

/**
 * Stores the language of the page and the time zone of the user, in which the user gets mail, before a change that is mailed. With an
 * API key that cannot change users, the mails keep what the service knows.
 */
export async function storeMailSettings(
  { client, knowsFactors }: ConnectedService,
  member: Pick<User, 'id' | 'language' | 'timeZone'>,
  settings: MailSettings,
): Promise<void> {
  const { language, timeZone = member.timeZone } = settings
  if (!knowsFactors || (member.language === language && member.timeZone === timeZone)) return
  await unlessRejected(client.users.update(member.id, { language, timeZone }), 'api.error.forbidden')
}
