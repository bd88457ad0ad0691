import type { Selectable } from 'kysely'

import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, allValues, change, changesRow, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'

/** Seconds. */
export const secondsOfADay = 24 * 60 * 60

export type SignInDayRow = Selectable<Database['signInDay']>

/** Chains with entries whose sign-ins have not been counted. Reads one entry of each chain. */
export const writersToCount = allValues('writersToCount', (db) =>
  db
    .selectFrom('auditWriter')
    .select('id')
    .where('countedSequence', '<', (is) =>
      is
        .selectFrom('audit')
        .select('audit.sequence')
        .whereRef('audit.writer', '=', 'auditWriter.id')
        .whereRef('audit.sequence', '>', 'auditWriter.countedSequence')
        .orderBy('audit.sequence')
        .limit(1),
    ),
)

/** Moves on how far a chain has been counted. @returns false if another process did. */
export const moveCounted = changesRow('moveCounted', (db, writer: Slot<string>, from: Slot<number>, to: Slot<number>) =>
  db
    .updateTable('auditWriter')
    .set({ countedSequence: to })
    .where((is) => is.and({ id: writer, countedSequence: from })),
)

export const addSignIns = change('addSignIns', (db, row: Slots<SignInDayRow>) =>
  db
    .insertInto('signInDay')
    .values(pick(row, ['domainId', 'day', 'outcome', 'factor', 'count']))
    .onConflict((conflict) =>
      conflict
        .columns(['domainId', 'day', 'outcome', 'factor'])
        .doUpdateSet((eb) => ({ count: eb('signInDay.count', '+', row.count) })),
    ),
)

/** The sign-ins of some domains from a day on. */
export const signInDaysOf = allRows('signInDaysOf', (db, domainIds: List<string>, from: Slot<number>) =>
  db.selectFrom('signInDay').selectAll().where('domainId', 'in', domainIds).where('day', '>=', from),
)
