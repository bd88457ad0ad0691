import type { Client } from '../client/client.ts'
import type { CallLimit } from '../client/call-limit.ts'
import { createCallLimit } from '../client/call-limit.ts'
import { createClient } from '../client/client.ts'
import { ApiError, UnreachableError } from '../client/errors.ts'
import type { Clock } from '../clock.ts'
import type { Version } from '../contract/endpoint.ts'
import type { Connection } from '../service-handle.ts'
import type { ChallengeStore } from './challenge-store.ts'
import { createSealer } from './sealing.ts'
import type { Sealer } from './sealing.ts'

/** A service that can be asked. */
export interface ConnectedService {
  readonly client: Client
  /** Where its REST interface is. */
  readonly baseUrl: string
  readonly domainId: string
  /** What it speaks. 1.3 asks, waits and takes codes; it knows no challenges, numbers, reasons or factors. */
  readonly version: Version
  /** Uses approvals up where the service does not. */
  readonly challengeStore: ChallengeStore
  /** Seals what web sessions keep of a secret. */
  readonly sealer: Sealer
}

export interface ConnectOptions {
  /** How long one call may take, ms. */
  readonly timeout: number
  /** How many calls may be under way at once. */
  readonly maxConcurrency: number
  readonly clock: Clock
  readonly challengeStore: ChallengeStore
}

/**
 * Connects once and answers the same service from then on; a failed try is made again by the next caller.
 *
 * @throws {UnreachableError} with the reason as its cause; {ApiError} when the service refuses us.
 */
export function createConnector(open: () => Promise<Connection>, options: ConnectOptions) {
  const limit = createCallLimit({ atOnce: options.maxConcurrency, clock: options.clock })
  let connecting: Promise<ConnectedService> | undefined

  return async function connect(): Promise<ConnectedService> {
    connecting ??= openService(open, options, limit)
    try {
      return await connecting
    } catch (cause) {
      connecting = undefined
      if (cause instanceof UnreachableError || cause instanceof ApiError) throw cause
      throw new UnreachableError('network', 'The service could not be opened.', { cause })
    }
  }
}

async function openService(
  open: () => Promise<Connection>,
  options: ConnectOptions,
  limit: CallLimit,
): Promise<ConnectedService> {
  const { timeout, clock, challengeStore } = options
  const { baseUrl, apiKey, domainId, vendor, version = 'auto' } = await open()
  const client = createClient({ baseUrl, apiKey, timeout, clock, limit, version, ...(vendor ? { vendor } : {}) })
  return { client, baseUrl, domainId, version: await client.version(), challengeStore, sealer: createSealer(apiKey) }
}
