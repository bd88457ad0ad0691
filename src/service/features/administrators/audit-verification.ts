import type * as contract from '../../../admin-contract/audit-verification.ts'
import type { AuditVerification, BrokenEntry } from '../../../admin-contract/audit-verification.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { auditVerificationOf, requestAuditVerification } from '../../engine/audit/verification-statements.ts'
import type { AuditVerificationRow } from '../../engine/audit/verification-statements.ts'
import { signedIn } from './call.ts'
import type { ChangeHandler } from './change.ts'
import { namesIn } from './names.ts'

export const get: Handler<typeof contract.getAuditVerification> = (_input, call) => show(call)

export const start: ChangeHandler<typeof contract.startAuditVerification> = async (_input, call, change) => {
  await change((inside) => {
    const { id: requestedBy, organizationId } = signedIn(inside)
    return requestAuditVerification(inside.store.db, { organizationId, requestedAt: call.clock.now(), requestedBy })
  })
  call.verifications.wake()
  return show(call)
}

async function show(call: Call): Promise<AuditVerification> {
  const row = await auditVerificationOf(call.store.db, signedIn(call).organizationId)
  if (!row) return { percent: null }
  const last = await lastOf(call, row)
  return { percent: row.state === 'done' ? null : row.percent, ...(last && { last }) }
}

async function lastOf(call: Call, row: AuditVerificationRow): Promise<AuditVerification['last']> {
  const { finishedAt: at, finishedFor: by, entries, findings, broken } = row
  if (at === null || by === null) return undefined
  const name = (await namesIn(call, [by]))[by] ?? by
  const first = broken === null ? undefined : (JSON.parse(broken) as BrokenEntry)
  return { at, by, name, entries: entries ?? 0, findings: findings ?? 0, ...(first && { first }) }
}
