import type { HttpRequest } from '../framework/http-request.ts'
import type { Epochs } from '../../challenge/epochs.ts'
import type { RequestId } from '../../challenge/service-calls.ts'
import type { Policy } from '../../challenge/policy.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import type { MfaUser } from '../../challenge/user.ts'
import type { VerificationEnds } from '../../challenge/verification-ends.ts'
import type { OutageWatch } from '../../ground/outage.ts'
import type { SharedWatches } from '../live/shared-watches.ts'
import type { StreamPlaces } from '../live/stream-places.ts'
import type { ResolvedOptions } from '../options/options.ts'
import type { PublicAddress } from './return-to.ts'
import type { Trace } from './trace.ts'

/** Passes a request on to the next handler of the app. */
export type Next = () => void

/** One mfa(): its options and its connection to the service. */
export interface Mfa {
  readonly options: ResolvedOptions
  /** The requirements of a second step in this app. */
  readonly policy: Policy
  readonly connect: () => Promise<ConnectedService>
  /** Whether the service responds. */
  readonly outage: OutageWatch
  /** Whether verified web sessions were ended. */
  readonly epochs: Epochs
  /** Watches for the end of verifications that open connections rely on. */
  readonly ends: VerificationEnds
  /** The changes that pages wait for. */
  readonly watches: SharedWatches
  /** Limits the connections that waiting pages hold open. */
  readonly places: StreamPlaces
}

/** The facts that mfa() knows about one request. */
export interface RequestContext extends PublicAddress {
  readonly mfa: Mfa
  /** The user who was signed in when mfa() ran. */
  readonly user: MfaUser | undefined
  /** The user that verification records and challenges are bound to. */
  readonly userKey: string | undefined
  /** Names the request in log lines, events and calls to the service. */
  readonly requestId: RequestId
  /** Records the decisions about this request; only with `debug: true`. */
  readonly trace?: Trace | undefined
}

/**
 * A member of the request, because entries of a WeakMap cost the garbage collector more than the gate costs. Nothing in a
 * context may refer back to the request or its response, not even a closure: V8 would copy a fifth of the memory of all
 * requests when it collects garbage, and that was a third of what the gate cost.
 */
const contextKey = Symbol('second-factor context')

type WithContext = HttpRequest & { readonly [contextKey]?: RequestContext }

export function setContext(req: HttpRequest, context: RequestContext): void {
  // Not enumerable: a logger that prints requests must not print the options.
  Object.defineProperty(req, contextKey, { value: context, configurable: true })
}

export function contextOf(req: HttpRequest): RequestContext | undefined {
  return (req as WithContext)[contextKey]
}
