import { z } from 'zod'

import { endpoint } from '../endpoint.ts'
import { Attribute, SessionPurpose, SessionReason, SessionState } from '../session-facts.ts'
import { Id, Seconds } from '../text.ts'
import { Factor } from '../users.ts'

/** How many sign-ins a page has. */
export const signInPage = 20

/** A sign-in of a person, and where it came from. */
export const PersonSignIn = z.object({
  id: Id,
  domain: Id,
  state: SessionState,
  reason: SessionReason.optional(),
  factor: Factor.optional(),
  purpose: SessionPurpose,
  address: z.string().optional(),
  /** What the app said about it, such as the browser and the place. */
  attributes: z.array(Attribute),
  /** Whether it came from a browser in which the person had passed before; absent for those of earlier days. */
  knownBrowser: z.boolean().optional(),
  at: Seconds,
})
export type PersonSignIn = z.infer<typeof PersonSignIn>

export const listPersonSignIns = endpoint({
  method: 'GET',
  path: '/admin/people/:userId/sign-ins',
  summary:
    'Lists the sign-ins of a person, newest first: all of the last 24 hours, and for 90 days those that the present device answered. 20 a page.',
  query: z.object({
    /** The `next` of the page before. */
    before: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional(),
  }),
  response: z.object({ signIns: z.array(PersonSignIn), next: z.string().optional() }),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})
