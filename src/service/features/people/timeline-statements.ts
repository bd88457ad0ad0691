import { sql } from 'kysely'
import type { ExpressionBuilder, RawBuilder, SqlBool } from 'kysely'

import { isPending } from '../sessions/pending.ts'
import type { Database, Queryable } from '../../engine/database/schema.ts'
import { allRows, change, isPostgres } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import { endsOfSignIns, leftOut } from './timeline-events.ts'

/** Entries of a chain of the audit trail: after the one, up to the other. */
export interface ChainRange {
  readonly writer: string
  readonly after: number
  readonly through: number
}

/** A text in the facts of an entry; null if there is none. */
const factOf = (db: Queryable, name: string): RawBuilder<string | null> =>
  isPostgres(db)
    ? sql`(${sql.ref('audit.facts')}::json ->> ${sql.lit(name)})`
    : sql`json_extract(${sql.ref('audit.facts')}, ${sql.lit(`$.${name}`)})`

/** Entries about people. */
const entriesOf = (db: Queryable, { writer, after, through }: Slots<ChainRange>) =>
  db
    .selectFrom('audit')
    .innerJoin('user', (join) => join.on('user.id', '=', factOf(db, 'user')))
    .where('audit.writer', '=', writer)
    .where('audit.sequence', '>', after)
    .where('audit.sequence', '<=', through)
    .where('audit.event', 'not in', leftOut)

/** Notes whose entries these are. A sign-in itself notes nothing, because an index by person would slow it down. */
export const addToTimeline = change('addToTimeline', (db, range: Slots<ChainRange>) =>
  db
    .insertInto('timelineEntry')
    .columns(['userSequence', 'position', 'signIn'])
    .expression(
      entriesOf(db, range).select([
        'user.sequence',
        'audit.position',
        (is) => is.case().when('audit.event', 'in', endsOfSignIns).then(1).else(0).end().as('signIn'),
      ]),
    ),
)

/** In the transaction that removes the entries. */
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

/** In the transaction that removes the user. */
export const removeTimeline = change('removeTimeline', (db, userId: Slot<string>) =>
  db
    .deleteFrom('timelineEntry')
    .where('userSequence', 'in', db.selectFrom('user').select('user.sequence').where('user.id', '=', userId)),
)

/** What an administrator may see about a person. */
export interface PersonScope {
  readonly userId: string
  /** Only what is about one of these domains, or about none, unless `everyone` is 1. */
  readonly domainIds: readonly string[]
  readonly everyone: 0 | 1
}

export interface TimelineQuery extends PersonScope {
  /** Only older entries. */
  readonly before: number
  readonly limit: number
}

export type TimelineKind = 'all' | 'sign_ins' | 'changes'

/** Entries about a person, newest first. One statement for each kind, because statements are not built in requests. */
const pageOf = (kind: TimelineKind) =>
  allRows(`timeline ${kind}`, (db, of: Slots<TimelineQuery>) =>
    db
      .selectFrom('user')
      .innerJoin('timelineEntry', 'timelineEntry.userSequence', 'user.sequence')
      .innerJoin('audit', 'audit.position', 'timelineEntry.position')
      .selectAll('audit')
      .where('user.id', '=', of.userId)
      .where('timelineEntry.position', '<', of.before)
      .$if(kind !== 'all', (some) => some.where('timelineEntry.signIn', '=', kind === 'sign_ins' ? 1 : 0))
      .where((is) => is.or([sql<SqlBool>`${of.everyone} = 1`, isVisible(db, is, of.domainIds)]))
      .orderBy('timelineEntry.position', 'desc')
      .limit(of.limit),
  )

/** What is about no domain counts in each of them, such as a recovery code. */
const isVisible = (db: Queryable, is: ExpressionBuilder<Database, 'audit'>, domainIds: List<string>) =>
  is.or([is(factOf(db, 'domain'), 'is', null), is(factOf(db, 'domain'), 'in', domainIds)])

export const timelinePages = { all: pageOf('all'), sign_ins: pageOf('sign_ins'), changes: pageOf('changes') }

/** Sessions of a person that wait for an answer, newest first. */
export const pendingSessionsOf = allRows('pendingSessionsOf', (db, of: Slots<PersonScope>, now: Slot<number>) =>
  db
    .selectFrom('session')
    .select(['id', 'domainId', 'purpose', 'attributes', 'ipAddress', 'knownBrowser', 'createdAt'])
    .where('userId', '=', of.userId)
    .where(isPending(now))
    .where((is) => is.or([sql<SqlBool>`${of.everyone} = 1`, is('domainId', 'in', of.domainIds)]))
    .orderBy('createdAt', 'desc'),
)

/** What is still known of some sign-ins, while their sessions are kept. */
export const sessionsByIds = allRows('sessionsByIds', (db, ids: List<string>, userId: Slot<string>) =>
  db
    .selectFrom('session')
    .select(['id', 'purpose', 'attributes', 'ipAddress', 'knownBrowser', 'createdAt'])
    .where('id', 'in', ids)
    .where('userId', '=', userId),
)

/** What devices remember of some sign-ins. */
export const answersByIds = allRows('answersByIds', (db, ids: List<string>, deviceIds: List<string>) =>
  db
    .selectFrom('deviceHistory')
    .select(['sessionId as id', 'purpose', 'attributes', 'ipAddress', 'createdAt'])
    .where('deviceId', 'in', deviceIds)
    .where('sessionId', 'in', ids),
)
