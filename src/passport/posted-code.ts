import type { Notice, Verified } from '../challenge/challenge.ts'
import type { RequestContext } from '../express/request/context.ts'
import { setContext } from '../express/request/context.ts'
import { isTrustedPost } from '../express/request/form.ts'
import type { Outcome } from '../express/request/outcome.ts'
import { andThen } from '../express/request/outcome.ts'
import type { FrameworkRequest } from '../express/framework/request.ts'
import type { WebRequest } from '../express/request/web-request.ts'
import { languageFor } from '../express/pages/languages.ts'
import { oneText, noticeText } from '../express/pages/notice.ts'
import { checkCode } from '../express/sign-in/code-entry.ts'
import { finish } from '../express/sign-in/finish.ts'
import { withChallenge } from '../express/sign-in/open-challenge.ts'

/** Why a posted code did not pass, as Passport hands it to callbacks and messages. */
export interface MfaFailure {
  readonly reason: Notice['kind'] | 'cross_site' | 'required' | 'sign_in_first'
  /** A message for people. */
  readonly message: string
  /** The time until which codes are paused, Unix seconds. */
  readonly until?: number
}

/** The instruction to Passport. */
export type PassportAnswer =
  | { readonly kind: 'success'; readonly verified: Verified | undefined }
  | { readonly kind: 'fail'; readonly failure: MfaFailure; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: 'redirect'; readonly location: string }

export type PassportOutcome = Outcome<PassportAnswer>

/** The member of a parsed body that holds a code, whatever its value; undefined if this request posts no code. */
export function postedCode(req: FrameworkRequest, field: string | false): { readonly typed: unknown } | undefined {
  const body: unknown = req.body
  if (field === false || req.method !== 'POST' || typeof body !== 'object' || body === null) return undefined
  return Object.hasOwn(body, field) ? { typed: (body as Record<string, unknown>)[field] } : undefined
}

/** Checks a code and verifies the web session. A code is checked even if the web session is verified already. */
export function tryPostedCode(request: WebRequest, code: unknown): PassportOutcome | Promise<PassportOutcome> {
  const { req, context } = request
  if (!isTrusted(request)) {
    const events = [{ type: 'post.refused', path: req.path } as const]
    return { state: 'as-is', events, answer: fail(problem(req, context, 'cross_site'), 403) }
  }
  return withChallenge<PassportAnswer>(request, async (opened, challenge) => {
    const checked = await checkCode(opened, challenge, code)
    if (checked === 'too late') return { state: 'as-is', answer: { kind: 'redirect', location: opened.context.base } }
    if (checked.notice) return { state: 'as-is', events: checked.events, answer: refused(opened, checked.notice) }
    const { verified, effects: finished } = await finish(opened, checked.challenge, checked.redeemed)
    const effects = { ...finished, events: [...checked.events, ...(finished.events ?? [])] }
    if (!verified) return { ...effects, answer: refused(opened, { kind: 'wrong_code' }) }
    return andThen<WebRequest, PassportAnswer>(opened, effects, () => {
      // Code that runs later in this request sees the user as verified.
      setContext(req, opened.context)
      return { state: 'as-is', answer: { kind: 'success', verified } }
    })
  })
}

function refused({ req, context }: WebRequest, notice: Notice): PassportAnswer {
  const now = context.mfa.options.clock.now()
  const failure = { reason: notice.kind, message: noticeText(languageFor(req, context), notice, now) }
  if (!('until' in notice)) return fail(failure, 401)
  const retryAfter = Math.max(1, notice.until - now)
  return { kind: 'fail', failure: { ...failure, until: notice.until }, status: 429, retryAfter }
}

export function fail(failure: MfaFailure, status: number): PassportAnswer {
  return { kind: 'fail', failure, status }
}

/** Says it in the words of our own pages. */
export function problem(
  req: FrameworkRequest,
  context: RequestContext,
  reason: 'cross_site' | 'sign_in_first',
): MfaFailure {
  return { reason, message: oneText(languageFor(req, context).words.problems[reason]) }
}

function isTrusted({ req, context, state }: WebRequest): boolean {
  const { page } = req.body as { page?: unknown }
  const { publicUrl } = context.mfa.options
  return isTrustedPost(req, { token: page, expected: state.challenge?.page, publicUrl })
}
