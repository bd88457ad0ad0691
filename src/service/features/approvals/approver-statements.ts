import type { Selectable } from 'kysely'

import type { ApprovalDecision } from '../../../contract/approval-facts.ts'
import { approvalRedeemableFor } from '../../../contract/approvals.ts'
import { isOpenApproval } from '../../engine/database/open-approval.ts'
import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, allValues, change, changesRow, derived, firstRow, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'

export type ApproverRow = Selectable<Database['approver']>

export type NewApproverRow = Pick<
  ApproverRow,
  'id' | 'approvalId' | 'domainId' | 'userId' | 'deviceId' | 'nonce' | 'number' | 'keptUntil'
>

export const insertApprover = change('insertApprover', (db, row: Slots<NewApproverRow>) =>
  db.insertInto('approver').values({
    ...pick(row, ['id', 'approvalId', 'domainId', 'userId', 'deviceId', 'nonce', 'number', 'keptUntil']),
    waiting: 1,
  }),
)

/** The people who were asked, with the usernames of those who still exist; in the order in which they were named. */
export const approversOf = allRows('approversOf', (db, approvalIds: List<string>) =>
  db
    .selectFrom('approver')
    .leftJoin('user', 'user.id', 'approver.userId')
    .selectAll('approver')
    .select('user.username')
    .where('approver.approvalId', 'in', approvalIds)
    .orderBy('approver.sequence'),
)

/** The person of a device who is asked. */
export const approverOf = firstRow(
  'approverOf',
  (db, slots: Slots<Pick<ApproverRow, 'approvalId' | 'domainId' | 'userId'>>) =>
    db
      .selectFrom('approver')
      .selectAll()
      .where((is) => is.and(pick(slots, ['approvalId', 'domainId', 'userId']))),
)

interface Answer {
  readonly id: string
  readonly decision: ApprovalDecision
  readonly number: string | null
  readonly proof: string | null
}

/** Stores the first answer of a person. @returns false where there is one, or none is wanted. */
export const storeApprovalAnswer = changesRow('storeApprovalAnswer', (db, answer: Slots<Answer>, now: Slot<number>) =>
  db
    .updateTable('approver')
    .set({
      decision: answer.decision,
      answeredNumber: answer.number,
      proof: answer.proof,
      answeredAt: now,
      waiting: 0,
      passkeyNonce: null,
    })
    .where('id', '=', answer.id)
    .where('waiting', '=', 1),
)

/** No answer to these approvals is wanted from now on. @returns the devices that were told. */
export const stopWaiting = allValues('stopWaiting', (db, approvalIds: List<string>) =>
  db
    .updateTable('approver')
    .set({ waiting: 0, passkeyNonce: null })
    .where('approvalId', 'in', approvalIds)
    .where('waiting', '=', 1)
    .returning('deviceId'),
)

interface Waiting {
  readonly domainId: string
  readonly userId: string
}

/** The requesters whose requests wait for a person, once for each request. */
export const waitingRequesters = allValues('waitingRequesters', (db, slots: Slots<Waiting>, now: Slot<number>) =>
  db
    .selectFrom('approver')
    .innerJoin('approval', 'approval.id', 'approver.approvalId')
    .select('approval.requester')
    .where('approver.domainId', '=', slots.domainId)
    .where('approver.userId', '=', slots.userId)
    .where('approver.waiting', '=', 1)
    .where(isOpenApproval(now)),
)

/** The numbers that a person is to type now. */
export const waitingNumbers = allValues('waitingNumbers', (db, slots: Slots<Waiting>) =>
  db
    .selectFrom('approver')
    .select('number')
    .where('domainId', '=', slots.domainId)
    .where('userId', '=', slots.userId)
    .where('waiting', '=', 1)
    .where('number', 'is not', null),
)

interface Leaving {
  readonly userIds: readonly string[]
  readonly since: number
}

/** The actions whose approvers these people are, and that are not done yet, as far as anybody knows. */
export const unfinishedApprovals = allRows('unfinishedApprovals', (db, slots: Slots<Leaving>) =>
  db
    .selectFrom('approver')
    .innerJoin('approval', 'approval.id', 'approver.approvalId')
    .select(['approver.id', 'approver.approvalId', 'approver.domainId'])
    .where('approver.userId', 'in', slots.userIds)
    .where('approver.removed', '=', 0)
    .where((is) =>
      is.or([
        is('approval.state', '=', 'pending'),
        is.and([
          is('approval.state', '=', 'approved'),
          is('approval.redeemedAt', 'is', null),
          is(
            'approval.settledAt',
            '>',
            derived(slots.since, (time) => time - approvalRedeemableFor),
          ),
        ]),
      ]),
    )
    .orderBy('approver.approvalId'),
)

export const removeApprover = change('removeApprover', (db, id: Slot<string>) =>
  db.updateTable('approver').set({ removed: 1, waiting: 0, passkeyNonce: null }).where('id', '=', id),
)

/** Approvals of a domain that wait, although somebody who was asked has left it. */
export const approvalsWithoutSome = allRows('approvalsWithoutSome', (db, domainId: Slot<string>) =>
  db
    .selectFrom('approval')
    .selectAll()
    .where('domainId', '=', domainId)
    .where('state', '=', 'pending')
    .where((is) =>
      is.exists(
        is
          .selectFrom('approver')
          .select('approver.id')
          .whereRef('approver.approvalId', '=', 'approval.id')
          .where('approver.removed', '=', 1),
      ),
    ),
)

interface PasskeyNonce {
  readonly id: string
  readonly nonce: string
  readonly until: number
}

export const setPasskeyNonce = changesRow('setPasskeyNonce', (db, { id, nonce, until }: Slots<PasskeyNonce>) =>
  db
    .updateTable('approver')
    .set({ passkeyNonce: nonce, passkeyUntil: until })
    .where('id', '=', id)
    .where('waiting', '=', 1),
)

/** Uses the nonce up. @returns false where another one was asked for since, or it was used. */
export const usePasskeyNonce = changesRow('usePasskeyNonce', (db, id: Slot<string>, nonce: Slot<string>) =>
  db
    .updateTable('approver')
    .set({ passkeyNonce: null })
    .where('id', '=', id)
    .where('passkeyNonce', '=', nonce)
    .where('waiting', '=', 1),
)
