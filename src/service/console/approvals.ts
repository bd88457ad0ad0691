import { approvalLifetime } from '../../contract/admin/approvals.ts'
import type * as contract from '../../contract/admin/approvals.ts'
import type { Approval } from '../../contract/admin/approvals.ts'
import { mayCall } from '../../contract/admin/roles.ts'
import { approve as approveEndpoint } from '../../contract/admin/approvals.ts'
import { requireStillAllowed } from '../admin/acting.ts'
import { auditCall } from '../audit/audit.ts'
import type { SignedIn } from '../context/caller.ts'
import { ApiProblem } from '../ground/problem.ts'
import type { Call, Handler } from '../http/route.ts'
import { newId } from '../rules/random.ts'
import { administratorById } from '../store/administrators.ts'
import type { AdministratorRow } from '../store/administrators.ts'
import { approvalById, approvalsOf, decideApproval, insertApproval } from '../store/approvals.ts'
import type { ApprovalRow } from '../store/approvals.ts'
import { userById } from '../store/users.ts'
import { signedIn } from './call.ts'
import { guardedOperations } from './guard.ts'
import { managesApproval } from './scope.ts'

export const request: Handler<typeof contract.requestApproval> = async ({ userId, operation, because }, call) => {
  if (!guardedOperations.includes(operation))
    throw new ApiProblem('api.error.invalid.operation', `operation: expected one of ${guardedOperations.join(', ')}`)
  const { id: requestedBy, organizationId } = signedIn(call)
  const createdAt = call.clock.now()
  const row: ApprovalRow = {
    id: newId(call.random),
    organizationId,
    operation,
    userId,
    requestedBy,
    because,
    createdAt,
    decidedBy: null,
    state: 'pending',
    expiresAt: createdAt + approvalLifetime,
  }
  await call.store.db.transaction().execute(async (db) => {
    await insertApproval(db, row)
    const facts = { approval: row.id, user: userId, operation }
    await auditCall(db, { ...call, because }, 'approval.requested', facts)
  })
  return show(call, row)
}

export const list: Handler<typeof contract.listApprovals> = async (_input, call) => {
  const administrator = signedIn(call)
  const scope = { db: call.store.db, administrator, now: call.clock.now() }
  const rows = await approvalsOf(scope.db, administrator.organizationId, scope.now)
  const shown: Approval[] = []
  for (const row of rows) {
    if (await managesApproval(scope, row)) shown.push(await show(call, row))
  }
  return shown
}

export const approve: Handler<typeof contract.approve> = ({ approvalId }, call) => decide(call, approvalId, 'approved')

export const deny: Handler<typeof contract.deny> = ({ approvalId }, call) => decide(call, approvalId, 'denied')

async function decide(call: Call, id: string, state: 'approved' | 'denied'): Promise<Approval> {
  const decider = signedIn(call)
  const row = await load(call, id)
  if (!(await isAnother(call, decider, row))) throw new ApiProblem('api.error.forbidden.own')
  await call.store.db.transaction().execute(async (db) => {
    await requireStillAllowed(db, call)
    if (!(await decideApproval(db, id, { state, decidedBy: decider.id }))) throw decidedAlready()
    const facts = { approval: id, user: row.userId, operation: row.operation }
    await auditCall(db, call, `approval.${state}`, facts)
  })
  return show(call, { ...row, state, decidedBy: decider.id })
}

/** The requester cannot decide, and neither can the person it is about, nor a second account of either. */
async function isAnother({ store }: Call, decider: SignedIn, row: ApprovalRow): Promise<boolean> {
  const requester = await administratorById(store.db, row.requestedBy)
  const person = await userById(store.db, row.organizationId, row.userId)
  const emails = [requester?.email, person?.email].map((email) => email?.toLowerCase())
  const isRequester = decider.id === row.requestedBy || isSameUser(decider, requester)
  return !isRequester && decider.userId !== row.userId && !emails.includes(decider.email.toLowerCase())
}

const isSameUser = ({ userId }: SignedIn, requester: AdministratorRow | undefined): boolean =>
  userId !== null && requester?.userId === userId

async function show(call: Call, row: ApprovalRow): Promise<Approval> {
  const { db } = call.store
  const caller = signedIn(call)
  const [person, requester] = [
    await userById(db, row.organizationId, row.userId),
    await administratorById(db, row.requestedBy),
  ]
  const mayDecide =
    mayCall(caller.role, approveEndpoint) && row.state === 'pending' && (await isAnother(call, caller, row))
  return {
    id: row.id,
    operation: row.operation,
    person: { id: row.userId, username: person?.username ?? '', name: person?.name ?? '' },
    requestedBy: { id: row.requestedBy, name: requester?.name ?? '' },
    because: row.because,
    state: row.state,
    decidable: mayDecide,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  }
}

async function load({ store, clock }: Call, id: string): Promise<ApprovalRow> {
  const row = await approvalById(store.db, id, clock.now())
  if (!row) throw new ApiProblem('api.error.notfound.approval')
  return row
}

const decidedAlready = () => new ApiProblem('api.error.conflict.state', 'The request was decided already.')
