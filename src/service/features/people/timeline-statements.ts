import { sql } from 'kysely'
import type { ExpressionBuilder, SqlBool } from 'kysely'

import { isPending } from '../../engine/database/pending.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import { factOf } from '../../engine/audit/timeline.ts'

/** The part of a person's timeline that an administrator may see. */
export interface PersonScope {
  readonly userId: string
  /** Only what is about one of these domains, or about none, unless `everyone` is 1. */
  readonly domainIds: readonly string[]
  readonly everyone: 0 | 1
}

export interface TimelineQuery extends PersonScope {
  /** Limits the result to older entries. */
  readonly before: number
  readonly limit: number
}

export type TimelineKind = 'all' | 'sign_ins' | 'changes'

/** Entries about a person, newest first. One statement for each kind, because statements are not built in requests. */
const pageOf = (kind: TimelineKind) =>
  allRows(`timeline ${kind}`, (db, slots: Slots<TimelineQuery>) =>
    db
      .selectFrom('user')
      .innerJoin('timelineEntry', 'timelineEntry.userSequence', 'user.sequence')
      .innerJoin('audit', 'audit.position', 'timelineEntry.position')
      .selectAll('audit')
      .where('user.id', '=', slots.userId)
      .where('timelineEntry.position', '<', slots.before)
      .$if(kind !== 'all', (query) => query.where('timelineEntry.signIn', '=', kind === 'sign_ins' ? 1 : 0))
      .where((is) => is.or([sql<SqlBool>`${slots.everyone} = 1`, isVisible(db, is, slots.domainIds)]))
      .orderBy('timelineEntry.position', 'desc')
      .limit(slots.limit),
  )

/** What is about no domain counts in each of them, such as a recovery code. */
const isVisible = (db: Queryable, is: ExpressionBuilder<Database, 'audit'>, domainIds: List<string>) =>
  is.or([is(factOf(db, 'domain'), 'is', null), is(factOf(db, 'domain'), 'in', domainIds)])

export const timelinePages = { all: pageOf('all'), sign_ins: pageOf('sign_ins'), changes: pageOf('changes') }

/** Sessions of a person that wait for an answer, newest first. */
export const pendingSessionsOf = allRows('pendingSessionsOf', (db, slots: Slots<PersonScope>, now: Slot<number>) =>
  db
    .selectFrom('session')
    .select(['id', 'domainId', 'purpose', 'attributes', 'ipAddress', 'knownBrowser', 'createdAt'])
    .where('userId', '=', slots.userId)
    .where(isPending(now))
    .where((is) => is.or([sql<SqlBool>`${slots.everyone} = 1`, is('domainId', 'in', slots.domainIds)]))
    .orderBy('createdAt', 'desc'),
)

/** The facts about some sign-ins that are known while their sessions are kept. */
export const sessionsByIds = allRows('sessionsByIds', (db, ids: List<string>, userId: Slot<string>) =>
  db
    .selectFrom('session')
    .select(['id', 'purpose', 'attributes', 'ipAddress', 'knownBrowser', 'createdAt'])
    .where('id', 'in', ids)
    .where('userId', '=', userId),
)

/** The answers of devices to some sign-ins. */
export const answersByIds = allRows('answersByIds', (db, ids: List<string>, deviceIds: List<string>) =>
  db
    .selectFrom('deviceHistory')
    .select(['sessionId as id', 'purpose', 'attributes', 'ipAddress', 'createdAt'])
    .where('deviceId', 'in', deviceIds)
    .where('sessionId', 'in', ids),
)
