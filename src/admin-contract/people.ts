import { z } from 'zod'

import { BypassCode, NewBypassCode } from '../contract/bypass-codes.ts'
import { Domain } from '../contract/domains.ts'
import { sentFactors, sentTo } from '../contract/factor-descriptions.ts'
import type { SentPlace } from '../contract/factor-descriptions.ts'
import { endpoint } from '../contract/endpoint.ts'
import { HardwareToken, SerialNumber } from '../contract/hardware.ts'
import { Passkey } from '../contract/passkeys.ts'
import { Id, Seconds } from '../contract/text.ts'
import { Token } from '../contract/tokens.ts'
import { Factor } from '../contract/factor.ts'
import { Reasoned } from './because.ts'
import { From, listed, SortOrder } from './lists.ts'
import { maxSearch } from './query-shapes.ts'
import { CallerVerification } from './caller-verifications.ts'

/** Lists of people that a figure or a filter opens. */
export const PeopleFilter = z.enum(['enrolled', 'no_factor', 'only_email', 'locked', 'bypass_code', 'inactive'])
export type PeopleFilter = z.infer<typeof PeopleFilter>

/** How long after the last sign-in a person is inactive, seconds. */
export const inactiveAfter = 30 * 24 * 60 * 60

/** How many people a page has. */
export const peoplePage = 50

/** A member of a person to which codes are sent. */
export type PersonPlace = SentPlace

const places = Object.fromEntries(sentFactors.map((factor) => [sentTo(factor), z.string()]))

/** A person in a list. */
export const PersonSummary = z.object({
  id: Id,
  username: z.string(),
  name: z.string(),
  ...(places as Record<PersonPlace, z.ZodString>),
  /** The domains of the person that the administrator can see. */
  domains: z.array(Id),
  factors: z.array(Factor),
  /** Whether codes are locked: until that time, or until an administrator unlocks them (null). */
  locked: z.object({ until: Seconds.nullable() }).optional(),
  /** Bypass codes that can be used now. */
  bypassCodes: z.int(),
  /** When the person signed in last, to any domain; a few minutes behind. Absent if no sign-in is known. */
  lastSignInAt: Seconds.optional(),
})
export type PersonSummary = z.infer<typeof PersonSummary>

/** The mail with a link for enrollment that a person got last in a domain, until the link is used. */
export const EnrollmentMail = z.object({
  domain: Id,
  sentAt: Seconds,
  /** The end of the link, past or future. */
  expiresAt: Seconds,
})
export type EnrollmentMail = z.infer<typeof EnrollmentMail>

/** A person as the console shows them. It contains no code that opens anything. */
export const Person = PersonSummary.extend({
  everEnrolled: z.boolean(),
  language: z.string().optional(),
  createdAt: Seconds,
  /** The time at which the e-mail address was last replaced. */
  emailChangedAt: Seconds.optional(),
  /** The person also belongs to domains that the administrator does not manage, so what counts everywhere cannot be changed. */
  elsewhere: z.boolean(),
  /** Changes of the person's data name it in `If-Match`, in quotes. */
  version: z.string(),
  enrollmentMails: z.array(EnrollmentMail),
  /** Whether the service makes links for enrollment, and mails them. */
  links: z.enum(['none', 'shown', 'mailed']),
  /** The person's tokens in each of its domains. */
  tokens: z.array(Token.omit({ code: true }).extend({ domain: Id, keyType: Domain.shape.keyType })),
  hardware: HardwareToken.optional(),
  passkeys: z.array(Passkey.omit({ credentialId: true })),
  codes: z.array(BypassCode.omit({ code: true })),
  /** Browsers that are remembered or kept, each in one domain. What removes a factor, and signing out everywhere, ends them. */
  browsers: z.array(z.object({ domain: Id, name: z.string().optional() })),
  /** The administrator's last question to the person's device, while it waits or its outcome stands. */
  caller: CallerVerification.optional(),
  /** The person said No to the help desk, which cannot act on the person until then. */
  helpDeskBlockedUntil: Seconds.optional(),
})
export type Person = z.infer<typeof Person>

/** A search for people; without any member, it finds everyone. */
export const PeopleSearch = z.object({
  q: z.string().max(maxSearch).optional(),
  filter: PeopleFilter.optional(),
  domain: Id.optional(),
})
export type PeopleSearch = z.infer<typeof PeopleSearch>

/** The order of a list of people. */
export const PeopleSort = z.enum(['name', 'lastSignIn'])
export type PeopleSort = z.infer<typeof PeopleSort>

export const searchPeople = endpoint({
  method: 'GET',
  path: '/admin/people',
  summary:
    'Finds people by parts of name, username, e-mail address, device or serial number, in any order, without case and accents. Without a query, lists them. By name, or by the last sign-in with the newest first; 50 a page.',
  query: PeopleSearch.extend({ sort: PeopleSort.optional(), order: SortOrder.optional(), from: From }),
  response: z.object({ people: z.array(PersonSummary), ...listed }),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
  errors: ['api.error.invalid.q', 'api.error.invalid.filter', 'api.error.notfound.domain'],
})

export const getPerson = endpoint({
  method: 'GET',
  path: '/admin/people/:userId',
  summary: 'Reads a person: factors with their last use, locks, and bypass codes without the codes themselves.',
  response: Person,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})

export const unlockPerson = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/unlock',
  summary: 'Unlocks codes and requests in every domain, a few times in 24 hours. The person is told.',
  body: Reasoned,
  response: Person,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true, everywhere: true },
})

export const endPersonSessions = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/end-sessions',
  summary:
    'Ends the web sessions in which the person has passed the second step, a few times in 24 hours. The person is told.',
  body: Reasoned,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true, everywhere: true },
})

export const resetPerson = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/reset',
  summary: 'Removes every factor, so that the person can enroll a first one again.',
  body: Reasoned,
  response: Person,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true, everywhere: true },
})

export const issuePersonToken = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/domains/:domainId/token',
  summary: 'Issues an activation code, or shows the one that is pending. Does nothing while a device is active.',
  body: Reasoned,
  response: Token,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true },
})

export const revokePersonToken = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/domains/:domainId/token/revoke',
  summary: 'Revokes the token of a domain with its device.',
  body: Reasoned,
  response: Person,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true },
  errors: ['api.error.notfound.token'],
})

export const assignPersonHardware = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/hardware',
  summary: 'Assigns a hardware token by its serial number.',
  body: Reasoned.extend({ serialNumber: SerialNumber }),
  response: Person,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true, everywhere: true },
  errors: ['api.error.notfound.hardware', 'api.error.conflict.hardware'],
})

export const releasePersonHardware = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/hardware/release',
  summary: 'Takes the hardware token away.',
  body: Reasoned,
  response: Person,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true, everywhere: true },
  errors: ['api.error.notfound.hardware'],
})

export const createPersonBypassCode = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/bypass-codes',
  summary: 'Makes a bypass code, and unlocks codes that are locked in the same step.',
  body: NewBypassCode.extend(Reasoned.shape),
  response: BypassCode,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true, everywhere: true },
  errors: ['api.error.limit.bypasscodes'],
})

export const deletePersonBypassCodes = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/bypass-codes/delete',
  summary: 'Deletes all bypass codes.',
  body: Reasoned,
  response: Person,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true, everywhere: true },
})

export const deletePersonPasskey = endpoint({
  method: 'POST',
  path: '/admin/people/:userId/passkeys/:passkeyId/delete',
  summary: 'Deletes a passkey, even the last factor.',
  body: Reasoned,
  response: Person,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true, guarded: true, everywhere: true },
})
