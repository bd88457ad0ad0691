import type * as contract from '../../../admin-contract/caller-verifications.ts'
import type { CallerVerification } from '../../../admin-contract/caller-verifications.ts'
import { findMember } from '../domains/find.ts'
import { auditCallerAsked, auditCallerThrottled } from './audit.ts'
import { ApiProblem, tooManyRequests } from '../../engine/base/problem.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import type { Call, Handler, Input } from '../../engine/http/route.ts'
import { takeCall } from './budget.ts'
import { callAtTime, standsUntil } from './rules.ts'
import { isAsStrong } from '../administrators/rules.ts'
import { newMatchingNumber } from '../sessions/rules.ts'
import { newId, random128 } from '../../engine/base/random.ts'
import { callerVerificationOf, insertCallerVerification, newestCallBy, openCallNumbers } from './statements.ts'
import { strongestDevice } from '../administrators/caller-statements.ts'
import type { CallerVerificationRow } from '../devices/call-statements.ts'
import { belongings } from '../users/belongings.ts'
import { activeDevice } from '../factors/possessions.ts'
import { domainsOf } from '../domains/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { pendingNumbers } from '../sessions/statements.ts'
import { signedIn } from '../administrators/call.ts'
import type { ChangeHandler } from '../administrators/change.ts'
import { requireSameRights } from '../administrators/same-rights.ts'

type CallQuestion = Input<typeof contract.verifyCaller>

export const verify: ChangeHandler<typeof contract.verifyCaller> = async (input, call, change) => {
  const { id: administrator } = signedIn(call)
  const request = change((inside) => ask(inside, input, administrator))
  const row = await request.catch(async (error: unknown) => {
    await auditCallerThrottled(call, error, { domain: input.domainId, user: input.userId, administrator })
    throw error
  })
  call.waiters.wake(waiterKey.device(row.deviceId))
  call.pusher?.tell({ kind: 'call', id: row.id, expiresAt: row.expiresAt })
  return view(call, row)
}

export const get: Handler<typeof contract.getCallerVerification> = async (input, call) => {
  const read = async () => {
    await requireSameRights(call)
    return load(call, input)
  }
  if (!call.http) return view(call, await read())
  const row = await call.http.hold(waiterKey.callerVerification(input.callerVerificationId), {
    read,
    changesAt: ({ state, expiresAt }) => (state === 'pending' ? expiresAt : undefined),
    userOf: ({ userId }) => userId,
  })
  return view(call, row)
}

/** The administrator's last question to the person, while it waits or its outcome stands. */
export async function standingCall(call: Call, userId: string): Promise<CallerVerification | undefined> {
  const { id: administratorId, domainIds } = signedIn(call)
  const verificationRow = await newestCallBy(call.store.db, { userId, administratorId })
  if (!verificationRow || (domainIds !== null && !domainIds.includes(verificationRow.domainId))) return undefined
  const row = callAtTime(verificationRow, call.clock.now())
  return isOver(row, call.clock.now()) ? undefined : view(call, row)
}

/** Call it in a transaction. */
async function ask(
  call: Call,
  { domainId, userId }: CallQuestion,
  administratorId: string,
): Promise<CallerVerificationRow> {
  const { db } = call.store
  // The user and the administrator are locked: what is counted below, no other question is counting.
  const { domain, user } = await findMember(call, domainId, { id: userId })
  const device = await activeDevice(db, domain.id, user.id)
  if (!device) throw new ApiProblem('api.error.notfound.token')
  await takeCall(call, db, { userId: user.id, administratorId })
  const now = call.clock.now()
  const question = {
    id: newId(call.random),
    organizationId: call.organizationId,
    domainId: domain.id,
    userId: user.id,
    deviceId: device.id,
    keyType: domain.keyType,
    requestedBy: administratorId,
    state: 'pending',
    nonce: random128(call.random),
    number: await freeNumber(call, db, { userId: user.id, deviceId: device.id, expiresIn: domain.requestTimeout }),
    createdAt: now,
    expiresAt: now + domain.requestTimeout,
  } as const
  await insertCallerVerification(db, question)
  const row = { ...question, answeredDecision: null, answeredNumber: null, settledAt: null }
  await auditCallerAsked(db, call, row)
  return row
}

/** Different from the numbers of pending sign-ins as well, so that a person cannot type one of those here. */
async function freeNumber(
  call: Call,
  db: Queryable,
  { userId, deviceId, expiresIn }: { userId: string; deviceId: string; expiresIn: number },
): Promise<string> {
  const now = call.clock.now()
  const inUse = new Set([...(await pendingNumbers(db, userId, now)), ...(await openCallNumbers(db, deviceId, now))])
  const number = newMatchingNumber(call.random, inUse)
  const limit = 'all numbers are in use by pending requests of the user'
  if (number === undefined) throw tooManyRequests({ limit, wait: expiresIn, now })
  return number
}

/** The question in its current state, while its outcome stands. */
async function load(
  call: Call,
  { domainId, userId, callerVerificationId: id }: Input<typeof contract.getCallerVerification>,
): Promise<CallerVerificationRow> {
  const now = call.clock.now()
  const verificationRow = await callerVerificationOf(call.store.db, {
    organizationId: call.organizationId,
    domainId,
    userId,
    id,
  })
  const row = verificationRow && callAtTime(verificationRow, now)
  if (!row || isOver(row, now)) throw new ApiProblem('api.error.notfound.callerverification')
  return row
}

/** Whether the outcome no longer stands. */
const isOver = (row: CallerVerificationRow, now: number): boolean => (standsUntil(row) ?? Infinity) <= now

/** Only the administrator who asks reads the number out. */
async function view(call: Call, row: CallerVerificationRow): Promise<CallerVerification> {
  const { id, userId, domainId, keyType, requestedBy, state, number, createdAt, expiresAt, settledAt } = row
  return {
    id,
    user: userId,
    domain: domainId,
    keyType,
    ...(await coverageOf(call, row)),
    administrator: requestedBy,
    state,
    ...(state === 'pending' && requestedBy === signedIn(call).id && { number }),
    createdAt,
    expiresAt,
    settledAt,
    standsUntil: standsUntil(row),
  }
}

/** The domains that a verification covers: those that ask for no more on the device, as far as the administrator sees them. */
async function coverageOf(call: Call, { userId, keyType }: CallerVerificationRow) {
  const { db } = call.store
  const { domainIds } = signedIn(call)
  const ofPerson = (await belongings(db, [userId], call.clock.now())).get(userId)?.domainIds ?? []
  const domains = await domainsOf(db, call.organizationId)
  const covered = domains.filter(
    (domain) =>
      ofPerson.includes(domain.id) &&
      (domainIds === null || domainIds.includes(domain.id)) &&
      isAsStrong(keyType, domain.keyType),
  )
  return { covers: covered.map(({ id }) => id), everywhere: isAsStrong(keyType, await strongestDevice(db, userId)) }
}
