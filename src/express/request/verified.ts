import type { HttpRequest } from '../framework/http-request.ts'
import type { Verified } from '../../challenge/challenge.ts'
import { judge } from '../../challenge/policy.ts'
import type { Policy, Unverified } from '../../challenge/policy.ts'
import type { MfaUser } from '../../challenge/user.ts'
import type { MfaState } from '../session/mfa-state.ts'
import { readMfaState } from '../session/session-state.ts'
import type { RequestContext } from './context.ts'
import { contextOf } from './context.ts'
import type { EventFacts } from '../options/mfa-event.ts'
import { logFailure } from './service-outage.ts'

/** The verification record of this web session, if it counts for the user of the request under the policy. */
export function verifiedOf(state: MfaState, visitor: Visitor, policy?: Policy): Verified | undefined {
  const verdict = findVerified(state, visitor, policy)
  return typeof verdict === 'string' ? undefined : verdict
}

/** The signed-in user, and the `mfa()` that the request belongs to. */
type Visitor = Pick<RequestContext, 'mfa' | 'userKey'>

/**
 * Finds the verification as `verifiedOf` does, or says why there is none.
 *
 * @param policy That of the app, or one that a route has narrowed.
 */
export function findVerified(
  { verified }: MfaState,
  { mfa, userKey }: Visitor,
  policy: Policy = mfa.policy,
): Verified | Unverified {
  if (userKey === undefined || !verified) return 'never'
  return judge(verified, userKey, policy, { now: mfa.options.clock.now(), epochs: mfa.epochs })
}

/**
 * Whether the user behind this request has passed the second step. A request that mfa() has not seen is not verified. For the
 * upgrade to a WebSocket, `mfa()` returns `verifyUpgrade()`.
 */
export function isVerified(req: HttpRequest): boolean {
  const context = contextOf(req)
  if (context) return verifiedOf(readMfaState(req), context) !== undefined
  if (req.headers.upgrade !== undefined) warnOfUpgrade()
  return false
}

let isWarned = false

/** No mfa() has seen the request, so there is no logger. */
function warnOfUpgrade(): void {
  if (isWarned) return
  isWarned = true
  process.emitWarning(
    'isVerified() accepts no upgrade. Call verifyUpgrade(req, user) of the value that mfa() returns.',
    {
      type: 'MfaWarning',
    },
  )
}

/**
 * Asks the service whether the verification record was ended, where that is not known: before anything relies on it.
 *
 * @returns the event to emit where the service could not be asked.
 */
export async function checkEpoch(
  { verified }: MfaState,
  context: RequestContext,
  user: MfaUser,
): Promise<readonly EventFacts[]> {
  const { epochs } = context.mfa
  if (verified === undefined || epochs.isKnown(verified.userKey)) return []
  const unchecked = await epochs.refresh(user)
  if (!unchecked) return []
  const { error, until } = unchecked
  const untilWhen = new Date(until * 1000).toISOString()
  const warning = `the service could not be asked whether a verified web session was ended; it stays valid until ${untilWhen}`
  logFailure(context, warning, error)
  return [{ type: 'verification.unchecked', until }]
}
