import { z } from 'zod'

import type { SentFactor } from './factor-descriptions.ts'
import { endpoint } from './endpoint.ts'
import { pageQuery } from './page-query.ts'
import { PhishingResistance } from './phishing-resistance.ts'
import { Id } from './text.ts'
import { NewUser, User, User13, Username } from './users.ts'

/** `off`: never; `offered`: when the caller requests it; `required`: sessions that cannot have it are denied. */
export const NumberMatching = z.enum(['off', 'offered', 'required'])
export type NumberMatching = z.infer<typeof NumberMatching>

/** A domain in 1.3. */
export const Domain13 = z.object({
  id: Id,
  name: z.string(),
  type: z.enum(['RADIUS', 'WEB', 'PAM', 'OTHER']),
  keyType: z.enum(['NONE', 'PIN', 'PASSCODE']),
  /** Wrong PINs until a token is revoked. */
  maxAllowedRetries: z.int(),
  /** Lifetime of a session, seconds. */
  requestTimeout: z.int(),
  /** Lifetime of an activation code, days. */
  activationCodeExpiration: z.int(),
  requestPollingEnabled: z.boolean(),
  bypassEnabled: z.boolean(),
  emailOtpEnabled: z.boolean(),
})

/** A protected app, with the users who may sign in to it and its rules. */
export const Domain = Domain13.extend({
  numberMatching: NumberMatching.optional(),
  /** Which factors count: all of them, or only passkeys. A session can ask for more, and not for less. */
  phishingResistant: PhishingResistance.optional(),
  /** The version of its users after the last synchronization; the next one can name it in `If-Match`, in quotes. */
  synchronizationVersion: z.int().optional(),
})
export type Domain = z.infer<typeof Domain>

/** A setting of a domain that is on or off. */
export type DomainSwitch = { [S in keyof Domain]-?: boolean extends Domain[S] ? S : never }[keyof Domain]

/** The setting that says whether a domain takes the codes of a factor that are sent. */
export const switchOf = (factor: SentFactor) => `${factor}OtpEnabled` as const

/** Whether each switch is on in a new domain. */
export const switchDefaults: Readonly<Record<DomainSwitch | ReturnType<typeof switchOf>, boolean>> = {
  requestPollingEnabled: true,
  // Safe as a default: only an administrator, or an app with a key of role `admin`, can create bypass codes.
  bypassEnabled: true,
  // The weakest factor is opt-in.
  emailOtpEnabled: false,
}

export const domainSwitches = Object.keys(switchDefaults) as DomainSwitch[]

/** Makes an object with a value for each switch. */
export const mapSwitches = <T>(valueOf: (name: DomainSwitch) => T): Record<DomainSwitch, T> =>
  Object.fromEntries(domainSwitches.map((name) => [name, valueOf(name)])) as Record<DomainSwitch, T>

export const getDomain = endpoint({
  method: 'GET',
  path: '/domains/:domainId',
  summary: 'Reads a domain and its rules.',
  response: Domain,
  response13: Domain13,
  role: 'auth',
})

export const addMember = endpoint({
  method: 'PUT',
  path: '/domains/:domainId/users/:userId',
  summary: 'Adds a user to the domain; does nothing for a member.',
})

export const getMember = endpoint({
  method: 'GET',
  path: '/domains/:domainId/users/:userId',
  summary: 'Reads a user of the domain.',
  response: User,
  response13: User13,
  role: 'auth',
})

export const listMembers = endpoint({
  method: 'GET',
  path: '/domains/:domainId/users',
  summary: 'Lists the users of the domain, 100 a page.',
  query: z.object(pageQuery),
  response: z.array(User),
  response13: z.array(User13),
  role: 'auth',
  errors: ['api.error.invalid.page'],
})

export const removeMember = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/users/:userId',
  summary: 'Removes a user from the domain and revokes its token there.',
})

/** A row of a synchronization in 1.4: name and address are used if they can be. */
const SynchronizedUser = z.object({
  username: Username,
  /** Where it cannot be used, a known user keeps the name, and a new one is called like the username. */
  name: z.string(),
  /** Where it cannot be used, a known user keeps the address, and a new one has none. `""` is no address. */
  email: z.string(),
})

/** How many rows a report lists; the rest are only counted. */
export const maxReportedRows = 100

/** The values that a synchronization could not use. Its users are synchronized all the same. */
export const SynchronizationReport = z.object({
  /** The number of names and addresses that were not used. */
  unused: z.int().positive(),
  /** The first of them. */
  rows: z
    .array(
      z.object({
        /** The position in the body, from 0. */
        row: z.int().nonnegative(),
        field: z.enum(['name', 'email']),
        /** The reason; it does not quote the value. */
        message: z.string(),
      }),
    )
    .max(maxReportedRows),
})
export type SynchronizationReport = z.infer<typeof SynchronizationReport>

/** The largest body of a synchronization, bytes. */
const synchronizationLimit = 16 * 1024 * 1024

export const synchronizeMembers = endpoint({
  method: 'PUT',
  path: '/domains/:domainId/users',
  summary:
    'Replaces the users of the domain by those of the body, all at once or not at all. With `If-Match`, only if the version matches (1.4). Reports names and addresses that cannot be used, instead of rejecting all rows (1.4).',
  body: z.array(SynchronizedUser),
  body13: z.array(NewUser),
  response: SynchronizationReport.optional(),
  response13: 'none',
  bodyLimit: synchronizationLimit,
  errors: ['api.error.invalid.users', 'api.error.precondition'],
})

export const getDomainImage = endpoint({
  method: 'GET',
  path: '/domains/:domainId/image',
  summary: "Reads the domain's image.",
  media: 'image/png',
  role: 'auth',
})

export const noteEmergency = endpoint({
  method: 'POST',
  path: '/domains/:domainId/emergencies',
  summary: 'Records in the audit trail that an app lets its users pass without the second step until a time.',
  body: z.object({
    /** Unix time, seconds. */
    until: z.int().nonnegative().max(9_999_999_999),
  }),
  role: 'auth',
  since: '1.4',
})
