import type { FrameworkRequest } from '../framework/request.ts'
import type { FrameworkResponse } from '../framework/response.ts'
import { userKeyOf } from '../../challenge/user.ts'
import { resolveAppUser } from '../request/app-user.ts'
import { isBearer } from './bearer-requests.ts'
import type { RequestContext } from '../request/context.ts'
import { passportUser } from '../request/app-user.ts'
import { requirementOf } from '../request/required.ts'
import { verifiedOf } from '../request/verified.ts'
import { readMfaState } from '../session/session-state.ts'
import { isPublic } from '../request/public-path.ts'
import { hadSecondStep } from '../request/second-step-logins.ts'
import { warnOnce, wasWarned } from '../request/warn.ts'

interface PassportRequest {
  readonly session?: { readonly passport?: unknown } | null
}

/**
 * Warns once if a request passed the gate because its user was set only after mfa() ran: that user has given a password, and
 * was not asked for a second step. Checks when the answer is complete.
 */
export function warnOfLaterUser(req: FrameworkRequest, res: FrameworkResponse, context: RequestContext): void {
  const { options } = context.mfa
  if (!options.gate || wasWarned(options, 'later user') || isBearer(req) || isPublic(req, options)) return
  const before = passportUser(req)
  res.raw.once('finish', () => {
    if (passportUser(req) === before || hadSecondStep(req) || isHarmless(req, res)) return
    // An error of the app's `user` function must not fail anything: the answer has been sent.
    isUngated(req, context).then(
      (ungated) => ungated && warnOnce(options, warningFor(req), 'later user'),
      () => {},
    )
  })
}

/** A refusal reveals nothing, and neither does a redirect after a lasting login: its target is gated. */
function isHarmless(req: FrameworkRequest, res: FrameworkResponse): boolean {
  return res.raw.statusCode >= (isLasting(req) ? 300 : 400)
}

/** Passport stores `{ user }` in the web session, and @fastify/passport the serialized user itself. */
function isLasting(req: FrameworkRequest): boolean {
  const { passport } = (req as PassportRequest).session ?? {}
  return (req.original ? passport : (passport as { user?: unknown } | undefined)?.user) !== undefined
}

async function isUngated(req: FrameworkRequest, context: RequestContext): Promise<boolean> {
  const { options } = context.mfa
  const user = await resolveAppUser(req, options)
  if (!user || verifiedOf(readMfaState(req), { ...context, userKey: userKeyOf(user) })) return false
  return (await requirementOf({ req, context }, user)) === 'here'
}

function warningFor({ method, baseUrl, path }: FrameworkRequest): string {
  return (
    `${method} ${baseUrl}${path}: a user signed in after mfa() ran, so this request was answered after the password alone. ` +
    'Put requireMfa() after that login, or the login before mfa(). A route that does nothing but sign users in ' +
    'needs no change.'
  )
}
