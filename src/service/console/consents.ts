import { consentLifetime } from '../../contract/admin/consents.ts'
import type * as contract from '../../contract/admin/consents.ts'
import type { Consent } from '../../contract/admin/consents.ts'
import { mayCall } from '../../contract/admin/roles.ts'
import { giveConsent as giveEndpoint } from '../../contract/admin/consents.ts'
import { requireStillAllowed } from '../admin/acting.ts'
import { auditCall } from '../audit/audit.ts'
import type { SignedIn } from '../context/caller.ts'
import { ApiProblem } from '../ground/problem.ts'
import type { Call, Handler } from '../http/route.ts'
import { newId } from '../rules/random.ts'
import { administratorById } from '../store/administrators.ts'
import type { AdministratorRow } from '../store/administrators.ts'
import { consentById, consentsOf, decideConsent, insertConsent } from '../store/consents.ts'
import type { ConsentRow } from '../store/consents.ts'
import { userById } from '../store/users.ts'
import { signedIn } from './call.ts'
import { guardedOperations } from './guard.ts'
import { managesConsent } from './scope.ts'

export const request: Handler<typeof contract.requestConsent> = async ({ userId, operation, because }, call) => {
  if (!guardedOperations.includes(operation))
    throw new ApiProblem('api.error.invalid.operation', `operation: expected one of ${guardedOperations.join(', ')}`)
  const { id: requestedBy, organizationId } = signedIn(call)
  const createdAt = call.clock.now()
  const row: ConsentRow = {
    id: newId(call.random),
    organizationId,
    operation,
    userId,
    requestedBy,
    because,
    createdAt,
    decidedBy: null,
    state: 'pending',
    expiresAt: createdAt + consentLifetime,
  }
  await call.store.db.transaction().execute(async (db) => {
    await insertConsent(db, row)
    const facts = { consent: row.id, user: userId, operation }
    await auditCall(db, { ...call, because }, 'consent.requested', facts)
  })
  return show(call, row)
}

export const list: Handler<typeof contract.listConsents> = async (_input, call) => {
  const administrator = signedIn(call)
  const scope = { db: call.store.db, administrator, now: call.clock.now() }
  const rows = await consentsOf(scope.db, administrator.organizationId, scope.now)
  const shown: Consent[] = []
  for (const row of rows) {
    if (await managesConsent(scope, row)) shown.push(await show(call, row))
  }
  return shown
}

export const give: Handler<typeof contract.giveConsent> = ({ consentId }, call) => decide(call, consentId, 'given')

export const deny: Handler<typeof contract.denyConsent> = ({ consentId }, call) => decide(call, consentId, 'denied')

async function decide(call: Call, id: string, state: 'given' | 'denied'): Promise<Consent> {
  const decider = signedIn(call)
  const row = await load(call, id)
  if (!(await isAnother(call, decider, row))) throw new ApiProblem('api.error.forbidden.own')
  await call.store.db.transaction().execute(async (db) => {
    await requireStillAllowed(db, call)
    if (!(await decideConsent(db, id, { state, decidedBy: decider.id }))) throw decidedAlready()
    const facts = { consent: id, user: row.userId, operation: row.operation }
    await auditCall(db, call, `consent.${state}`, facts)
  })
  return show(call, { ...row, state, decidedBy: decider.id })
}

/** The requester cannot decide, and neither can the person it is about, nor a second account of either. */
async function isAnother({ store }: Call, decider: SignedIn, row: ConsentRow): Promise<boolean> {
  const requester = await administratorById(store.db, row.requestedBy)
  const person = await userById(store.db, row.organizationId, row.userId)
  const emails = [requester?.email, person?.email].map((email) => email?.toLowerCase())
  const isRequester = decider.id === row.requestedBy || isSameUser(decider, requester)
  return !isRequester && decider.userId !== row.userId && !emails.includes(decider.email.toLowerCase())
}

const isSameUser = ({ userId }: SignedIn, requester: AdministratorRow | undefined): boolean =>
  userId !== null && requester?.userId === userId

async function show(call: Call, row: ConsentRow): Promise<Consent> {
  const { db } = call.store
  const caller = signedIn(call)
  const [person, requester] = [
    await userById(db, row.organizationId, row.userId),
    await administratorById(db, row.requestedBy),
  ]
  const mayDecide =
    mayCall(caller.role, giveEndpoint) && row.state === 'pending' && (await isAnother(call, caller, row))
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

async function load({ store, clock }: Call, id: string): Promise<ConsentRow> {
  const row = await consentById(store.db, id, clock.now())
  if (!row) throw new ApiProblem('api.error.notfound.consent')
  return row
}

const decidedAlready = () => new ApiProblem('api.error.conflict.state', 'The request was decided already.')
