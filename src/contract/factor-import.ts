import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { SerialNumber } from './hardware.ts'
import { ImportedFactors } from './imported-factors.ts'
import { Email, Name, Username } from './users.ts'

/** How many users one request can bring: their factors are stored in one transaction. */
export const maxImportedUsers = 100

/** A user, with what the user passes the second step with in another system. */
const ImportedUser = ImportedFactors.extend({
  username: Username,
  /** The name of a user who is added; the username by default. */
  name: Name.optional(),
  /** The address of a user who is added. */
  email: z.union([Email, z.literal('')]).optional(),
  /** Makes the app a hardware token, which stays in the organization when the user leaves. */
  serialNumber: SerialNumber.optional(),
})
export type ImportedUser = z.infer<typeof ImportedUser>

/**
 * Why nothing was stored for a user: `unknown_user` and `not_member` end with `addUsers`; `enrolled`: the user has, or had, another
 * factor; `reset`: an administrator has removed the factors, and the other system may still have those of a lost phone; `repeated`: the
 * username is there twice; `serial_number`: another hardware token has it; `busy`: the user is being added by somebody else, so try again.
 */
export const ImportRefusal = z.enum([
  'unknown_user',
  'not_member',
  'enrolled',
  'reset',
  'repeated',
  'serial_number',
  'busy',
])
export type ImportRefusal = z.infer<typeof ImportRefusal>

export const ImportOutcome = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('stored') }),
  /** The user has this very app: nothing changed, and a code that was used stays used. */
  z.object({ outcome: z.literal('unchanged') }),
  z.object({ outcome: z.literal('rejected'), reason: ImportRefusal }),
])
export type ImportOutcome = z.infer<typeof ImportOutcome>

export const importFactors = endpoint({
  method: 'POST',
  path: '/domains/:domainId/factors/import',
  summary:
    'Imports the authenticator apps, hardware tokens and recovery codes that up to 100 users have in another system. Repeating it changes nothing.',
  body: z.object({
    users: z.array(ImportedUser).min(1).max(maxImportedUsers),
    /** Adds those who are not in the organization, or not in the domain. */
    addUsers: z.boolean().optional(),
    /** Changes nothing: `stored` means that it would be. */
    dryRun: z.boolean().optional(),
  }),
  response: z.object({
    /** One for each of the users, in their order. */
    users: z.array(ImportOutcome),
    /** How many of the stored seeds are shorter than 128 bits (RFC 4226 section 4, R6). */
    shortSeeds: z.int(),
  }),
  since: '1.4',
})
