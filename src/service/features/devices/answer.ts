import { AnswerRequest, ScanRequest } from '../../../contract/device.ts'
import type { Answered, Scanned } from '../../../contract/device-answers.ts'
import { isSameText } from '../../../ground/same-text.ts'
import { notifySession, notifySettled } from '../../engine/waiting/notify.ts'
import { auditSession } from '../sessions/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { forgetPushes } from '../sessions/push-budget.ts'
import { scanHashOf, atTime, isReportable, reportableFor } from '../sessions/rules.ts'
import { noteInHistory } from './history-statements.ts'
import { organizationOfDomain } from '../domains/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { sessionOfDevice, settleSession } from '../sessions/statements.ts'
import { countReported, reportEnded } from '../sessions/report-statements.ts'
import type { Outcome, SessionRow } from '../sessions/statements.ts'
import { verifyAnswerPin } from './answer-pin.ts'
import type { PinResult } from './answer-pin.ts'
import { pushLimits } from '../sessions/push-limits.ts'
import { blockAfterReport, blockedBy, lockReporter } from './report.ts'
import { parseContent } from './signature.ts'
import { requireActive, consumeCall } from './signed-call.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import type { SignedCall } from './signed-call.ts'

type DeviceAnswer = ReturnType<typeof AnswerRequest.parse>

/** The user's answer. Checks, in this order: signature (by the caller), nonce, PIN, number. */
export async function answerRequest(ctx: ServiceContext, call: SignedCall, sessionId: string): Promise<Answered> {
  const answer = parseContent(AnswerRequest, call.payload)
  const { pin, attempt } = answer
  const agrees = answer.decision === 'approve'
  const pinResult = await verifyAnswerPin(ctx, call, { agrees, pin, attempt }, async (db) => {
    const session = await findSession(db, call, { sessionId, answer })
    return atTime(session, ctx.clock.now()).state === 'pending'
  })
  const decided = await readCommitted(ctx.store.db).execute(async (db) => {
    if (answer.decision === 'report') await lockReporter(db, call.device)
    await (pinResult === 'not-required' ? consumeCall(db, call) : requireActive(db, call.device.id))
    return decide(ctx, db, await findSession(db, call, { sessionId, answer }), { ...answer, pinResult })
  })
  announce(ctx, call, decided)
  return decided.answered
}

/**
 * Returns the number for the secret of the code that the web page shows. Approves nothing: the device sends the number, and the
 * PIN, with its answer. A wrong secret counts as a wrong number, so there is one guess for either.
 */
export async function scanRequest(ctx: ServiceContext, call: SignedCall, sessionId: string): Promise<Scanned> {
  const scan = parseContent(ScanRequest, call.payload)
  const scanned = scanHashOf(scan.secret)
  const { number, ...decided } = await readCommitted(ctx.store.db).execute(async (db): Promise<ScanResult> => {
    await consumeCall(db, call)
    const session = await findSession(db, call, { sessionId, answer: scan })
    if (session.scanHash === null || session.number === null) throw tooLate()
    const { state } = atTime(session, ctx.clock.now())
    if (state === 'pending' && isSameText(session.scanHash, scanned)) {
      return { answered: { id: session.id, state }, settled: [], number: session.number }
    }
    // The hash takes the place of a wrong number: a repeated call gets the same answer.
    return decide(ctx, db, session, { decision: 'approve', number: scanned, pinResult: 'not-required' })
  })
  if (number === undefined) announce(ctx, call, decided)
  return { ...decided.answered, number }
}

interface ScanResult extends Decided {
  readonly number?: string
}

/** Wakes all who wait for the session, or for one that was settled with it. */
function announce(ctx: ServiceContext, { device }: SignedCall, { answered, settled }: Decided): void {
  for (const session of settled) {
    const seconds = ctx.clock.now() - session.createdAt
    ctx.observer.settled(session.reason ?? session.state, 1, { factor: 'push', seconds })
    notifySettled(ctx, session)
  }
  if (settled.length === 0) notifySession(ctx, { id: answered.id, deviceId: device.id })
}

interface AnsweredSession {
  readonly sessionId: string
  readonly answer: Pick<DeviceAnswer, 'nonce'>
}

async function findSession(
  db: Queryable,
  { device }: SignedCall,
  { sessionId, answer }: AnsweredSession,
): Promise<SessionRow> {
  const session = await sessionOfDevice(db, device.id, sessionId)
  if (!session) throw new ApiProblem('api.error.notfound.session')
  if (!isSameText(session.nonce, answer.nonce))
    throw new ApiProblem('api.error.invalid.nonce', 'nonce: does not match the request.')
  return session
}

type TypedAnswer = Pick<DeviceAnswer, 'decision' | 'number' | 'keepBrowser'>

interface Decided {
  readonly answered: Answered
  /** The sessions that this call settled: the session, if it waited, and after a report all other requests of the person. */
  readonly settled: readonly SessionRow[]
}

async function decide(
  ctx: ServiceContext,
  db: Queryable,
  session: SessionRow,
  typedAnswer: TypedAnswer & { readonly pinResult: PinResult },
): Promise<Decided> {
  const now = ctx.clock.now()
  const currentSession = atTime(session, now)
  const number = typedNumber(session, typedAnswer)
  if (currentSession.state !== 'pending')
    return decideEnded(ctx, db, currentSession, { decision: typedAnswer.decision, number })
  if (typedAnswer.pinResult === 'late') throw tooLate()
  const outcome = outcomeOf(session, typedAnswer, number)
  const browser = browserAfter(session, typedAnswer, outcome)
  const answer = {
    id: session.id,
    deviceId: session.deviceId ?? '',
    decision: typedAnswer.decision,
    number,
    outcome,
    browser,
  }
  const [isFirst, organizationId] = await Promise.all([
    settleSession(db, answer, now),
    organizationOfDomain(db, session.domainId),
  ])
  // Settled after it was read above: by a cancellation, or by the same answer, which the device sent twice.
  if (!isFirst) return decideEnded(ctx, db, await reread(db, session), { decision: typedAnswer.decision, number })
  const actor = { kind: 'device', id: answer.deviceId } as const
  const { state, reason, factor = null } = outcome
  const settled = { ...session, state, reason: reason ?? null, factor, settledAt: now }
  await auditSession(db, ctx, settled, { organizationId, actor })
  await noteInHistory(db, settled)
  if (state === 'approved') await forgetPushes(db, session)
  if (reason !== 'reported') return { answered: { id: session.id, state, reason }, settled: [settled] }
  const otherSessions = await blockAfterReport(ctx, db, settled, { organizationId, actor })
  return {
    answered: { id: session.id, state, reason, blocked: blockedBy(settled, otherSessions), pausedFor },
    settled: [settled, ...otherSessions],
  }
}

const { window: pausedFor } = pushLimits.afterReport

type EndedAnswer = Pick<DeviceAnswer, 'decision'> & { readonly number: string | null }

/** A session that no longer waits: a report of one that ended without an answer still denies the others. */
async function decideEnded(
  ctx: ServiceContext,
  db: Queryable,
  session: SessionRow,
  answer: EndedAnswer,
): Promise<Decided> {
  const now = ctx.clock.now()
  const { id, deviceId, domainId, state } = session
  const isReport = answer.decision === 'report' && isReportable(session, now)
  if (!isReport || !(await reportEnded(db, { id, deviceId }, now))) {
    return { answered: await repeated(db, session, answer), settled: [] }
  }
  const organizationId = await organizationOfDomain(db, domainId)
  const actor = { kind: 'device', id: deviceId ?? '' } as const
  const otherSessions = await blockAfterReport(ctx, db, session, { organizationId, actor })
  const reason = session.reason ?? undefined
  return {
    answered: { id, state, reason, blocked: blockedBy(session, otherSessions), pausedFor },
    settled: otherSessions,
  }
}

async function reread(db: Queryable, { id, deviceId }: SessionRow): Promise<SessionRow> {
  const session = await sessionOfDevice(db, deviceId ?? '', id)
  if (!session) throw tooLate()
  return session
}

/** The person keeps the browser by approving in it, and only then. */
function browserAfter(
  { browser }: SessionRow,
  { keepBrowser }: TypedAnswer,
  { state }: Outcome,
): SessionRow['browser'] {
  return browser === 'new' && keepBrowser && state === 'approved' ? 'keeping' : browser
}

/** A lost answer can be repeated with the same result. A different answer is too late. */
async function repeated(db: Queryable, session: SessionRow, { decision, number }: EndedAnswer): Promise<Answered> {
  const same = session.answeredDecision === decision && session.answeredNumber === number
  if (!same) throw tooLate()
  const { id, state, reason } = session
  const blocked = await blockedAt(db, session)
  return { id, state, reason: reason ?? undefined, ...(blocked !== undefined && { blocked, pausedFor }) }
}

/** How many requests were denied by the report of a session, or by those after its end where it had ended before. */
async function blockedAt(db: Queryable, { userId, reason, answeredDecision, settledAt }: SessionRow) {
  if (answeredDecision !== 'report' || settledAt === null) return undefined
  const until = reason === 'reported' ? settledAt : settledAt + reportableFor
  return countReported(db, { userId, from: settledAt, until })
}

/** Only an approval of a request with a number has one. */
function typedNumber(session: SessionRow, answer: TypedAnswer): string | null {
  return session.number !== null && answer.decision === 'approve' ? (answer.number ?? null) : null
}

function outcomeOf(session: SessionRow, answer: TypedAnswer, number: string | null): Outcome {
  if (answer.decision === 'deny') return { state: 'denied', reason: 'user_denied' }
  if (answer.decision === 'report') return { state: 'denied', reason: 'reported' }
  if (session.number === null) return { state: 'approved', factor: 'push' }
  if (number === null) throw new ApiProblem('api.error.invalid.number', 'number: required.')
  // One guess only: an attacker who does not see the page must not be able to try all ninety numbers.
  return isSameText(session.number, number)
    ? { state: 'approved', factor: 'push' }
    : { state: 'denied', reason: 'wrong_number' }
}

const tooLate = () => new ApiProblem('api.error.conflict.state')
