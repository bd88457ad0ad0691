import type { FrameworkRequest } from '../express/framework/request.ts'
import type { WebSession } from '../express/framework/session-kind.ts'
import type { RequestContext } from '../express/request/context.ts'
import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import { keepLifetime } from '../express/session/keep-lifetime.ts'
import { putMfaState, readMfaState } from '../express/session/session-state.ts'
import { onRegenerate } from '../express/session/web-session.ts'

type Data = WebSession & { passport?: { user?: unknown } }

/**
 * Passport gives the web session a new id when a strategy succeeds, and drops what was in it, because a login may change
 * its user. The second step does not: the data of the same login is kept, such as where to return to.
 */
export function carryOver(req: FrameworkRequest, context: RequestContext, user: MfaUser): void {
  const { session: before } = req as unknown as { session?: Data }
  if (isSameLogin(context, user, before)) {
    onRegenerate(req, () => {
      const { session } = req as unknown as { session?: Data }
      if (!before || !session) return
      const { cookie: _cookie, ...data } = before
      Object.assign(session, data)
      keepLifetime(before, session)
    })
    return
  }
  const { verified } = readMfaState(req)
  if (verified) onRegenerate(req, () => putMfaState(req, { verified }))
}

/** Whether the same user was signed in when the request came, or has signed in since then in a web session without a user. */
function isSameLogin({ userKey }: RequestContext, user: MfaUser, session: Data | undefined): boolean {
  return userKey === userKeyOf(user) || (userKey === undefined && session?.passport?.user !== undefined)
}
