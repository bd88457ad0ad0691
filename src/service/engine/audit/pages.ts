import { auditPage } from '../../../admin-contract/audit.ts'
import { auditPositionAhead, auditPositionBack, auditRowsBetween, newestAuditPosition } from './page-statements.ts'
import type { AuditQuery } from './page-statements.ts'
import type { AuditRow } from './statements.ts'
import type { Queryable } from '../database/schema/schema.ts'
import { nextTurn } from '../base/next-turn.ts'

/**
 * How many entries one page passes over at most. A filter that matches little would otherwise read a trail of millions at once;
 * 20,000 entries take about 20 ms.
 */
const maxPassed = 20_000

/**
 * Entries younger than this are not shown yet, seconds. PostgreSQL numbers entries before their transaction commits, so a reader
 * that follows would miss those that commit after an entry with a higher number.
 */
export const settling = 2

/** Some of a trail. */
interface Section {
  /** Newest first. */
  readonly rows: readonly AuditRow[]
  /** The position at which older entries continue; undefined at the end. */
  readonly next?: number
  /** The position at which newer entries continue. */
  readonly head: number
}

/** The newest entries before a position; without one, the newest of all. */
export async function readOlder(
  db: Queryable,
  query: AuditQuery,
  before: number | undefined,
  now: number,
): Promise<Section> {
  const head = await headOf(db, query, now)
  const through = before === undefined ? head : Math.min(before - 1, head)
  const after = (await auditPositionBack(db, query.organizationId, through, maxPassed)) ?? 0
  const rows = await auditRowsBetween(db, query, { after, through }, { order: 'desc', limit: auditPage + 1 })
  if (rows.length > auditPage) {
    const pageRows = rows.slice(0, auditPage)
    return { rows: pageRows, next: pageRows.at(-1)?.position ?? 0, head }
  }
  return { rows, head, ...(after > 0 && { next: after + 1 }) }
}

/** The oldest entries after a position, which the next call continues. */
export async function readNewer(db: Queryable, query: AuditQuery, after: number, now: number): Promise<Section> {
  const head = await headOf(db, query, now)
  if (head <= after) return { rows: [], head: after }
  const lastPosition = await auditPositionAhead(db, query.organizationId, after, maxPassed)
  const through = Math.min(head, lastPosition ?? head)
  const rows = await auditRowsBetween(db, query, { after, through }, { order: 'asc', limit: auditPage })
  const isFull = rows.length === auditPage
  return { rows: rows.toReversed(), head: isFull ? (rows.at(-1)?.position ?? through) : through }
}

/** All entries, newest first, a few at a time. */
export async function* readAll(db: Queryable, query: AuditQuery, now: number): AsyncGenerator<readonly AuditRow[]> {
  let before: number | undefined
  do {
    const { rows, next } = await readOlder(db, query, before, now)
    if (rows.length > 0) yield rows
    before = next
    // Lets other requests run: SQLite reads without a pause.
    await nextTurn()
  } while (before !== undefined)
}

const headOf = async (db: Queryable, { organizationId }: AuditQuery, now: number): Promise<number> =>
  (await newestAuditPosition(db, organizationId, now - settling)) ?? 0
