import { waiterKey } from '../../engine/base/waiter-key.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { notifyAfter } from '../../engine/database/transaction-ends.ts'
import type { Leaving } from '../../engine/steps/feature.ts'
import { removeApprover, unfinishedApprovals } from './approver-statements.ts'
import { deleteBlocksInDomain, deleteBlocksOf } from './block-statements.ts'
import { lockApproval } from './statements.ts'

/**
 * The answers of people who leave a domain no longer count for actions that are not done yet. Whoever reads such an approval next settles
 * it, if too few people are left.
 */
export async function leaveApprovals(db: Queryable, { userIds, domainId, now }: Leaving): Promise<void> {
  const unfinished = await unfinishedApprovals(db, { userIds, since: now })
  const concerned = unfinished.filter((approver) => domainId === undefined || approver.domainId === domainId)
  for (const { id, approvalId } of concerned) {
    await lockApproval(db, approvalId)
    await removeApprover(db, id)
  }
  notifyAfter(
    db,
    concerned.flatMap((approver) => [
      waiterKey.approval(approver.approvalId),
      waiterKey.approvalsOf(approver.domainId),
    ]),
  )
  await (domainId === undefined ? deleteBlocksOf(db, userIds) : deleteBlocksInDomain(db, userIds, domainId))
}
