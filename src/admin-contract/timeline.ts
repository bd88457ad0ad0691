import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { Attribute, SessionPurpose, SessionReason, SessionState } from '../contract/session-facts.ts'
import { Id, Seconds } from '../contract/text.ts'
import { Factor } from '../contract/factor.ts'
import { AuditItem } from './audit.ts'

/** How many entries a page has. */
export const timelinePage = 20

export const TimelineKind = z.enum(['sign_ins', 'changes'])
export type TimelineKind = z.infer<typeof TimelineKind>

/** A sign-in of a person, and where it came from. */
export const PersonSignIn = z.object({
  id: Id,
  domain: Id,
  state: SessionState,
  reason: SessionReason.optional(),
  factor: Factor.optional(),
  purpose: SessionPurpose,
  address: z.string().optional(),
  /** The attributes that the app reported, such as the browser and the place. */
  attributes: z.array(Attribute),
  /** Whether it came from a browser in which the person had passed before; absent for those of earlier days. */
  knownBrowser: z.boolean().optional(),
  at: Seconds,
})
export type PersonSignIn = z.infer<typeof PersonSignIn>

/** An entry of the audit trail about a person, with those facts that tell what happened, and without addresses. */
export const TimelineEntry = AuditItem.omit({ address: true, requestId: true }).extend({
  /** The origin of a sign-in, while it is known. */
  signIn: PersonSignIn.partial({ purpose: true }).optional(),
})
export type TimelineEntry = z.infer<typeof TimelineEntry>

export const listPersonTimeline = endpoint({
  method: 'GET',
  path: '/admin/people/:userId/timeline',
  summary:
    'Lists the sign-ins of a person and the changes of what signs the person in, newest first, as long as the audit trail has them. 20 a page. Administrators of some domains see what is about these domains or about none.',
  query: z.object({
    kind: TimelineKind.optional(),
    /** The `next` of the page before. */
    before: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional(),
  }),
  response: z.object({
    /** Sign-ins that wait for an answer now; on the first page only. */
    waiting: z.array(PersonSignIn),
    entries: z.array(TimelineEntry),
    /** The names of domains and administrators that the sign-ins and entries name by their ids, as far as they are visible. */
    names: z.record(Id, z.string()),
    next: z.string().optional(),
  }),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})
