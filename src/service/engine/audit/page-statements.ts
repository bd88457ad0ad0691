import type { SelectQueryBuilder } from 'kysely'

import type { AuditRow } from './statements.ts'
import type { Database, Queryable } from '../database/schema/schema.ts'
import { allRows, firstValue } from '../database/statement.ts'
import type { List, Slot } from '../database/statement.ts'

/** A filter for an organization's trail; absent: everything. */
export interface AuditQuery {
  readonly organizationId: string
  /** Only entries about these domains; null for all entries. */
  readonly domainIds: readonly string[] | null
  readonly events?: readonly string[] | undefined
  readonly actor?: string | undefined
  /** Unix time, seconds. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  /** Texts that facts must have. */
  readonly facts: Readonly<Record<string, string>>
  /** Texts that facts must not have. */
  readonly otherFacts?: Readonly<Record<string, string>>
}

/** Positions between which entries are read: after the one, up to the other. */
export interface AuditRange {
  readonly after: number
  readonly through: number
}

/** Entries of a range. Reads all of it, so it must be short. */
export function auditRowsBetween(
  db: Queryable,
  query: AuditQuery,
  { after, through }: AuditRange,
  { order, limit }: { readonly order: 'asc' | 'desc'; readonly limit: number },
): Promise<AuditRow[]> {
  const { organizationId, domainIds, events, actor, since, until, facts, otherFacts = {} } = query
  const rows = db
    .selectFrom('audit')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('position', '>', after)
    .where('position', '<=', through)
    .$if(events !== undefined, (selection) => selection.where('event', 'in', events ?? []))
    .$if(actor !== undefined, (selection) => selection.where('actorId', '=', actor ?? ''))
    .$if(since !== undefined, (selection) => selection.where('at', '>=', since ?? 0))
    .$if(until !== undefined, (selection) => selection.where('at', '<', until ?? 0))
    .$if(domainIds !== null, (selection) => aboutSome(selection, domainIds ?? []))
  const having = Object.entries(facts).reduce(
    (selection, [name, value]) => selection.where('facts', 'like', factPattern(name, value)),
    rows,
  )
  return Object.entries(otherFacts)
    .reduce((selection, [name, value]) => selection.where('facts', 'not like', factPattern(name, value)), having)
    .orderBy('position', order)
    .limit(limit)
    .execute()
}

type Entries = SelectQueryBuilder<Database, 'audit', AuditRow>

/** Entries about no domain are about none of these, and no domains have no entries. */
const aboutSome = (entries: Entries, domainIds: readonly string[]): Entries =>
  entries.where((is) => is.or(domainIds.map((id) => is('facts', 'like', factPattern('domain', id)))))

/** A fact as JSON writes it. Values are ids or plain words; JSON escapes the quotes in texts of callers. */
const factPattern = (name: string, value: string): string => `%"${name}":"${value}"%`

/** The entry of an organization that so many are newer than, of those up to a position. */
export const auditPositionBack = firstValue(
  'auditPositionBack',
  (db, organizationId: Slot<string>, through: Slot<number>, count: Slot<number>) =>
    db
      .selectFrom('audit')
      .select('position')
      .where('organizationId', '=', organizationId)
      .where('position', '<=', through)
      .orderBy('position', 'desc')
      .offset(count)
      .limit(1),
)

/** The same in the other direction: the last of the next so many entries. */
export const auditPositionAhead = firstValue(
  'auditPositionAhead',
  (db, organizationId: Slot<string>, after: Slot<number>, count: Slot<number>) =>
    db
      .selectFrom('audit')
      .select('position')
      .where('organizationId', '=', organizationId)
      .where('position', '>', after)
      .orderBy('position')
      .offset(count)
      .limit(1),
)

/** The newest entry of an organization that is not younger than a time. */
export const newestAuditPosition = firstValue(
  'newestAuditPosition',
  (db, organizationId: Slot<string>, latest: Slot<number>) =>
    db
      .selectFrom('audit')
      .select('position')
      .where('organizationId', '=', organizationId)
      .where('position', '>', 0)
      .where('at', '<=', latest)
      .orderBy('position', 'desc')
      .limit(1),
)

/** People with these ids, of any organization: by id alone, SQLite finds them by the primary key. */
export const userNames = allRows('userNames', (db, ids: List<string>) =>
  db.selectFrom('user').select(['id', 'organizationId', 'username', 'name']).where('id', 'in', ids),
)

/** Finds the people who belong to at least one of the domains. */
export const membersOfSome = allRows('membersOfSome', (db, ids: List<string>, domainIds: List<string>) =>
  db.selectFrom('member').select('userId').distinct().where('userId', 'in', ids).where('domainId', 'in', domainIds),
)
