import { allRows } from '../../engine/database/statement.ts'
import type { List, RowOf, Slots } from '../../engine/database/statement.ts'
import type { DomainOfOrganization } from '../users/member-statements.ts'
import { exists } from '../users/statements.ts'

/** What decides whether factors can be imported for a user. */
export type ImportingUser = RowOf<typeof importingUsers>

/** Those who have these usernames. `memberId` is null for those who are not in the domain. */
export const importingUsers = allRows(
  'importingUsers',
  (db, { organizationId, domainId }: Slots<DomainOfOrganization>, usernames: List<string>) =>
    db
      .selectFrom('user')
      .leftJoin('member', (join) => join.onRef('member.userId', '=', 'user.id').on('member.domainId', '=', domainId))
      .select(['user.id', 'user.username', 'user.everEnrolled', 'user.importState', 'member.userId as memberId'])
      .where('user.organizationId', '=', organizationId)
      .where('user.username', 'in', usernames)
      .where(exists),
)
