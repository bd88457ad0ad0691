import { createMemoryChallengeStore } from '../challenge/challenge-store.ts'
import { createEpochs } from '../challenge/epochs.ts'
import { policyOfApp } from '../challenge/policy.ts'
import { createConnector } from '../challenge/service.ts'
import { createVerificationEnds } from '../challenge/verification-ends.ts'
import type { VersionAdapter } from '../challenge/version-adapter.ts'
import { withDebug } from './debug/debug.ts'
import type { Debug } from './debug/debug.ts'
import type { FrameworkRequest } from './framework/request.ts'
import { createSharedWatches } from './live/shared-watches.ts'
import { createStreamPlaces } from './live/stream-places.ts'
import type { MfaOptions } from './options/mfa-options.ts'
import { resolveOptions } from './options/options.ts'
import type { ResolvedOptions } from './options/options.ts'
import type { Mfa } from './request/context.ts'
import { createServiceOutage, describe } from './request/service-outage.ts'
import { createStoreWatch } from './session/store-watch.ts'
import { createFirstRequests } from './setup-checks/first-requests.ts'
import type { FirstRequests } from './setup-checks/first-requests.ts'
import { checkServiceFor } from './setup-checks/phishing-resistance.ts'

/** One `mfa()`, with what only developers see. */
export interface Instance {
  readonly mfa: Mfa
  /** Set only with `debug: true`. */
  readonly debug: Debug | undefined
  /** Set only while developing. */
  readonly noteFirst: FirstRequests | undefined
  /** Whether a request has no web session because its store has lost the database. */
  readonly hasLostStore: (req: FrameworkRequest) => boolean
}

/**
 * Creates an `mfa()`, and opens the service if it is embedded.
 * @throws {TypeError} naming the option that is wrong or missing.
 */
export function createInstance(options: MfaOptions): Instance {
  const { options: resolved, debug } = withDebug(options, resolveOptions(options, process.env))
  const mfa = createMfa(resolved)
  // An app that is not set up correctly should find out when it starts, not at its first sign-in.
  if (resolved.routes) mfa.connect().catch((error: unknown) => resolved.logger.error(`mfa: ${describe(error)}`))
  return { mfa, debug, noteFirst: createFirstRequests(resolved, process.env), hasLostStore: createStoreWatch() }
}

function createMfa(options: ResolvedOptions): Mfa {
  const { open, timeout, maxConcurrency, maxUnchecked, clock, logger } = options
  const { challengeStore = createMemoryChallengeStore(clock) } = options
  const outage = createServiceOutage(clock, logger)
  const check = (service: VersionAdapter) => checkServiceFor(options, service)
  const connect = createConnector(open, {
    timeout,
    maxConcurrency,
    clock,
    challengeStore,
    check,
    answered: outage.succeeded,
  })
  const epochs = createEpochs({ connect, clock, maxUnchecked })
  const failed = (error: unknown) => logger.error(`mfa: onEnd of an upgrade failed: ${describe(error)}`)
  const ends = createVerificationEnds({ epochs, clock, failed })
  const watches = createSharedWatches(connect, clock)
  const policy = policyOfApp(options)
  return { options, policy, connect, outage, epochs, ends, watches, places: createStreamPlaces() }
}
