import type { IncomingMessage } from 'node:http'

import type { Verified } from '../../challenge/challenge.ts'
import { isFresh } from '../../challenge/challenge.ts'
import type { Epochs } from '../../challenge/epochs.ts'
import type { RequestId } from '../../challenge/request-id.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import type { MfaUser } from '../../challenge/user.ts'
import { userKeyOf } from '../../challenge/user.ts'
import type { OutageWatch } from '../../outage.ts'
import type { Debug } from '../debug/debug.ts'
import type { Trace } from '../debug/debug-log.ts'
import type { ResolvedOptions } from '../options.ts'
import type { Need } from './need.ts'
import type { PublicAddress } from './return-to.ts'
import type { SharedWatches } from '../live/shared-watches.ts'
import type { StreamPlaces } from '../live/stream-places.ts'
import { readMfaState } from '../session/web-session.ts'

/** One mfa(): its options and its way to the service. */
export interface Mfa {
  readonly options: ResolvedOptions
  readonly connect: () => Promise<ConnectedService>
  /** Whether the service answers. */
  readonly outage: OutageWatch
  /** What ends verified web sessions. */
  readonly epochs: Epochs
  /** What pages wait for. */
  readonly watches: SharedWatches
  /** How many of them may have a connection held. */
  readonly places: StreamPlaces
  /** Only with `debug: true`. */
  readonly debug?: Debug | undefined
}

/** What mfa() knows of one request. */
export interface RequestContext extends PublicAddress {
  readonly mfa: Mfa
  /** Who was signed in when mfa() ran. */
  readonly user: MfaUser | undefined
  /** What its markers and challenges are bound to. */
  readonly userKey: string | undefined
  /** Names it in log lines, events and calls to the service. */
  readonly requestId: RequestId
  /** With `debug: true`, what follows it. */
  readonly trace?: Trace | undefined
}

const contexts = new WeakMap<IncomingMessage, RequestContext>()

export function setContext(req: IncomingMessage, context: RequestContext): void {
  contexts.set(req, context)
}

export function contextOf(req: IncomingMessage): RequestContext | undefined {
  return contexts.get(req)
}

/** The marker of this web session, if it is this user's, fresh, and what is needed. */
export function verifiedOf(
  req: IncomingMessage,
  context: RequestContext,
  user: MfaUser | undefined,
  need?: Need,
): Verified | undefined {
  const found = findVerified(req, context, user, need)
  return typeof found === 'string' ? undefined : found
}

/** Why the marker of a web session does not count. */
export type Unverified = 'never' | 'other_user' | 'too_old' | 'ended' | 'other_factor'

/** The same, or why there is none. */
export function findVerified(
  req: IncomingMessage,
  { mfa }: RequestContext,
  user: MfaUser | undefined,
  { maxAge, factors = mfa.options.factors }: Need = {},
): Verified | Unverified {
  const { verified } = readMfaState(req)
  if (!user || !verified) return 'never'
  if (!isFresh(verified, userKeyOf(user), mfa.options.clock.now(), maxAge)) {
    return verified.userKey === userKeyOf(user) ? 'too_old' : 'other_user'
  }
  if (!mfa.epochs.covers(verified)) return 'ended'
  return factors.includes(verified.factor) ? verified : 'other_factor'
}
