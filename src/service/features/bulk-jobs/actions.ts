import type { BulkAction } from '../../../admin-contract/bulk-jobs.ts'
import { unlockInTransaction } from '../people/unlock.ts'
import { removeInTransaction } from '../domains/members.ts'
import type { Call } from '../../engine/http/route.ts'
import { belongings } from '../users/belongings.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

type Change = (
  db: Queryable,
  call: Call,
  member: { readonly domainId: string; readonly userId: string },
) => Promise<void>

/** The changes of jobs to one person, in the transaction that records them. Mails are sent outside of transactions: see `mails.ts`. */
export const bulkActions: Readonly<Record<Exclude<BulkAction, 'enrollment_mail'>, Change>> = {
  async unlock(db, call, { userId }) {
    const { organizationId } = call
    const domainIds = (await belongings(db, [userId], call.clock.now())).get(userId)?.domainIds ?? []
    await unlockInTransaction(db, call, { organizationId, userId, domainIds })
  },
  async remove_member(db, call, member) {
    await removeInTransaction(db, call, member)
  },
}
