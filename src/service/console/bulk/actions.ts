import type { BulkAction } from '../../../contract/admin/bulk-jobs.ts'
import { unlockInTransaction } from '../../admin/unlock.ts'
import { removeInTransaction } from '../../api/members.ts'
import type { ServiceContext } from '../../context/service-context.ts'
import { belongings } from '../../store/belongings.ts'
import type { BulkJobRow } from '../../store/bulk-jobs.ts'
import type { Queryable } from '../../store/schema.ts'
import { notifyRevoked } from '../../waiting/notify.ts'

/** What is left to do when the change is committed. */
export type AfterCommit = () => void

interface Of {
  readonly job: BulkJobRow
  readonly userId: string
}

type Change = (
  db: Queryable,
  acting: ServiceContext & { readonly organizationId: string },
  of: Of,
) => Promise<AfterCommit>

/** What a job does to one person, in the transaction that notes it. */
export const bulkActions: Readonly<Record<BulkAction, Change>> = {
  async unlock(db, acting, { userId }) {
    const { organizationId } = acting
    const domainIds = (await belongings(db, [userId], acting.clock.now())).get(userId)?.domainIds ?? []
    await unlockInTransaction(db, acting, { organizationId, userId, domainIds })
    return () => {}
  },
  async remove_member(db, acting, { job, userId }) {
    const revoked = await removeInTransaction(db, acting, { domainId: job.domainId ?? '', userId })
    return () => notifyRevoked(acting, revoked)
  },
}
