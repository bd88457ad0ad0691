import { requesterBlockLength } from '../../../contract/approvals.ts'
import type { RequesterBlocks } from '../../../contract/approval-answers.ts'
import { Requester } from '../../../contract/approval-content.ts'
import type { z } from 'zod'
import type { Actor } from '../../engine/audit/entry.ts'
import { audit } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { newId } from '../../engine/base/random.ts'
import { mailOwnersOfApproval } from '../../engine/mail/mail-owners.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { afterCommit, readCommitted } from '../../engine/database/transaction-ends.ts'
import { endSessionsButKeys } from '../browsers/epochs.ts'
import { consumeCall, requireActive } from '../devices/signed-call.ts'
import type { SignedCall } from '../devices/signed-call.ts'
import { organizationOfDomain } from '../domains/statements.ts'
import { stopWaiting } from './approver-statements.ts'
import type { ApproverRow } from './approver-statements.ts'
import { auditBlock, auditOutcome } from './audit.ts'
import { blockRequester, blocksOf, deleteBlock } from './block-statements.ts'
import { openContent, parseContentText } from '../../engine/secrets/approval-content.ts'
import { notifyApproval } from './notify.ts'
import { waitingOfRequester } from './report-statements.ts'
import { isOwn } from './rules.ts'
import { settleApproval } from './statements.ts'
import type { ApprovalRow } from './statements.ts'

interface Report {
  readonly approval: ApprovalRow
  readonly approver: ApproverRow
  /** The device that reports. */
  readonly actor: Actor
}

/**
 * What follows "I didn't ask for this": the requester cannot ask this person for a day, its other requests to them are denied, and the
 * owners of the organization are told. A request in the person's own name came from a web session of theirs: those end.
 *
 * @returns the id of the block.
 */
export async function afterReport(
  ctx: ServiceContext,
  db: Queryable,
  { approval, approver, actor }: Report,
): Promise<string | undefined> {
  const now = ctx.clock.now()
  const { domainId, apiKeyId, requester, organizationId } = approval
  const { userId } = approver
  const shown = JSON.stringify(parseContentText(openContent(ctx.secrets, approval)).requester)
  const blockedUntil = now + requesterBlockLength
  const id = await blockRequester(db, {
    id: newId(ctx.random),
    domainId,
    userId,
    apiKeyId,
    requester,
    shown,
    blockedUntil,
  })
  const block = { domain: domainId, user: userId, until: blockedUntil }
  await auditBlock(db, ctx, approval, block, actor)
  for (const other of await waitingOfRequester(db, { domainId, userId, apiKeyId, requester }, now)) {
    const outcome = { state: 'denied', reason: 'reported' } as const
    if (!(await settleApproval(db, other.id, outcome, now))) continue
    const deviceIds = await stopWaiting(db, [other.id])
    await auditOutcome(db, ctx, other, outcome, actor)
    notifyApproval(db, ctx, other, deviceIds)
    afterCommit(db, () => ctx.observer.approvalSettled('reported'))
  }
  if (isOwn(requester)) await endSessionsButKeys(db, userId)
  await mailOwnersOfApproval(db, ctx, { organizationId, domainId, userId })
  return id
}

/** The requesters that the owner of a device has blocked. */
export async function readBlocks(
  ctx: ServiceContext,
  { device }: SignedCall,
): Promise<z.input<typeof RequesterBlocks>> {
  const { db } = ctx.store
  await requireActive(db, device.id)
  const rows = await blocksOf(db, device, ctx.clock.now())
  return {
    blocks: rows.map(({ id, domainId, domainName, shown, blockedUntil }) => ({
      id,
      domain: { id: domainId, name: domainName },
      requester: Requester.parse(JSON.parse(shown)),
      until: blockedUntil,
    })),
  }
}

/** The person wants to be asked again. Succeeds, too, where the block is over. */
export async function liftBlock(ctx: ServiceContext, call: SignedCall, id: string): Promise<object> {
  const { domainId, userId } = call.device
  await readCommitted(ctx.store.db).execute(async (db) => {
    await consumeCall(db, call)
    if (!(await deleteBlock(db, { id, domainId, userId }))) return
    const organizationId = await organizationOfDomain(db, domainId)
    const actor = { kind: 'device', id: call.device.id } as const
    const facts = { domain: domainId, user: userId }
    await audit(db, ctx, { event: 'approval.requester_unblocked', organizationId, actor, facts })
  })
  return {}
}
