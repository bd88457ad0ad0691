import { switchOf } from '../../../contract/domains.ts'
import { sql } from 'kysely'
import type { Selectable, SqlBool } from 'kysely'

import { isPending } from '../../engine/database/pending.ts'
import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, allValues, change, oneRow, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import { canBeSent, isStrong } from '../factors/strong-factors.ts'
import { sendingColumns } from '../users/reach.ts'
import type { Sending } from '../users/reach.ts'

/** The members that one statement counts: it takes about 15 ms. */
export const enrollmentStep = 2_000

export type EnrollmentRow = Selectable<Database['enrollmentCount']>

/** Counts some members of a domain, in the order of their ids. `last` is the last of them. */
export const countMembers = oneRow('countMembers', (db, domain: Slots<Sending & { id: string }>, after: Slot<string>) =>
  db
    .selectFrom(
      db
        // Before their users are read: the order is that of an index.
        .selectFrom(
          db
            .selectFrom('member')
            .select('member.userId')
            .where('member.domainId', '=', domain.id)
            .where('member.userId', '>', after)
            .orderBy('member.userId')
            .limit(enrollmentStep)
            .as('few'),
        )
        .innerJoin('user', 'user.id', 'few.userId')
        .select((is) => [
          'few.userId',
          is
            .case()
            .when(isStrong(is, (isToken) => isToken('token.domainId', '=', domain.id)))
            .then(1)
            .else(0)
            .end()
            .as('strong'),
          is
            .case()
            .when(canBeSent(is, (factor) => sql<SqlBool>`${domain[switchOf(factor)]} = 1`))
            .then(1)
            .else(0)
            .end()
            .as('reachable'),
        ])
        .as('some'),
    )
    .select((is) => [
      is.fn.countAll<number | string>().as('members'),
      is.fn.sum<number | string | null>('some.strong').as('enrolled'),
      is.fn
        .sum<number | string | null>(
          is
            .case()
            .when(is.and([is('some.strong', '=', 0), is('some.reachable', '=', 1)]))
            .then(1)
            .else(0)
            .end(),
        )
        .as('reachable'),
      is.fn.max('some.userId').as('last'),
    ]),
)

/** Domains that were not counted since a time. */
export const domainsToCount = allRows('domainsToCount', (db, time: Slot<number>) =>
  db
    .selectFrom('domain')
    .leftJoin('enrollmentCount', 'enrollmentCount.domainId', 'domain.id')
    .select(['domain.id', ...sendingColumns, 'enrollmentCount.countedAt'])
    .where((is) => is.or([is('enrollmentCount.countedAt', 'is', null), is('enrollmentCount.countedAt', '<', time)])),
)

export const noteEnrollment = change('noteEnrollment', (db, row: Slots<EnrollmentRow>) =>
  db
    .insertInto('enrollmentCount')
    .values(pick(row, ['domainId', 'members', 'enrolled', 'onlyEmail', 'countedAt']))
    .onConflict((conflict) =>
      conflict.column('domainId').doUpdateSet(pick(row, ['members', 'enrolled', 'onlyEmail', 'countedAt'])),
    ),
)

export const enrollmentsOf = allRows('enrollmentsOf', (db, domainIds: List<string>) =>
  db.selectFrom('enrollmentCount').selectAll().where('domainId', 'in', domainIds),
)

/** Requests that wait, by domain. There are only as many as people are signing in. */
export const pendingByDomain = allRows('pendingByDomain', (db, now: Slot<number>) =>
  db
    .selectFrom('session')
    .select((is) => ['session.domainId', is.fn.countAll<number | string>().as('count')])
    .where(isPending(now))
    .groupBy('session.domainId'),
)

/** Requests that were reported since a time, by domain. */
export const reportedByDomain = allRows('reportedByDomain', (db, time: Slot<number>) =>
  db
    .selectFrom('session')
    .select((is) => ['session.domainId', is.fn.countAll<number | string>().as('count')])
    .where('session.reason', '=', 'reported')
    .where('session.settledAt', '>', time)
    .groupBy('session.domainId'),
)

/** People whose codes are locked. */
export const lockedUsers = allValues('lockedUsers', (db, organizationId: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('user')
    .select('user.id')
    .where('user.organizationId', '=', organizationId)
    .where('user.codesLockedUntil', '>', now)
    .union(
      db
        .selectFrom('user')
        .select('user.id')
        .where('user.organizationId', '=', organizationId)
        .where('user.knownCodesLockedUntil', '>', now),
    ),
)
