import type { Insertable, Selectable } from 'kysely'

import type { AuditTable, AuditWriterTable, Queryable } from './schema.ts'

export type AuditRow = Selectable<AuditTable>
export type AuditWriterRow = Selectable<AuditWriterTable>

export async function insertAuditWriter(db: Queryable, row: AuditWriterRow): Promise<void> {
  await db.insertInto('auditWriter').values(row).execute()
}

export async function insertAuditRows(db: Queryable, rows: readonly Insertable<AuditTable>[]): Promise<void> {
  await db.insertInto('audit').values(rows).execute()
}

/** Writes down how far a chain has come. */
export async function noteAuditHead(
  db: Queryable,
  { writer, sequence, hash }: { writer: string; sequence: number; hash: string },
  endedAt: number | null,
): Promise<void> {
  await db.updateTable('auditWriter').set({ sequence, hash, endedAt }).where('id', '=', writer).execute()
}

export function auditWriterById(db: Queryable, id: string): Promise<AuditWriterRow | undefined> {
  return db.selectFrom('auditWriter').selectAll().where('id', '=', id).executeTakeFirst()
}

export function auditWriters(db: Queryable): Promise<AuditWriterRow[]> {
  return db.selectFrom('auditWriter').selectAll().orderBy('startedAt').orderBy('id').execute()
}

/** Some of a chain, in order. */
export function auditRowsOf(db: Queryable, writer: string, after: number, limit: number): Promise<AuditRow[]> {
  return db
    .selectFrom('audit')
    .selectAll()
    .where('writer', '=', writer)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute()
}

/** The next chain that has entries, by id. */
export async function auditWriterAfter(db: Queryable, writer: string): Promise<string | undefined> {
  const next = await db
    .selectFrom('audit')
    .select('writer')
    .where('writer', '>', writer)
    .orderBy('writer')
    .limit(1)
    .executeTakeFirst()
  return next?.writer
}

/** What to read of the trail; absent: all. */
export interface AuditFilter {
  readonly event?: string | undefined
  readonly userId?: string | undefined
  readonly organizationId?: string | undefined
  /** Unix time, seconds. */
  readonly since?: number | undefined
}

/** Entries in the order in which they were written, from a position on. */
export function auditRowsAfter(
  db: Queryable,
  filter: AuditFilter,
  position: number,
  limit: number,
): Promise<AuditRow[]> {
  return filtered(db, filter).where('position', '>', position).orderBy('position').limit(limit).execute()
}

/** The newest first. */
export function newestAuditRows(db: Queryable, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  return filtered(db, filter).orderBy('position', 'desc').limit(limit).execute()
}

function filtered(db: Queryable, { event, userId, organizationId, since }: AuditFilter) {
  return (
    db
      .selectFrom('audit')
      .selectAll()
      .$if(event !== undefined, (query) => query.where('event', '=', event ?? ''))
      .$if(organizationId !== undefined, (query) => query.where('organizationId', '=', organizationId ?? ''))
      .$if(since !== undefined, (query) => query.where('at', '>=', since ?? 0))
      // Ids are hexadecimal: the text can stand for nothing else.
      .$if(userId !== undefined, (query) => query.where('facts', 'like', `%"user":"${userId}"%`))
  )
}

/** How many entries there are, at most: positions have no end, and gaps only where something was taken back. */
export async function auditSpan(db: Queryable): Promise<number> {
  const [first, last] = await Promise.all(
    (['asc', 'desc'] as const).map((order) =>
      db.selectFrom('audit').select('position').orderBy('position', order).limit(1).executeTakeFirst(),
    ),
  )
  return first && last ? last.position - first.position + 1 : 0
}

/** Chains whose oldest entry is from before a time. Reads that one entry of each chain, not the whole trail. */
export async function auditWritersBefore(db: Queryable, time: number): Promise<string[]> {
  const rows = await db
    .selectFrom('auditWriter')
    .select('id')
    .where(
      (eb) =>
        eb
          .selectFrom('audit')
          .select('audit.at')
          .whereRef('audit.writer', '=', 'auditWriter.id')
          .whereRef('audit.sequence', '>', 'auditWriter.startSequence')
          .orderBy('audit.sequence')
          .limit(1),
      '<',
      time,
    )
    .execute()
  return rows.map(({ id }) => id)
}

/** Moves the beginning of a chain. @returns false where somebody else did. */
export async function moveAuditStart(
  db: Queryable,
  writer: string,
  from: number,
  to: { sequence: number; hash: string },
): Promise<boolean> {
  const moved = await db
    .updateTable('auditWriter')
    .set({ startSequence: to.sequence, startHash: to.hash })
    .where('id', '=', writer)
    .where('startSequence', '=', from)
    .executeTakeFirst()
  return moved.numUpdatedRows === 1n
}

export async function removeAuditRows(db: Queryable, writer: string, through: number): Promise<void> {
  await db.deleteFrom('audit').where('writer', '=', writer).where('sequence', '<=', through).execute()
}
