import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { isLanguageTag } from './languages.ts'
import { pageQuery } from './page-query.ts'
import { RequestedPhishingResistance } from './phishing-resistance.ts'
import { isTimeZone } from './time-zones.ts'
import { Id, Random128, text, optionalField } from './text.ts'
import { Factor } from './factor.ts'
import type { SentPlace } from './factor-descriptions.ts'

export const Username = text(1, 128)

export const Name = text(1, 128)

/**
 * Whatever can be a mailbox (RFC 6531): only its mail server knows the rest. No blank, control or direction character, which could
 * change the text around it, and no `<` or `>`, which end an address in SMTP. The length is that of RFC 5321 section 4.5.3.1.3.
 */
export const Email = z
  .email({ pattern: /^[^\s\p{Cc}\p{Cs}\p{Bidi_Control}<>]+@[^\s\p{Cc}\p{Cs}\p{Bidi_Control}<>@]+$/u })
  .max(254)

/** The tag of a language (BCP 47), such as `de` or `pt-BR`. */
export const Language = z
  .string()
  .max(35)
  .refine(isLanguageTag, 'must be a language tag (BCP 47), such as de or pt-BR')
  .meta({ description: 'A language tag (BCP 47), such as `de` or `pt-BR`.' })

/** The name of a time zone (IANA Time Zone Database), such as `Europe/Berlin`. */
export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
  .meta({ description: 'The name of a time zone (IANA), such as `Europe/Berlin`.' })

/**
 * The user's next epoch, so that the caller's own web session can know it before the change: random, and never used before.
 * By default the service generates it.
 */
export const NewEpoch = Random128.optional()

/**
 * Whether factors that another system made can be imported for a user: `closed` once they were, and after a reset, which would bring the
 * seed of a stolen phone back. `restored`: a reset may have been lost with what a backup does not have, so only an administrator imports
 * them. 1.4.
 */
export const ImportState = z.enum(['open', 'closed', 'restored'])
export type ImportState = z.infer<typeof ImportState>

/** A user in 1.3. */
export const User13 = z.object({
  id: Id,
  username: z.string(),
  name: z.string(),
  email: z.string(),
  /** Ids of the domains the user belongs to. */
  domains: z.array(Id),
  /** The id of the user's hardware token; `""` without one. */
  hardware: z.union([Id, z.literal('')]),
  /** Ids of the user's bypass codes. */
  bypasscodes: z.array(Id),
})

/** A person or an account. A user can belong to any number of domains. */
export const User = User13.extend({
  /** The factors that the user has now, in any domain; the endpoints below a domain return those that count there. 1.4. */
  factors: z.array(Factor).optional(),
  /** The relying parties that the user has passkeys for, each once; absent if the service cannot verify passkeys. 1.4. */
  passkeys: z.array(z.string()).optional(),
  /** The policies of the user's domains for passkeys, by domain id; domains with `off` are left out. 1.4. */
  phishingResistant: z.record(Id, RequestedPhishingResistance).optional(),
  /** Whether the user ever had a factor, in any domain; only an administrator resets it. 1.4. */
  everEnrolled: z.boolean().optional(),
  /** Whether the user ever had a bypass code; only an administrator resets it. 1.4. */
  hadBypassCodes: z.boolean().optional(),
  importState: ImportState.optional(),
  /** The user has recovery codes that another system made: they need not have nine digits. 1.4. */
  importedCodes: z.literal(true).optional(),
  /** Web sessions that were verified under another epoch have ended: compare it for equality. 1.4. */
  epoch: z.string().optional(),
  /** The language in which the user gets mail, if it is known; the default is English. 1.4. */
  language: z.string().optional(),
  /** The time zone in which mails to the user tell times, if it is known; the default is UTC. 1.4. */
  timeZone: z.string().optional(),
})

export type User = z.infer<typeof User>

/** What each place is that codes are sent to. */
const places = { email: Email } satisfies Readonly<Record<SentPlace, z.ZodType<string>>>

export const NewUser = z.object({ username: Username, name: Name, email: places.email })

export type NewUser = z.infer<typeof NewUser>

const CreatedUser = NewUser.extend({
  /** The default is `""`: such users get no codes by e-mail. Required in 1.3. */
  email: optionalField(places.email),
  /**
   * The user is added because of a sign-in to an app. Rejected where the organization has a username that could be mistaken
   * for this one, such as `alice` for `ALICE`, and where its username or name changes the direction of text. 1.4.
   */
  provision: z.boolean().optional(),
  /** The language in which the user gets mail; the default is English. 1.4. */
  language: optionalField(Language),
  /** The time zone in which mails to the user tell times; the default is UTC. 1.4. */
  timeZone: optionalField(TimeZone),
})

export type CreatedUser = z.input<typeof CreatedUser>

export const createUser = endpoint({
  method: 'POST',
  path: '/users',
  repeatable: true,
  summary: 'Adds a user to the organization.',
  body: CreatedUser,
  body13: NewUser,
  response: User,
  response13: User13,
  errors: ['api.error.conflict.username', 'api.error.conflict.similarusername'],
})

/** Returns one user when `username` is set, otherwise a page of users. */
export const findUsers = endpoint({
  method: 'GET',
  path: '/users',
  summary: 'Finds a user by username; without a username, lists users, 100 a page.',
  query: z.object({ username: z.string().optional(), ...pageQuery }),
  response: z.union([User, z.array(User)]),
  response13: z.union([User13, z.array(User13)]),
  role: 'auth',
  errors: ['api.error.notfound.user', 'api.error.invalid.page'],
})

export const getUser = endpoint({
  method: 'GET',
  path: '/users/:userId',
  summary: 'Reads a user.',
  response: User,
  response13: User13,
  role: 'auth',
})

const ChangedUser13 = z.object({
  name: optionalField(Name),
  email: optionalField(places.email),
  username: optionalField(Username),
})

const ChangedUser = ChangedUser13.extend({
  /** The language in which the user gets mail. 1.4. */
  language: optionalField(Language),
  /** The time zone in which mails to the user tell times. 1.4. */
  timeZone: optionalField(TimeZone),
})

/** What a user has that others can change. The service stores each of them, and returns it in a `User`. */
export const UserFields = ChangedUser.omit({ username: true })

export const userFields = UserFields.keyof().options

export type UserField = (typeof userFields)[number]

/** A field that a user may lack: since 1.4, and nothing that codes are sent to. */
export type LaterField = Exclude<UserField, keyof z.output<typeof User13> | SentPlace>

const isLater = (field: UserField): field is LaterField => !(field in User13.shape) && !(field in places)

/** Makes an object with a value for each field that a user may lack. */
export const mapLaterFields = <T>(valueOf: (field: LaterField) => T) =>
  Object.fromEntries(userFields.filter(isLater).map((field) => [field, valueOf(field)])) as Record<LaterField, T>

export type UserChanges = Partial<z.output<typeof UserFields>>

export const updateUser = endpoint({
  method: 'PUT',
  path: '/users/:userId',
  summary:
    'Changes the name, e-mail address, language or time zone; absent or null members stay. A username never changes.',
  body: ChangedUser,
  body13: ChangedUser13,
  response: User,
  response13: User13,
})

export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/users/:userId',
  summary: 'Deletes a user, its memberships and its tokens.',
})

export const endUserSessions = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/epoch',
  summary: 'Sets a new epoch for a user: web sessions that were verified under another epoch end, in every domain.',
  body: z.object({ epoch: NewEpoch }),
  response: z.object({ epoch: z.string() }),
  role: 'auth',
  since: '1.4',
})
