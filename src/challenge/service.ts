import type { Client } from '../client/client.ts'
import type { CallLimits } from '../client/call-limit.ts'
import { createCallLimit } from '../client/call-limit.ts'
import { createClient } from '../client/client.ts'
import { ApiError, UnreachableError } from '../client/errors.ts'
import type { Clock } from '../ground/clock.ts'
import { SetupError } from '../service-handle.ts'
import type { Connection } from '../service-handle.ts'
import { currentCaller, currentRequestId, reporting } from './service-calls.ts'
import type { ChallengeStore } from './challenge-store.ts'
import { createSealer } from './sealing.ts'
import type { Sealer } from './sealing.ts'
import { adapt13 } from './service-1-3.ts'
import { adapt14 } from './service-1-4.ts'
import type { VersionAdapter } from './version-adapter.ts'

/** A service that is connected. */
export interface ConnectedService extends VersionAdapter {
  readonly client: Client
  /** The address of the REST interface. */
  readonly baseUrl: string
  readonly domainId: string
  /** Encrypts secrets in web sessions. */
  readonly sealer: Sealer
  /** The same for polling, with a small share of the calls, so that users who act do not wait for it. */
  readonly polling: ConnectedService
}

export interface ConnectOptions {
  /** How long one call may take, ms. */
  readonly timeout: number
  /** How many calls may be under way at once. */
  readonly maxConcurrency: number
  readonly clock: Clock
  readonly challengeStore: ChallengeStore
  /** Throws a {@link SetupError} where the app cannot work with the service. */
  readonly check?: (service: VersionAdapter) => void
  /** Called for each response that is no server error. */
  readonly answered?: () => void
}

/**
 * Connects once and returns the same service from then on; after a failure the next caller tries again.
 *
 * @throws {UnreachableError} with the reason as its cause; {ApiError} when the service refuses us; {SetupError} when it
 * cannot be opened before the setup is fixed.
 */
export function createConnector(open: () => Promise<Connection>, options: ConnectOptions) {
  const limit = createCallLimit({
    maxConcurrency: options.maxConcurrency,
    clock: options.clock,
    currentCaller,
  })
  let connecting: Promise<ConnectedService> | undefined

  return async function connect(): Promise<ConnectedService> {
    connecting ??= openService(open, options, limit)
    try {
      return await connecting
    } catch (cause) {
      connecting = undefined
      if ([UnreachableError, ApiError, SetupError].some((errorClass) => cause instanceof errorClass)) throw cause
      throw new UnreachableError('network', 'The service could not be opened.', { cause })
    }
  }
}

async function openService(
  open: () => Promise<Connection>,
  options: ConnectOptions,
  limit: CallLimits,
): Promise<ConnectedService> {
  const { timeout, clock, challengeStore, answered = () => {} } = options
  const { baseUrl, apiKey, domainId, vendor, fetch: send, version = 'auto' } = await open()
  const clientOptions = {
    baseUrl,
    apiKey,
    timeout,
    clock,
    fetch: reporting(answered, send),
    requestId: currentRequestId,
    ...(vendor ? { vendor } : {}),
  }
  const client = createClient({ ...clientOptions, limit, version })
  const serviceVersion = await client.version()
  const sealer = createSealer(apiKey)
  const adapt = serviceVersion === '1.3' ? adapt13 : adapt14
  options.check?.(adapt({ client, domainId, challengeStore }))
  const serviceOf = (boundClient: Client) => ({
    ...adapt({ client: boundClient, domainId, challengeStore }),
    client: boundClient,
    baseUrl,
    domainId,
    sealer,
  })
  const polling: ConnectedService = {
    ...serviceOf(createClient({ ...clientOptions, limit: limit.polls, version: serviceVersion })),
    get polling() {
      return polling
    },
  }
  return { ...serviceOf(client), polling }
}
