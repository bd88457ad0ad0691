import { ApiError, UnreachableError } from '../client/errors.ts'
import { seeOther } from './answer.ts'
import type { ChallengeRequest } from './challenge-request.ts'
import { emit } from './events.ts'
import { showMessage } from './pages/message.ts'
import { keep, readKept, WebSessionError } from './web-session.ts'

/**
 * Why the service could not be asked: no connection or no sense, no answer in time, not on these terms, not now; or that
 * the app could not store what came of it.
 */
export type Trouble = 'unavailable' | 'slow' | 'misconfigured' | 'busy' | 'not_stored'

/** How long `failMode` lets through, seconds. */
const letThroughFor = 300
/** Seconds until another try makes sense, where the service does not say. */
const usualRetry = 5

/** Nothing was decided, so nobody gets in; the person is told so, and the app's log why. */
export async function answerTrouble(request: ChallengeRequest, error: unknown): Promise<void> {
  const { req, res, context } = request
  const { failMode } = context.mfa.options
  const { trouble, retryAfter } = noteTrouble(request, error)
  if (res.headersSent) {
    res.destroy()
    return
  }
  if (failMode && isOutage(error) && (await failMode(req, error))) return letThrough(request)
  res.setHeader('Retry-After', String(retryAfter))
  showMessage(req, res, context, 503, trouble)
}

/** Tells the app. @returns what to tell the person; `retryAfter` in seconds. */
export function noteTrouble(
  { req, context }: Pick<ChallengeRequest, 'req' | 'context'>,
  error: unknown,
): { readonly trouble: Trouble; readonly retryAfter: number } {
  const trouble = troubleOf(error)
  context.mfa.options.logger?.error(`mfa: the second step is unavailable: ${describe(error)}`)
  emit(req, context, { type: 'service.unavailable', reason: trouble })
  const { retryAfter = usualRetry } = error instanceof ApiError || error instanceof UnreachableError ? error : {}
  return { trouble, retryAfter }
}

/**
 * A service that answers no is not out: that is never a reason to do without it. Nor is one that we have not asked, as
 * whoever asks us often enough could bring that about.
 */
function isOutage(error: unknown): error is Error {
  if (error instanceof UnreachableError) return error.reason !== 'no_room'
  return error instanceof ApiError && error.status >= 500
}

async function letThrough({ req, res, context }: ChallengeRequest): Promise<void> {
  const { userKey, mfa, prefix } = context
  const { challenge, verified } = readKept(req)
  if (userKey === undefined) return
  const until = mfa.options.clock.now() + letThroughFor
  await keep(req, { verified, letThrough: { userKey, until } })
  emit(req, context, { type: 'gate.let_through', until })
  seeOther(res, challenge?.returnTo ?? `${prefix}/`)
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof UnreachableError) return troubles[error.reason]
  if (error instanceof WebSessionError) return 'not_stored'
  if (!(error instanceof ApiError)) return 'unavailable'
  if (error.status === 429) return 'busy'
  return error.status >= 500 ? 'unavailable' : 'misconfigured'
}

const troubles = { network: 'unavailable', bad_response: 'unavailable', timeout: 'slow', no_room: 'busy' } as const

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = error instanceof ApiError ? ` ${error.code}` : ''
  const why = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.name}${code}: ${error.message}${why}`
}
