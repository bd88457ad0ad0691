import type { IncomingMessage } from 'node:http'

import type { Verified } from '../challenge/challenge.ts'
import { isFresh } from '../challenge/challenge.ts'
import type { Epochs } from '../challenge/epochs.ts'
import type { RequestId } from '../challenge/request-id.ts'
import type { ConnectedService } from '../challenge/service.ts'
import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import type { OutageWatch } from '../outage.ts'
import type { ResolvedOptions } from './options.ts'
import type { Need } from './need.ts'
import type { Outside } from './return-to.ts'
import type { SharedWatches } from './shared-watches.ts'
import type { StreamPlaces } from './stream-places.ts'
import { readKept } from './web-session.ts'

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
}

/** What mfa() knows of one request. */
export interface RequestContext extends Outside {
  readonly mfa: Mfa
  /** Who was signed in when mfa() ran. */
  readonly user: MfaUser | undefined
  /** What its markers and challenges are bound to. */
  readonly userKey: string | undefined
  /** Names it in log lines, events and calls to the service. */
  readonly requestId: RequestId
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
  { mfa }: RequestContext,
  user: MfaUser | undefined,
  { maxAge, factors = mfa.options.factors }: Need = {},
): Verified | undefined {
  const { verified } = readKept(req)
  if (!user || !verified || !isFresh(verified, userKeyOf(user), mfa.options.clock.now(), maxAge)) return undefined
  if (!mfa.epochs.covers(verified)) return undefined
  return factors.includes(verified.factor) ? verified : undefined
}
