import type { IncomingMessage } from 'node:http'

import type { Verified } from '../../challenge/challenge.ts'
import { isFresh } from '../../challenge/challenge.ts'
import type { Epochs } from '../../challenge/epochs.ts'
import { judge } from '../../challenge/policy.ts'
import type { Policy, Unverified } from '../../challenge/policy.ts'
import type { MfaUser } from '../../challenge/user.ts'
import { userKeyOf } from '../../challenge/user.ts'
import { systemClock } from '../../clock.ts'
import type { MfaState } from '../session/mfa-state.ts'
import { readMfaState } from '../session/web-session.ts'
import type { RequestContext } from './context.ts'
import { contextOf } from './context.ts'
import type { EventFacts } from './events.ts'
import { logFailure } from './service-outage.ts'

/** The verification record of this web session, if it counts for this user under the policy. */
export function verifiedOf(
  state: MfaState,
  context: RequestContext,
  user: MfaUser | undefined,
  policy?: Policy,
): Verified | undefined {
  const found = findVerified(state, context, user, policy)
  return typeof found === 'string' ? undefined : found
}

/**
 * Like `verifiedOf`, with the reason where there is none.
 *
 * @param policy That of the app, or one that a route has narrowed.
 */
export function findVerified(
  { verified }: MfaState,
  { mfa }: RequestContext,
  user: MfaUser | undefined,
  policy: Policy = mfa.policy,
): Verified | Unverified {
  if (!user || !verified) return 'never'
  return judge(verified, userKeyOf(user), policy, { now: mfa.options.clock.now(), epochs: mfa.epochs })
}

/**
 * Whether the user behind this request has passed the second step.
 *
 * @param user the user who is signed in, as the option `user` of mfa() returns it, for requests that mfa() does not see,
 *   such as the upgrade to a WebSocket; the web session must have been read. Without it those are never verified.
 *
 * @example
 * server.on('upgrade', (req, socket, head) => {
 *   readWebSession(req, {}, () => {
 *     if (!isVerified(req, { username: req.session.username })) return socket.destroy()
 *     sockets.handleUpgrade(req, socket, head, welcome)
 *   })
 * })
 */
export function isVerified(req: IncomingMessage, user?: MfaUser): boolean {
  const context = contextOf(req)
  const state = readMfaState(req)
  if (context) return verifiedOf(state, context, context.user) !== undefined
  const { service, verified } = state
  if (!user || !isFresh(verified, userKeyOf(user), systemClock.now())) return false
  return verified !== undefined && !isEnded(service, user, verified)
}

/** By service id: for requests that no mfa() sees. */
const sharedEpochs = new Map<string, Epochs>()

export function shareEpochs(serviceId: string, epochs: Epochs): void {
  sharedEpochs.set(serviceId, epochs)
}

/** Whether a record is known to be ended, where the caller cannot wait; an unknown user is looked up for the next time. */
function isEnded(serviceId: string | undefined, user: MfaUser, verified: Verified): boolean {
  const epochs = serviceId === undefined ? undefined : sharedEpochs.get(serviceId)
  if (!epochs) return false
  if (!epochs.isKnown(userKeyOf(user))) void epochs.refresh(user)
  return !epochs.coversIfKnown(verified)
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
  if (verified === undefined || epochs.isKnown(userKeyOf(user))) return []
  const unchecked = await epochs.refresh(user)
  if (!unchecked) return []
  const { error, until } = unchecked
  const untilWhen = new Date(until * 1000).toISOString()
  const what = `the service could not be asked whether a verified web session was ended; it stays valid until ${untilWhen}`
  logFailure(context, what, error)
  return [{ type: 'verification.unchecked', until }]
}
