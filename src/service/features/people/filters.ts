import { sql } from 'kysely'
import type { Expression, SqlBool } from 'kysely'

import { inactiveAfter } from '../../../admin-contract/people.ts'
import type { PeopleFilter } from '../../../admin-contract/people.ts'
import { derived } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'
import { isStrong } from '../factors/strong-factors.ts'
import type { IsUser } from '../factors/strong-factors.ts'

/** The part of the organization that an administrator sees. */
export interface Visible {
  readonly organizationId: string
  /** Only members of one of these, and what belongs to one of them, unless `everyone` is 1. */
  readonly domainIds: readonly string[]
  readonly everyone: 0 | 1
}

export type Filter = PeopleFilter | 'none'

const hasBypassCode = (is: IsUser, now: Slot<number>): Expression<SqlBool> =>
  is.exists(
    is
      .selectFrom('bypassCode')
      .select('bypassCode.id')
      .whereRef('bypassCode.userId', '=', 'user.id')
      .where('bypassCode.usesRemaining', '>', 0)
      .where('bypassCode.expiresAt', '>', now),
  )

/** The domains that are looked at: those that are visible, or the one that was chosen. */
type VisibleDomains = Slots<Pick<Visible, 'domainIds' | 'everyone'>>

const takesEmail = (is: IsUser, visible: VisibleDomains): Expression<SqlBool> =>
  is.and([
    is('user.email', '<>', ''),
    is.exists(
      is
        .selectFrom('member')
        .innerJoin('domain', 'domain.id', 'member.domainId')
        .select('domain.id')
        .whereRef('member.userId', '=', 'user.id')
        .where('domain.emailOtpEnabled', '=', 1)
        .where((isMember) =>
          isMember.or([sql<SqlBool>`${visible.everyone} = 1`, isMember('domain.id', 'in', visible.domainIds)]),
        ),
    ),
  ])

const isEnrolled = (is: IsUser, visible: VisibleDomains): Expression<SqlBool> =>
  isStrong(is, (isToken) =>
    isToken.or([sql<SqlBool>`${visible.everyone} = 1`, isToken('token.domainId', 'in', visible.domainIds)]),
  )

/** People who were added lately are not inactive. */
function isInactive(is: IsUser, now: Slot<number>): Expression<SqlBool> {
  const since = derived(now, (time) => time - inactiveAfter)
  return is.and([
    is('user.createdAt', '<=', since),
    is.not(
      is.exists(
        is
          .selectFrom('lastSignIn')
          .select('lastSignIn.at')
          .whereRef('lastSignIn.userSequence', '=', 'user.sequence')
          .where('lastSignIn.at', '>', since),
      ),
    ),
  ])
}

type Condition = (is: IsUser, now: Slot<number>, visible: VisibleDomains) => Expression<SqlBool>

export const conditions: Readonly<Record<Filter, Condition>> = {
  none: () => sql<SqlBool>`1 = 1`,
  enrolled: (is, _now, visible) => isEnrolled(is, visible),
  // See `lockedPositions`.
  locked: () => sql<SqlBool>`1 = 1`,
  bypass_code: hasBypassCode,
  inactive: isInactive,
  // The cheaper question first: most people have a strong factor.
  // A recovery code that is in use changes neither, as in the figures of the overview.
  no_factor: (is, _now, visible) =>
    sql<SqlBool>`case when ${isEnrolled(is, visible)} then 1 = 0 else not (${takesEmail(is, visible)}) end`,
  only_email: (is, _now, visible) =>
    sql<SqlBool>`case when ${isEnrolled(is, visible)} then 1 = 0 else (${takesEmail(is, visible)}) end`,
}
