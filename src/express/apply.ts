import type { FrameworkRequest } from './framework/request.ts'
import type { FrameworkResponse } from './framework/response.ts'
import { unbuffered } from '../ground/event-stream.ts'
import { asCaller } from '../challenge/service-calls.ts'
import type { Challenge } from '../challenge/challenge.ts'
import { userKeyOf } from '../challenge/user.ts'
import { challengeViewOf, renderPage } from './pages/layout.ts'
import type { PageRequest } from './pages/layout.ts'
import type { Next, RequestContext } from './request/context.ts'
import { emit } from './request/events.ts'
import type { Answer, Continue, Effects, Handler, Outcome, Page, StateChange, Stream } from './request/outcome.ts'
import { continueAt } from './request/outcome.ts'
import type { WebRequest } from './request/web-request.ts'
import type { MfaState } from './session/mfa-state.ts'
import type { OpenApproval } from './session/open-approvals.ts'
import { renewalSent } from './session/renewals.ts'
import {
  canSave,
  loadedIdOf,
  openApprovals,
  openChallenges,
  readMfaState,
  removeMfaState,
} from './session/session-state.ts'
import {
  detachWebSession,
  EndedSessionError,
  removeAndSaveMfaState,
  saveMfaState,
  saveUnderNewId,
} from './session/web-session.ts'
import { cancelApprovals } from './approvals/cancel-approvals.ts'
import { cancelRequests } from './sign-in/cancel-requests.ts'
import { unavailable } from './sign-in/unavailable.ts'

/**
 * Runs a handler and applies its outcome; if the service is unavailable, or the web session cannot be saved, answers that.
 * Only this file saves or detaches the web session, emits events and sends answers.
 */
export async function serve(request: WebRequest, res: FrameworkResponse, next: Next, handler: Handler): Promise<void> {
  const isNext = await asCaller(userKeyOf(request.user), () => answerBy(handler, request, res))
  // The app's own handlers are no part of the call.
  if (isNext) next()
}

/** @returns whether the next handler of the app is to answer. */
async function answerBy(handler: Handler, request: WebRequest, res: FrameworkResponse): Promise<boolean> {
  const signal = closedSignal(res)
  try {
    const settled = await settle(request, res, handler, signal)
    if (settled.kind === 'next') return true
    await send(request.context, res, settled, signal)
  } catch (error) {
    await recover(request, res, error)
  }
  return false
}

/** Applies an outcome that was decided already. */
export async function apply(request: PageRequest, res: FrameworkResponse, outcome: Outcome): Promise<void> {
  const signal = closedSignal(res)
  await send(request.context, res, await applyAll(request, res, outcome, signal), signal)
}

/** Runs a handler and applies all effects, also of what it continues with. @returns the answer, not sent yet. */
export async function settle<A extends Kind>(
  request: WebRequest,
  res: FrameworkResponse,
  handler: Handler<WebRequest, A>,
  signal: AbortSignal = closedSignal(res),
): Promise<A> {
  return applyAll(request, res, await handler(request, signal), signal)
}

/** Applies them in this order, each only after the one before it succeeded: a failed save drops cookies, events and answer. */
export async function applyEffects(
  req: FrameworkRequest,
  res: FrameworkResponse,
  context: RequestContext,
  { state, cookies = [], events = [] }: Effects,
): Promise<void> {
  const isChanged = state !== 'as-is' && state !== 'detach'
  const approvals = isChanged ? openApprovals(req) : []
  const open = isChanged ? openChallenges(req) : []
  try {
    await changeState(req, res, state)
  } catch (error) {
    cancelUnsavedApprovals(req, context, approvals, state)
    throw error
  }
  if (open.length > 0) cancelDropped(req, context, open, state)
  if (approvals.length > 0) cancelDroppedApprovals(req, context, approvals)
  for (const cookie of cookies) res.addCookie(cookie)
  for (const event of events) emit(req, context, event)
}

/** Serves what is the same for all users: shared caches may store it, so the answer carries no web session. */
export async function serveDetached(
  req: FrameworkRequest,
  res: FrameworkResponse,
  run: () => void | Promise<void>,
): Promise<boolean> {
  const attach = detachWebSession(req)
  try {
    await run()
  } finally {
    // A connection that was closed must not be asked for a web session.
    if (!res.isAnswered) attach()
  }
  return res.isAnswered
}

interface Kind {
  readonly kind: string
}

async function applyAll<A extends Kind>(
  { req, context, state }: PageRequest,
  res: FrameworkResponse,
  outcome: Outcome<A>,
  signal: AbortSignal,
): Promise<A> {
  await applyEffects(req, res, context, outcome)
  const { answer } = outcome
  if (!isContinue(answer)) return answer
  const changed = stateAfter(state, outcome.state)
  return applyAll({ req, context, state: changed }, res, await answer.run(changed, signal), signal)
}

const isContinue = <A extends Kind>(answer: A | Continue<A>): answer is Continue<A> => answer.kind === 'continue'

/** A challenge that is no longer stored cannot be passed, so nobody should be asked for it. What has passed it needs no cancelling. */
function cancelDropped(
  req: FrameworkRequest,
  { mfa }: RequestContext,
  before: readonly Challenge[],
  change: StateChange,
): void {
  const { verified } = stateAfter({}, change)
  const remainingIds = new Set(openChallenges(req).map(({ id }) => id))
  const dropped = before.filter(({ id, sessionId }) => !remainingIds.has(id) && sessionId !== verified?.sessionId)
  cancelRequests(req, mfa, dropped)
}

function cancelDroppedApprovals(req: FrameworkRequest, { mfa }: RequestContext, before: readonly OpenApproval[]): void {
  const remainingIds = new Set(openApprovals(req).map(({ id }) => id))
  cancelApprovals(
    req,
    mfa,
    before.filter(({ id }) => !remainingIds.has(id)),
  )
}

/** Nobody should be asked for an approval that no request will find in the web session. */
function cancelUnsavedApprovals(
  req: FrameworkRequest,
  { mfa }: RequestContext,
  before: readonly OpenApproval[],
  change: StateChange,
): void {
  const { approvals = [] } = stateAfter({}, change)
  const beforeIds = new Set(before.map(({ id }) => id))
  cancelApprovals(
    req,
    mfa,
    approvals.filter(({ id }) => !beforeIds.has(id)),
  )
}

function changeState(req: FrameworkRequest, res: FrameworkResponse, change: StateChange): void | Promise<void> {
  if (change === 'as-is') return
  if (change === 'detach') return void detachWebSession(req)
  if (change === 'remove') return removeMfaState(req)
  if (change === 'end') return removeAndSaveMfaState(req)
  if ('save' in change) return saveMfaState(req, change.save)
  return saveUnderNewId(req, change.renew, closedSignal(res))
}

function stateAfter(before: MfaState, change: StateChange): MfaState {
  if (change === 'as-is' || change === 'detach') return before
  if (change === 'remove' || change === 'end') return {}
  return 'renew' in change ? change.renew : change.save
}

/** An answer that has begun can only be cut off. A failed save here is answered in the same way, once. */
async function recover(request: WebRequest, res: FrameworkResponse, error: unknown, isRetry = false): Promise<void> {
  const isLate = res.isBegun
  // The effects so far may have ended or changed what the handler was given.
  const current = { ...request, state: readMfaState(request.req, request.context) }
  const outcome = (await isLeftToOther(request.req, error))
    ? leaveToOther(request)
    : await unavailable(current, error, !isLate && !isRetry && canSave(request.req))
  try {
    await applyEffects(request.req, res, request.context, outcome)
  } catch (failure) {
    if (isRetry) throw failure
    return recover(request, res, failure, true)
  }
  if (isLate) res.raw.destroy()
  else await send(request.context, res, outcome.answer as Answer, closedSignal(res))
}

/**
 * Whether the error says that another request has renewed or ended the web session: another tab, or the owner of a copied cookie.
 * Returns once the browser has got the new id.
 */
export async function isLeftToOther(req: FrameworkRequest, error: unknown): Promise<boolean> {
  if (!(error instanceof EndedSessionError)) return false
  await renewalSent(loadedIdOf(req))
  return true
}

/** Continues at the page that shows what there is now. */
function leaveToOther(request: WebRequest): Outcome {
  const { req, context } = request
  const isSelfService = req.path.startsWith(`${context.mfa.options.path}/devices`)
  return { state: 'detach', answer: continueAt(request, isSelfService ? `${context.base}/devices` : context.base) }
}

async function send(
  context: RequestContext,
  res: FrameworkResponse,
  answer: Answer,
  signal: AbortSignal,
): Promise<void> {
  switch (answer.kind) {
    case 'redirect':
      // 303: whatever the method was, the browser continues with GET (RFC 9110 section 15.4.4).
      return res.send({ status: 303, headers: { Location: answer.location, 'Content-Length': '0' } })
    case 'json': {
      const headers = { 'Content-Type': 'application/json; charset=utf-8', ...answer.headers }
      return res.send({ status: answer.status, headers, body: JSON.stringify(answer.body) })
    }
    case 'page':
      return sendPage(context, res, answer)
    case 'file':
      return res.send({ status: 200, headers: fileHeaders(answer.name), body: answer.text })
    case 'stream':
      return sendStream(res, answer, signal)
    case 'app':
      res.leaveByPage()
      await answer.handler(res)
      if (!res.isAnswered) await send(context, res, answer.otherwise, signal)
      return
    case 'carry-out':
      // Nothing would be carried out, and the browser would be told that all is well.
      throw new Error('A form that a confirmation has interrupted was not carried out: its route lacks carryingOut().')
    default:
      return res.send({ status: 204, headers: {} })
  }
}

async function sendPage(context: RequestContext, res: FrameworkResponse, page: Page): Promise<void> {
  const { status, headers = {} } = page
  res.send({ status, headers: { ...headers }, body: await render(context, res, page) })
}

/** Uses the app's own view, if it has one. If that fails, users still have to be able to sign in. */
async function render({ mfa }: RequestContext, res: FrameworkResponse, page: Page): Promise<string> {
  const { views, logger } = mfa.options
  if (!views) return renderPage(page)
  try {
    return await res.render(views.challenge, challengeViewOf(page))
  } catch (error) {
    logger.error(`mfa: the view ${views.challenge} failed, so the page of mfa() was sent: ${String(error)}`)
    return renderPage(page)
  }
}

function fileHeaders(name: string) {
  return {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
    'X-Content-Type-Options': 'nosniff',
  }
}

async function sendStream(res: FrameworkResponse, { run }: Stream, signal: AbortSignal): Promise<void> {
  const pieces = res.stream({ ...unbuffered, 'Content-Type': 'text/event-stream; charset=utf-8' })
  // A slow browser takes the end later. A write after it would be an error that nothing handles, and end the app's process.
  const unlessEnded = (put: (text: string) => void) => (text: string) => void (res.raw.writableEnded || put(text))
  await run({
    signal,
    write: unlessEnded((text) => pieces.write(text)),
    end: unlessEnded((text) => pieces.end(text)),
  })
}

/** Given as a reason, so that not every request creates an exception with its stack. */
const over = new Error('The response is over.')

function closedSignal(res: FrameworkResponse): AbortSignal {
  const closed = new AbortController()
  // It tells only once that it is closed.
  if (res.raw.closed) closed.abort(over)
  else res.raw.once('close', () => closed.abort(over))
  return closed.signal
}
