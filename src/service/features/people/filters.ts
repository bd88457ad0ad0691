import { sql } from 'kysely'
import type { Expression, ExpressionBuilder, SelectQueryBuilder, SqlBool } from 'kysely'

import { inactiveAfter } from '../../../admin-contract/people.ts'
import type { PeopleFilter } from '../../../admin-contract/people.ts'
import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { derived, isPostgres } from '../../engine/database/statement.ts'
import type { Slots } from '../../engine/database/statement.ts'
import { exists } from '../users/statements.ts'
import { canBeSent, isStrong } from '../factors/strong-factors.ts'
import type { IsUser } from '../factors/strong-factors.ts'

/** The part of the organization that an administrator sees. */
export interface Visible {
  readonly organizationId: string
  /** Only members of one of these, and what belongs to one of them, unless `everyone` is 1. */
  readonly domainIds: readonly string[]
  readonly everyone: 0 | 1
}

export type Filter = PeopleFilter | 'none'

/** The domains among those that are looked at, all or those that are visible, which send the codes of each factor. */
export type Senders = { readonly [F in SentFactor as `${F}Senders`]: readonly string[] }

/** What a filter is asked with. */
export interface FilterQuery extends Visible, Senders {
  readonly now: number
}

/** A person, with the row that lists are in the order of. */
export type IsPerson = ExpressionBuilder<Database, 'personOrder' | 'user'>

/**
 * The numbers of `factorLevel`, as triggers write them: a strong factor; a place and a domain that may send codes to it; neither. A person
 * of no domain with such a place has 1.
 */
export const levels = { strong: 3, reachable: 2, none: 0 } as const

/** Asks for one membership, whatever the factor: if it asked for one of each factor, PostgreSQL would sort everyone before it asks. */
const takesSentCode = (is: IsUser, slots: Slots<FilterQuery>): Expression<SqlBool> =>
  is(
    is
      .selectFrom('member')
      .select('member.userId')
      .whereRef('member.userId', '=', 'user.id')
      .where((isMember) =>
        canBeSent(isMember, (factor) => isMember('member.domainId', 'in', slots[`${factor}Senders`])),
      )
      .limit(1),
    'is not',
    null,
  )

/** Asks for one row: for an EXISTS, PostgreSQL may read the members of the domains first, once for each page. */
const isMemberOf = (is: IsUser, domainIds: Slots<FilterQuery>['domainIds']): Expression<SqlBool> =>
  is(
    is
      .selectFrom('member')
      .select('member.userId')
      .whereRef('member.userId', '=', 'user.id')
      .where('member.domainId', 'in', domainIds)
      .limit(1),
    'is not',
    null,
  )

/** For who sees every domain, the fact about the person says it: a device of any domain counts. */
const isEnrolled = (is: IsPerson, { everyone, domainIds }: Slots<FilterQuery>): Expression<SqlBool> =>
  is
    .case()
    .when(sql<SqlBool>`${everyone} = 1`)
    .then(is('personOrder.factorLevel', '=', levels.strong))
    .else(isStrong(is, (isToken) => isToken('token.domainId', 'in', domainIds)))
    .end()

/** People who were added lately are not inactive. */
export const inactiveSince = ({ now }: Slots<FilterQuery>) => derived(now, (time) => time - inactiveAfter)

type Condition = (is: IsPerson, slots: Slots<FilterQuery>) => Expression<SqlBool>

const conditions: Readonly<Record<Filter, Condition>> = {
  none: () => sql<SqlBool>`1 = 1`,
  enrolled: isEnrolled,
  locked: (is, { now }) => is.or([is('user.codesLockedUntil', '>', now), is('user.knownCodesLockedUntil', '>', now)]),
  bypass_code: (is, { now }) => is('personOrder.codesUntil', '>', now),
  // With the sign, the condition is none of an index: databases would read all inactive people by their time, and sort them. In the
  // order of the list, many of them soon fill a page; a few are looked up before.
  inactive: (_, slots) => sql<SqlBool>`+${sql.ref('personOrder.activeAt')} <= ${inactiveSince(slots)}`,
  // The cheaper question first: most people have a strong factor.
  // A recovery code that is in use changes neither, as in the figures of the overview.
  no_factor: (is, slots) =>
    sql<SqlBool>`case when ${isEnrolled(is, slots)} then 1 = 0 else not (${takesSentCode(is, slots)}) end`,
  only_email: (is, slots) =>
    sql<SqlBool>`case when ${isEnrolled(is, slots)} then 1 = 0 else (${takesSentCode(is, slots)}) end`,
}

/** Whether an administrator, or an export, sees a user. */
export const isVisible = (is: IsUser, { everyone, domainIds }: Slots<Visible>) =>
  is.or([sql<SqlBool>`${everyone} = 1`, isMemberOf(is, domainIds)])

/** The people of the query whom a filter finds, and whom an administrator sees. */
export const whereMatches = <Tables extends keyof Database, Row>(
  people: SelectQueryBuilder<Database, Tables | 'personOrder' | 'user', Row>,
  filter: Filter,
  slots: Slots<FilterQuery>,
) => whereFits(people, filter, slots).where('personOrder.organizationId', '=', slots.organizationId)

/** The same for people who are looked up by their positions. SQLite would pass over everyone in the order of the list instead. */
export const whereFound = <Tables extends keyof Database, Row>(
  db: Queryable,
  people: SelectQueryBuilder<Database, Tables | 'personOrder' | 'user', Row>,
  { filter, slots }: { readonly filter: Filter; readonly slots: Slots<FilterQuery> },
) => {
  const organizationId = sql.ref<string>('personOrder.organizationId')
  return whereFits(people, filter, slots).where(
    isPostgres(db) ? organizationId : sql<string>`+${organizationId}`,
    '=',
    slots.organizationId,
  )
}

const whereFits = <Tables extends keyof Database, Row>(
  people: SelectQueryBuilder<Database, Tables | 'personOrder' | 'user', Row>,
  filter: Filter,
  slots: Slots<FilterQuery>,
) =>
  (people as unknown as SelectQueryBuilder<Database, 'personOrder' | 'user', Row>)
    .where(exists)
    .where((is) => conditions[filter](is, slots))
    .where((is) => isVisible(is, slots))
