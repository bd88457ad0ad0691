import { sql } from 'kysely'
import type { RawBuilder, SelectQueryBuilder } from 'kysely'

import { change, isPostgres } from '../database/statement.ts'
import type { Slot, Slots } from '../database/statement.ts'
import { endsOfSignIns, leftOut } from './timeline-events.ts'
import type { Database, Queryable } from '../database/schema/schema.ts'

/** Entries of a chain of the audit trail: after the one, up to the other. */
export interface ChainRange {
  readonly writer: string
  readonly after: number
  readonly through: number
}

/** Notes whose entries these are. A sign-in itself notes nothing, because an index by person would slow it down. */
export const addToTimeline = change('addToTimeline', (db, range: Slots<ChainRange>) =>
  db
    .insertInto('timelineEntry')
    .columns(['userSequence', 'position', 'signIn'])
    .expression(
      stayingUsers(
        db,
        entriesOf(db, range).select([
          'user.sequence',
          'audit.position',
          (is) => is.case().when('audit.event', 'in', endsOfSignIns).then(1).else(0).end().as('signIn'),
        ]),
      ),
    ),
)

/** Leaves out users who are being deleted: a row that refers to one would undo a whole read committed transaction. */
export const stayingUsers = <Tables extends 'user' | 'audit', Row>(
  db: Queryable,
  users: SelectQueryBuilder<Database, Tables, Row>,
) => (isPostgres(db) ? users.forKeyShare('user' as Tables) : users)

/** Runs in the transaction that removes the entries. */
export const removeFromTimeline = change('removeFromTimeline', (db, range: Slots<ChainRange>) =>
  db
    .deleteFrom('timelineEntry')
    .where((is) =>
      is(
        is.refTuple('timelineEntry.userSequence', 'timelineEntry.position'),
        'in',
        entriesOf(db, range).select(['user.sequence', 'audit.position']).$asTuple('sequence', 'position'),
      ),
    ),
)

/** Runs in the transaction that removes the user. */
export const removeTimeline = change('removeTimeline', (db, userId: Slot<string>) =>
  db
    .deleteFrom('timelineEntry')
    .where('userSequence', 'in', db.selectFrom('user').select('user.sequence').where('user.id', '=', userId)),
)

/** Entries about people. */
const entriesOf = (db: Queryable, { writer, after, through }: Slots<ChainRange>) =>
  db
    .selectFrom('audit')
    .innerJoin('user', (join) => join.on('user.id', '=', factOf(db, 'user')))
    .where('audit.writer', '=', writer)
    .where('audit.sequence', '>', after)
    .where('audit.sequence', '<=', through)
    .where('audit.event', 'not in', leftOut)

/** A text in the facts of an entry; null if there is none. */
export const factOf = (db: Queryable, name: string): RawBuilder<string | null> =>
  isPostgres(db)
    ? sql`(${sql.ref('audit.facts')}::json ->> ${sql.lit(name)})`
    : sql`json_extract(${sql.ref('audit.facts')}, ${sql.lit(`$.${name}`)})`
