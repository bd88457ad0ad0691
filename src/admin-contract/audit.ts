import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { Id, Seconds, text } from '../contract/text.ts'
import { auditShapes } from './audit-shapes.ts'

/** How many entries a page has at most. */
export const auditPage = 50

/** A number in a query. */
const digits = z.string().regex(auditShapes.digits)

/** A filter for the trail; absent: everything. */
const filters = {
  /** An event such as `session.denied`; several are separated by commas. */
  event: z.string().regex(auditShapes.events).optional(),
  /** The person that an entry is about. */
  user: Id.optional(),
  domain: Id.optional(),
  /** The id of an API key, device or administrator, or a name at the command line. */
  actor: text(1, 128).optional(),
  /** Why a sign-in failed, such as `reported`; `not_reported` for any other reason, and none. */
  reason: z.string().regex(auditShapes.reason).optional(),
  /** The factor of a sign-in. */
  factor: z.string().regex(auditShapes.factor).optional(),
  /** Unix time, seconds: not before, and before. */
  since: digits.optional(),
  until: digits.optional(),
}

/** An entry of the audit trail. */
export const AuditItem = z.object({
  /** The entry's place in the trail; later entries have higher ones. */
  position: z.int(),
  at: Seconds,
  event: z.string(),
  actor: z.object({ kind: z.enum(['api_key', 'device', 'administrator', 'cli', 'service']), id: z.string() }),
  address: z.string().nullable(),
  /** Ids and plain facts. */
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  requestId: z.string().optional(),
})
export type AuditItem = z.infer<typeof AuditItem>

/** Some entries, newest first. */
export const AuditPage = z.object({
  entries: z.array(AuditItem),
  /** The names of people, domains and administrators that the entries name by their ids, as far as they are visible. */
  names: z.record(z.string(), z.string()),
  /** `before` of the next page, absent at the end. A page can have few entries and still have a next one. */
  next: z.int().optional(),
  /** `after` of a request that follows. */
  head: z.int(),
})
export type AuditPage = z.infer<typeof AuditPage>

export const listAudit = endpoint({
  method: 'GET',
  path: '/admin/audit',
  summary:
    'Reads the audit trail, newest first. `before` continues with older entries; `after` reads newer ones, and waits for them with `Prefer: wait`.',
  query: z.object({ ...filters, before: digits.optional(), after: digits.optional() }),
  response: AuditPage,
  held: true,
  since: '1.4',
  admin: { role: 'auditor', scope: 'domain' },
  errors: ['api.error.notfound.domain'],
})

export const exportAuditCsv = endpoint({
  method: 'GET',
  path: '/admin/audit/entries.csv',
  summary:
    'Downloads the filtered audit trail as CSV, newest first. An apostrophe stands before everything that a spreadsheet would calculate.',
  query: z.object(filters),
  media: 'text/csv',
  response: z.string(),
  since: '1.4',
  admin: { role: 'auditor', scope: 'domain' },
  errors: ['api.error.notfound.domain'],
})

export const exportAuditLines = endpoint({
  method: 'GET',
  path: '/admin/audit/entries.jsonl',
  summary: 'Downloads the filtered audit trail as JSON lines, newest first.',
  query: z.object(filters),
  media: 'application/jsonl',
  response: z.string(),
  since: '1.4',
  admin: { role: 'auditor', scope: 'domain' },
  errors: ['api.error.notfound.domain'],
})
