import { ApiError, UnreachableError } from '../../client/errors.ts'
import { seeOther } from './answer.ts'
import type { ChallengeRequest } from './web-request.ts'
import type { RequestContext } from './context.ts'
import { emit } from './events.ts'
import { showMessage } from '../pages/message.ts'
import { describe, isOutage } from './service-outage.ts'
import { saveMfaState, letThroughTime, readMfaState, WebSessionError } from '../session/web-session.ts'

/**
 * Why the service could not be asked: no connection or no sense, no answer in time, not on these terms, not now; or that
 * the app could not store what came of it.
 */
export type Trouble = 'unavailable' | 'slow' | 'misconfigured' | 'busy' | 'not_stored'

/** Seconds until another try makes sense, where the service does not say. */
const usualRetry = 5

/**
 * Nothing was decided, so nobody gets in; the person is told so, and the app's log why.
 *
 * @throws the error itself where it is no outage but a mistake in the app or in this package: Express answers 500.
 */
export async function answerTrouble(request: ChallengeRequest, error: unknown): Promise<void> {
  const { req, res, context } = request
  if (!isTrouble(error)) throw error
  const { failMode } = context.mfa.options
  const { trouble, retryAfter } = reportTrouble(request, error)
  if (res.headersSent) {
    res.destroy()
    return
  }
  if (failMode && isOutage(error) && (await failMode(req, error))) return letThrough(request)
  res.setHeader('Retry-After', String(retryAfter))
  showMessage(req, res, context, 503, trouble)
}

const isTrouble = (error: unknown) =>
  [ApiError, UnreachableError, WebSessionError].some((known) => error instanceof known)

/** An outage is one line, and not one for each request; every other trouble is a line of its own. */
function logTrouble({ mfa, requestId }: RequestContext, error: unknown): void {
  if (isOutage(error)) {
    mfa.outage.failed(error)
    mfa.outage.refused()
  } else {
    mfa.options.logger.error(`mfa: the second step is unavailable: ${describe(error)} (request ${requestId()})`)
  }
}

/** Tells the app. @returns what to tell the person; `retryAfter` in seconds. */
export function reportTrouble(
  { req, context }: Pick<ChallengeRequest, 'req' | 'context'>,
  error: unknown,
): { readonly trouble: Trouble; readonly retryAfter: number } {
  const trouble = troubleOf(error)
  logTrouble(context, error)
  emit(req, context, { type: 'service.unavailable', reason: trouble })
  const { retryAfter = usualRetry } = error instanceof ApiError || error instanceof UnreachableError ? error : {}
  return { trouble, retryAfter }
}

async function letThrough({ req, res, context }: ChallengeRequest): Promise<void> {
  const { userKey, mfa, prefix } = context
  const { challenge, verified } = readMfaState(req)
  if (userKey === undefined) return
  const until = mfa.options.clock.now() + letThroughTime
  await saveMfaState(req, { verified, letThrough: { userKey, until } })
  emit(req, context, { type: 'gate.let_through', until })
  seeOther(res, challenge?.returnTo ?? `${prefix}/`)
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof UnreachableError) return troubles[error.reason]
  if (error instanceof WebSessionError) return 'not_stored'
  if (!(error instanceof ApiError)) return 'unavailable'
  if (error.status === 429 || error.unprocessed === 'overload') return 'busy'
  return error.status >= 500 ? 'unavailable' : 'misconfigured'
}

const troubles = { network: 'unavailable', bad_response: 'unavailable', timeout: 'slow', no_room: 'busy' } as const
