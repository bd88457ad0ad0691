import { CallAnswerRequest } from '../../../contract/phone-calls.ts'
import type { CallAnswered, CallState } from '../../../contract/phone-calls.ts'
import { isSameText } from '../../../ground/same-text.ts'
import { auditCallerAnswer } from './audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { mailOwnersAfterCommit } from '../../engine/mail/mail-owners.ts'
import { callAtTime } from './rules.ts'
import { callOfDevice, settleCall } from './statements.ts'
import type { CallerVerificationRow } from '../devices/call-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import { lockUser } from '../users/statements.ts'
import { verifyAnswerPin } from '../devices/answer-pin.ts'
import type { PinResult } from '../devices/answer-pin.ts'
import { parseContent } from '../devices/signature.ts'
import { consumeCall, requireActive } from '../devices/signed-call.ts'
import type { SignedCall } from '../devices/signed-call.ts'

type CallAnswer = ReturnType<typeof CallAnswerRequest.parse>

/**
 * The user's answer to "Did you call the help desk?". Checks, in this order: signature (by the caller), nonce, PIN, number. It
 * reads and changes questions of the help desk only, never a session.
 */
export async function answerCall(ctx: ServiceContext, call: SignedCall, id: string): Promise<CallAnswered> {
  const answer = parseContent(CallAnswerRequest, call.payload)
  const agrees = answer.decision === 'confirm'
  const { pin, attempt } = answer
  const pinResult = await verifyAnswerPin(ctx, call, { agrees, pin, attempt }, async (db) => {
    const currentRow = callAtTime(await findCall(db, call, id, answer), ctx.clock.now())
    return currentRow.state === 'pending'
  })
  const { answered, settled } = await readCommitted(ctx.store.db).execute(async (db) => {
    // Before anything else, so that each change of an administrator sees the answer, or precedes it: see `administrators/change.ts`.
    const { organizationId, userId } = await findCall(db, call, id, answer)
    await lockUser(db, organizationId, userId)
    await (pinResult === 'not-required' ? consumeCall(db, call) : requireActive(db, call.device.id))
    return decide(ctx, db, await findCall(db, call, id, answer), { ...answer, pinResult })
  })
  if (settled) alertOperator(ctx, settled, answered.state)
  ctx.waiters.wake(waiterKey.callerVerification(id), waiterKey.device(call.device.id))
  return answered
}

async function findCall(
  db: Queryable,
  { device }: SignedCall,
  id: string,
  answer: Pick<CallAnswer, 'nonce'>,
): Promise<CallerVerificationRow> {
  const row = await callOfDevice(db, device.id, id)
  if (!row) throw new ApiProblem('api.error.notfound.callerverification')
  if (!isSameText(row.nonce, answer.nonce))
    throw new ApiProblem('api.error.invalid.nonce', 'nonce: does not match the call.')
  return row
}

interface Decided {
  readonly answered: CallAnswered
  /** The question, if this answer settled it. */
  readonly settled: CallerVerificationRow | undefined
}

async function decide(
  ctx: ServiceContext,
  db: Queryable,
  row: CallerVerificationRow,
  answer: CallAnswer & { readonly pinResult: PinResult },
): Promise<Decided> {
  const now = ctx.clock.now()
  const { id } = row
  const currentRow = callAtTime(row, now)
  const number = answer.decision === 'confirm' ? (answer.number ?? null) : null
  if (currentRow.state !== 'pending') return { answered: repeated(currentRow, answer, number), settled: undefined }
  if (answer.pinResult === 'late') throw tooLate()
  const state = outcomeOf(row, answer, number)
  const isFirst = await settleCall(db, { id, deviceId: row.deviceId, decision: answer.decision, number, state }, now)
  // Settled after it was read above: perhaps by the same answer, which the device sent twice.
  if (!isFirst) return { answered: repeated(await reread(db, row), answer, number), settled: undefined }
  await auditCallerAnswer(db, ctx, { ...row, state })
  if (isAlarming(state)) await mailOwnersAfterCommit(db, ctx, row)
  return { answered: { id, state }, settled: row }
}

async function reread(db: Queryable, { id, deviceId }: CallerVerificationRow): Promise<CallerVerificationRow> {
  const row = await callOfDevice(db, deviceId, id)
  if (!row) throw tooLate()
  return row
}

/** A lost answer can be repeated with the same result. A different answer is too late. */
function repeated(row: CallerVerificationRow, answer: CallAnswer, number: string | null): CallAnswered {
  if (row.answeredDecision !== answer.decision || row.answeredNumber !== number) throw tooLate()
  return { id: row.id, state: row.state }
}

function outcomeOf(row: CallerVerificationRow, { decision }: CallAnswer, number: string | null): CallState {
  if (decision === 'deny') return 'denied'
  if (decision === 'report') return 'reported'
  if (number === null) throw new ApiProblem('api.error.invalid.number', 'number: required.')
  // One guess only: an attacker who does not hear the help desk must not be able to try all ninety numbers.
  return isSameText(row.number, number) ? 'confirmed' : 'wrong_number'
}

const isAlarming = (state: CallState): boolean => state === 'denied' || state === 'reported'

/** Alerts the operator, after the commit: an attacker may have called the help desk in the person's name. */
function alertOperator(ctx: ServiceContext, row: CallerVerificationRow, state: CallState): void {
  if (!isAlarming(state)) return
  const facts = { verification: row.id, user: row.userId, domain: row.domainId, administrator: row.requestedBy, state }
  ctx.logger.warn(
    facts,
    'a user says that the call to the help desk was not theirs: the help desk is blocked for a day',
  )
}

const tooLate = () => new ApiProblem('api.error.conflict.state')
