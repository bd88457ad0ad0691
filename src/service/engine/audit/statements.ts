import type { Insertable, Selectable } from 'kysely'

import type { Database, Queryable } from '../database/schema/schema.ts'
import { allRows, allValues, change, changesRow, firstRow, firstValue, pick } from '../database/statement.ts'
import type { Slot, Slots } from '../database/statement.ts'

export type AuditRow = Selectable<Database['audit']>
export type AuditWriterRow = Selectable<Database['auditWriter']>

export const insertAuditWriter = change(
  'insertAuditWriter',
  (db, row: Slots<Omit<AuditWriterRow, 'countedSequence'>>) =>
    db
      .insertInto('auditWriter')
      .values(pick(row, ['id', 'sequence', 'hash', 'startSequence', 'startHash', 'startedAt', 'endedAt'])),
)

export async function insertAuditRows(db: Queryable, rows: readonly NewAuditRow[]): Promise<void> {
  for (const row of rows) await insertAuditRow(db, row)
}

type NewAuditRow = Omit<Insertable<Database['audit']>, 'position'>

const insertAuditRow = change('insertAuditRow', (db, row: Slots<NewAuditRow>) =>
  db.insertInto('audit').values({
    ...pick(row, ['writer', 'sequence', 'at', 'event', 'actorKind', 'actorId', 'organizationId', 'address']),
    ...pick(row, ['facts', 'hash']),
  }),
)

/** Writes down how far a chain has come. */
export const noteAuditHead = change(
  'noteAuditHead',
  (db, head: Slots<Pick<AuditRow, 'writer' | 'sequence' | 'hash'>>, endedAt: Slot<number | null>) =>
    db
      .updateTable('auditWriter')
      .set({ ...pick(head, ['sequence', 'hash']), endedAt })
      .where('id', '=', head.writer),
)

export const auditWriterById = firstRow('auditWriterById', (db, id: Slot<string>) =>
  db.selectFrom('auditWriter').selectAll().where('id', '=', id),
)

export const auditWriters = allRows('auditWriters', (db) =>
  db.selectFrom('auditWriter').selectAll().orderBy('startedAt').orderBy('id'),
)

export const auditHashAt = firstValue('auditHashAt', (db, writer: Slot<string>, sequence: Slot<number>) =>
  db
    .selectFrom('audit')
    .select('hash')
    .where((is) => is.and({ writer, sequence })),
)

/** The end of a chain. */
export const lastAuditSequence = firstValue('lastAuditSequence', (db, writer: Slot<string>) =>
  db.selectFrom('audit').select('sequence').where('writer', '=', writer).orderBy('sequence', 'desc').limit(1),
)

/** Some of a chain, in order. */
export const auditRowsOf = allRows(
  'auditRowsOf',
  (db, writer: Slot<string>, after: Slot<number>, limit: Slot<number>) =>
    db
      .selectFrom('audit')
      .selectAll()
      .where('writer', '=', writer)
      .where('sequence', '>', after)
      .orderBy('sequence')
      .limit(limit),
)

/** The next chain that has entries, by id. */
export const auditWriterAfter = firstValue('auditWriterAfter', (db, writer: Slot<string>) =>
  db.selectFrom('audit').select('writer').where('writer', '>', writer).orderBy('writer').limit(1),
)

/** A filter for the trail; absent: all entries. */
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

/** The newest first. Built for each call, as filters differ. */
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
export const auditWritersBefore = allValues('auditWritersBefore', (db, time: Slot<number>) =>
  db
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
    ),
)

/** Moves the beginning of a chain. @returns false where another process did. */
export const moveAuditStart = changesRow(
  'moveAuditStart',
  (db, writer: Slot<string>, from: Slot<number>, to: Slots<{ sequence: number; hash: string }>) =>
    db
      .updateTable('auditWriter')
      .set({ startSequence: to.sequence, startHash: to.hash })
      .where((is) => is.and({ id: writer, startSequence: from })),
)

export const removeAuditRows = change('removeAuditRows', (db, writer: Slot<string>, through: Slot<number>) =>
  db.deleteFrom('audit').where('writer', '=', writer).where('sequence', '<=', through),
)
