import type { Request, Response } from 'express'

import { ApiError, UnreachableError } from '../client/errors.ts'
import { asCaller } from '../challenge/caller.ts'
import { asRequest } from '../challenge/request-id.ts'
import type { Notice, Verified } from '../challenge/challenge.ts'
import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import type { ChallengeRequest } from '../express/request/web-request.ts'
import { challengeOf, checkCode } from '../express/sign-in/code-entry.ts'
import { tryVerify } from '../express/sign-in/complete.ts'
import type { RequestContext } from '../express/request/context.ts'
import { setContext, verifiedOf } from '../express/request/context.ts'
import { isTrustedPost } from '../express/request/cross-site.ts'
import { emit } from '../express/request/events.ts'
import { languageFor } from '../express/pages/languages.ts'
import { oneText } from '../express/pages/messages/one-text.ts'
import { noticeText } from '../express/pages/notice.ts'
import { reportTrouble } from '../express/request/trouble.ts'
import { readMfaState } from '../express/session/web-session.ts'

/** Why a posted code did not pass, as Passport hands it to callbacks and messages. */
export interface MfaFailure {
  readonly reason: Notice['kind'] | 'cross_site' | 'required' | 'sign_in_first'
  /** For people. */
  readonly message: string
  /** Until when codes are paused, Unix seconds. */
  readonly until?: number
}

/** What came of a posted code. */
export type PostedCode =
  | { readonly verified: Verified; readonly failure?: never }
  | { readonly failure: MfaFailure; readonly status: number; readonly retryAfter?: number }

/** What a parsed body holds as a code, whatever that is; undefined where this is no post of a code. */
export function postedCode(req: Request, field: string | false): { readonly typed: unknown } | undefined {
  const body: unknown = req.body
  if (field === false || req.method !== 'POST' || typeof body !== 'object' || body === null) return undefined
  return Object.hasOwn(body, field) ? { typed: (body as Record<string, unknown>)[field] } : undefined
}

/**
 * Checks a code and verifies the web session. A right one is checked also where the web session is verified already: who
 * posts a code wants it to be looked at.
 *
 * @throws {Error} with status 503, when the service gives no answer.
 */
export async function tryPostedCode(
  req: Request,
  context: RequestContext,
  user: MfaUser,
  { typed }: { readonly typed: unknown },
): Promise<PostedCode> {
  // The login may be of this very request: mfa() ran before it.
  const own: RequestContext = { ...context, user, userKey: userKeyOf(user) }
  if (!isTrusted(req, own)) {
    emit(req, own, { type: 'post.refused', path: req.path })
    return { failure: problem(req, own, 'cross_site'), status: 403 }
  }
  try {
    const request = { req, res: req.res as Response, context: own, user, form: {} }
    return await asRequest(own.requestId, () => asCaller(userKeyOf(user), () => check(request, typed)))
  } catch (error) {
    if (error instanceof UnreachableError || error instanceof ApiError) throw unavailable(req, own, error)
    throw error
  }
}

async function check(request: ChallengeRequest, typed: unknown): Promise<PostedCode> {
  const { req, context, user } = request
  const { challenge, notice } = await checkCode(request, await challengeOf(request), typed)
  if (notice) return refused(request, notice)
  if (!(await tryVerify(request, challenge))) return refused(request, { kind: 'wrong_code' })
  // What comes after in this request sees who passed.
  setContext(req, context)
  const verified = verifiedOf(req, context, user)
  return verified ? { verified } : refused(request, { kind: 'wrong_code' })
}

function refused({ req, context }: ChallengeRequest, notice: Notice): PostedCode {
  const now = context.mfa.options.clock.now()
  const failure = { reason: notice.kind, message: noticeText(languageFor(req, context), notice, now) }
  if (!('until' in notice)) return { failure, status: 401 }
  return { failure: { ...failure, until: notice.until }, status: 429, retryAfter: Math.max(1, notice.until - now) }
}

/** In the words that our own pages use. */
export function problem(req: Request, context: RequestContext, reason: 'cross_site' | 'sign_in_first'): MfaFailure {
  return { reason, message: oneText(languageFor(req, context).words.problems[reason]) }
}

function isTrusted(req: Request, { mfa }: RequestContext): boolean {
  const { page } = req.body as { page?: unknown }
  return isTrustedPost(req, {
    token: page,
    expected: readMfaState(req).challenge?.page,
    publicUrl: mfa.options.publicUrl,
  })
}

/** As Express and its error handlers read it. The service's own status is no answer to a person: 401 is not their fault. */
function unavailable(req: Request, context: RequestContext, cause: Error): Error {
  const { retryAfter } = reportTrouble({ req, context }, cause)
  const error = new Error('The second step is unavailable.', { cause })
  return Object.assign(error, { status: 503, headers: { 'Retry-After': String(retryAfter) } })
}
