import { isOpenApproval } from '../../engine/database/open-approval.ts'
import { allRows } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

interface OfRequester {
  readonly domainId: string
  readonly userId: string
  readonly apiKeyId: string
  readonly requester: string
}

/** The other requests of a requester that wait for a person. */
export const waitingOfRequester = allRows('waitingOfRequester', (db, slots: Slots<OfRequester>, now: Slot<number>) =>
  db
    .selectFrom('approver')
    .innerJoin('approval', 'approval.id', 'approver.approvalId')
    .selectAll('approval')
    .where('approver.domainId', '=', slots.domainId)
    .where('approver.userId', '=', slots.userId)
    .where('approver.waiting', '=', 1)
    .where('approval.apiKeyId', '=', slots.apiKeyId)
    .where('approval.requester', '=', slots.requester)
    .where(isOpenApproval(now)),
)
