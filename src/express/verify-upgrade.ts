import type { HttpRequest } from './framework/http-request.ts'
import { asCaller, asRequest } from '../challenge/service-calls.ts'
import type { Verified } from '../challenge/challenge.ts'
import { expiryOf, judge, narrow } from '../challenge/policy.ts'
import type { AppUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import type { Maybe } from './options/app.ts'
import { readAppUser } from './request/app-user.ts'
import type { Mfa } from './request/context.ts'
import { isForeign } from './request/foreign-state.ts'
import type { Need } from './request/need.ts'
import { readNeed } from './request/need.ts'
import { createRequestId } from './request/request-id.ts'
import { describe } from './request/service-outage.ts'
import { warnOnce } from './request/warn.ts'
import { hasWebSession, readMfaState } from './session/session-state.ts'

/** A connection of a verified user, such as a WebSocket. */
export interface VerifiedUpgrade {
  /** When and how the second step was passed. */
  readonly verified: Verified
  /** When the verification is too old, Unix time, seconds. It may end before: see `onEnd`. */
  readonly expiresAt: number
  /**
   * Calls back once, when the verification has ended: it is too old, the user ended it, or an administrator did, or the
   * service could not be asked for too long. Close the connection then.
   *
   * @returns a function that stops it. Call it when the connection is closed, or it is remembered until the end.
   *
   * @example
   * webSocket.once('close', upgrade.onEnd(() => webSocket.close(4403, 'mfa_required')))
   */
  onEnd(close: () => void): () => void
}

/** The requirements of an upgrade. */
export type UpgradeNeed = Omit<Need, 'purpose'>

/** Decides with the function that the gate and `requireMfa()` ask, but only after the service has answered. */
export async function verifyUpgrade(
  internals: Mfa,
  req: HttpRequest,
  appUser: Maybe<AppUser>,
  need: UpgradeNeed = {},
): Promise<VerifiedUpgrade | undefined> {
  const requestId = createRequestId(req)
  try {
    return await asRequest(requestId, () => verify(internals, req, appUser, need))
  } catch (error) {
    // An event handler that is async rejects for no one: Node would end the process of the app.
    internals.options.logger.error(`mfa: verifyUpgrade(): ${describe(error)} (request ${requestId()})`)
    return undefined
  }
}

async function verify(
  internals: Mfa,
  req: HttpRequest,
  appUser: Maybe<AppUser>,
  need: UpgradeNeed,
): Promise<VerifiedUpgrade | undefined> {
  const policy = narrow(internals.policy, readNeed('verifyUpgrade', need))
  if (!hasWebSession(req)) warnOnce(internals.options, withoutSession)
  const user = readAppUser(appUser, internals.options)
  if (!user) return undefined
  const userKey = userKeyOf(user)
  const state = readMfaState(req)
  if (isForeign(state, { userKey, mfa: internals })) return undefined
  const judgeBy = (epochs: Pick<Mfa['epochs'], 'covers'>) =>
    judge(state.verified, userKey, policy, { now: internals.options.clock.now(), epochs })
  // Visitors who are not verified in any case cost the service nothing.
  if (typeof judgeBy(everyEpoch) === 'string') return undefined
  if (!(await asCaller(userKey, () => internals.epochs.confirm(user)))) return undefined
  const verified = judgeBy(internals.epochs)
  if (typeof verified === 'string') return undefined
  const verification = { user, verified, policy }
  return Object.freeze({
    verified,
    expiresAt: expiryOf(verification),
    onEnd: (close: () => void) => internals.ends.watch(verification, close),
  })
}

const everyEpoch = { covers: () => true }

const withoutSession =
  'verifyUpgrade() found no web session, so no user is verified. Read it first: call the session(…) that the app uses, as ' +
  'session(req, {}, …).'
