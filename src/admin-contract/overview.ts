import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { Id, Seconds } from '../contract/text.ts'
import { Factor } from '../contract/factor.ts'

/** Sign-ins of one day that ended in the same way. */
export const SignInCount = z.object({
  /** Unix time of the beginning of the day, UTC. */
  day: Seconds,
  outcome: z.enum(['approved', 'denied', 'reported', 'expired', 'cancelled']),
  /** The factor that passed or was tried; absent if none was. */
  factor: Factor.optional(),
  count: z.int(),
})
export type SignInCount = z.infer<typeof SignInCount>

/** Counts the members of a domain who can pass the second step. */
export const DomainEnrollment = z.object({
  domain: Id,
  name: z.string(),
  members: z.int(),
  /** People with a device, a passkey or a hardware token. */
  enrolled: z.int(),
  /** The other people, as far as they can get codes by e-mail. */
  onlyEmail: z.int(),
  /** Large domains are counted every 15 minutes. */
  countedAt: Seconds,
})
export type DomainEnrollment = z.infer<typeof DomainEnrollment>

/** Whether the parts of the service work. For administrators of the whole organization. */
export const Health = z.object({
  /** The processes that use the database, and when each was last seen. */
  nodes: z.array(z.object({ name: z.string(), seenAt: Seconds })),
  /** Whether all of them have the key that values are sealed with. */
  keysAgree: z.boolean(),
  mail: z.boolean(),
  push: z.boolean(),
})
export type Health = z.infer<typeof Health>

export const Overview = z.object({
  domains: z.array(DomainEnrollment),
  /** Large domains that were not counted yet. */
  uncounted: z.array(Id),
  signIns: z.array(SignInCount),
  /** People whose codes are locked now. */
  locked: z.int(),
  /** Requests that wait for an answer now. */
  waiting: z.int(),
  /** Requests that people have reported in the last 24 hours. */
  reported: z.int(),
  health: Health.optional(),
})
export type Overview = z.infer<typeof Overview>

export const getOverview = endpoint({
  method: 'GET',
  path: '/admin/overview',
  summary: 'Reads the figures of the overview, of one domain or of all that the administrator can see.',
  query: z.object({ domain: Id.optional() }),
  response: Overview,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
  errors: ['api.error.notfound.domain'],
})
