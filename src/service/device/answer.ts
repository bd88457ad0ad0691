import { AnswerRequest } from '../../contract/device.ts'
import type { Answered } from '../../contract/device.ts'
import { isSameText } from '../../same-text.ts'
import { notifySession } from '../waiting/notify.ts'
import { auditSession } from '../audit/sessions.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { ApiProblem } from '../ground/problem.ts'
import { mailAfterCommit } from '../mail/mail-after-commit.ts'
import { forgetPushes, pausePushes } from '../push/push-budget.ts'
import { atTime } from '../rules/session-state.ts'
import { insertHistory } from '../store/device-history.ts'
import { endOtherSessions } from '../store/epochs.ts'
import { organizationOfDomain } from '../store/domains.ts'
import { pinRule } from '../store/devices.ts'
import type { Queryable } from '../store/schema.ts'
import { sessionOfDevice, settleSession } from '../store/sessions.ts'
import type { Outcome, SessionRow } from '../store/sessions.ts'
import { checkPin, reserveAttempt } from './check-pin.ts'
import { parseContent } from './signature.ts'
import { requireActive, consumeCall } from './signed-call.ts'
import { readCommitted } from '../store/transaction-ends.ts'
import type { SignedCall } from './signed-call.ts'

type Given = ReturnType<typeof AnswerRequest.parse>

/** The user's answer. Checks, in this order: signature (by the caller), nonce, PIN, number. */
export async function answerRequest(ctx: ServiceContext, call: SignedCall, sessionId: string): Promise<Answered> {
  const given = parseContent(AnswerRequest, call.payload)
  const pinResult = await verifyPin(ctx, call, { sessionId, given })
  const { answered, settled, createdAt } = await readCommitted(ctx.store.db).execute(async (db) => {
    await (pinResult === 'not-required' ? consumeCall(db, call) : requireActive(db, call.device.id))
    const session = await findSession(db, call, { sessionId, given })
    return { ...(await decide(ctx, db, session, { ...given, pinResult })), createdAt: session.createdAt }
  })
  if (settled) {
    const seconds = ctx.clock.now() - createdAt
    ctx.observer.settled(answered.reason ?? answered.state, 1, { factor: 'push', seconds })
  }
  notifySession(ctx, { id: sessionId, deviceId: call.device.id })
  return answered
}

interface Meant {
  readonly sessionId: string
  readonly given: Given
}

async function findSession(db: Queryable, { device }: SignedCall, { sessionId, given }: Meant): Promise<SessionRow> {
  const session = await sessionOfDevice(db, device.id, sessionId)
  if (!session) throw new ApiProblem('api.error.notfound.session')
  if (!isSameText(session.nonce, given.nonce))
    throw new ApiProblem('api.error.invalid.nonce', 'nonce: does not match the request.')
  return session
}

/** The result of the PIN check. */
type PinResult = 'not-required' | 'late' | 'right'

/**
 * Verifies the PIN of an approval if the domain requires one, in its own transaction, so that the attempt counts whatever
 * follows. Only users who know the PIN learn whether the number is right.
 * @returns `late` if the request was already settled, so that no PIN was checked: even if a clock is set back, it must not
 * become pending again. Unless the result is `not-required`, the signed call has been used up.
 */
async function verifyPin(ctx: ServiceContext, call: SignedCall, meant: Meant): Promise<PinResult> {
  const { decision, pin, attempt = call.claims.jti } = meant.given
  const rule = decision === 'approve' ? await pinRule(ctx.store.db, call.device.domainId) : undefined
  if (!rule || rule.keyType === 'NONE') return 'not-required'
  const taken = await readCommitted(ctx.store.db).execute(async (db) => {
    await consumeCall(db, call)
    const session = await findSession(db, call, meant)
    // A settled session is only compared: repeating a lost answer costs no attempt.
    if (atTime(session, ctx.clock.now()).state !== 'pending') return undefined
    if (pin === undefined) throw new ApiProblem('api.error.invalid.pin', 'pin: required.')
    return reserveAttempt(db, { device: call.device, attempt, most: rule.maxAllowedRetries }, ctx.clock.now())
  })
  if (!taken) return 'late'
  await checkPin(ctx, taken, pin ?? '')
  return 'right'
}

interface Decided {
  readonly answered: Answered
  /** Whether this call settled the session. */
  readonly settled: boolean
}

async function decide(
  ctx: ServiceContext,
  db: Queryable,
  session: SessionRow,
  given: Given & { readonly pinResult: PinResult },
): Promise<Decided> {
  const now = ctx.clock.now()
  const present = atTime(session, now)
  const number = typedNumber(session, given)
  if (present.state !== 'pending') return { answered: repeated(present, given, number), settled: false }
  if (given.pinResult === 'late') throw tooLate()
  const outcome = outcomeOf(session, given, number)
  const answer = { id: session.id, deviceId: session.deviceId ?? '', decision: given.decision, number, outcome }
  const [won, organizationId] = await Promise.all([
    settleSession(db, answer, now),
    organizationOfDomain(db, session.domainId),
  ])
  if (!won) throw tooLate()
  const { state, reason = null, factor = null } = outcome
  const actor = { kind: 'device', id: answer.deviceId } as const
  await auditSession(db, ctx, { ...session, state, reason, factor }, { organizationId, actor })
  await insertHistory(db, historyRow(session, outcome, now))
  if (outcome.state === 'approved') await forgetPushes(db, session)
  if (outcome.reason === 'reported') {
    await pausePushes(ctx, db, session)
    await endOtherSessions(db, [session.userId])
    const { userId, domainId } = session
    await mailAfterCommit(db, ctx, { kind: 'sign_in_reported', organizationId, userId, domainId })
  }
  return { answered: { id: session.id, state: outcome.state, reason: outcome.reason }, settled: true }
}

function historyRow(session: SessionRow, { state, reason }: Outcome, now: number) {
  const { id, deviceId, domainId, userId, attributes, ipAddress, purpose, createdAt } = session
  const of = { sessionId: id, deviceId: deviceId ?? '', domainId, userId, attributes, ipAddress, purpose, createdAt }
  return { ...of, state, reason: reason ?? null, settledAt: now }
}

/** A lost answer can be repeated with the same result. A different answer is too late. */
function repeated(session: SessionRow, given: Given, number: string | null): Answered {
  const same = session.answeredDecision === given.decision && session.answeredNumber === number
  if (!same) throw tooLate()
  return { id: session.id, state: session.state, reason: session.reason ?? undefined }
}

/** Only an approval of a request with a number has one. */
function typedNumber(session: SessionRow, given: Given): string | null {
  return session.number !== null && given.decision === 'approve' ? (given.number ?? null) : null
}

function outcomeOf(session: SessionRow, given: Given, number: string | null): Outcome {
  if (given.decision === 'deny') return { state: 'denied', reason: 'user_denied' }
  if (given.decision === 'report') return { state: 'denied', reason: 'reported' }
  if (session.number === null) return { state: 'approved', factor: 'push' }
  if (number === null) throw new ApiProblem('api.error.invalid.number', 'number: required.')
  // One guess only: an attacker who does not see the page must not be able to try all ninety numbers.
  return isSameText(session.number, number)
    ? { state: 'approved', factor: 'push' }
    : { state: 'denied', reason: 'wrong_number' }
}

const tooLate = () => new ApiProblem('api.error.conflict.state')
