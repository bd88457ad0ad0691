import type { Client } from '../client/client.ts'
import { createClient } from '../client/client.ts'
import { ApiError, UnreachableError } from '../client/errors.ts'
import type { Clock } from '../clock.ts'
import type { Connection } from '../service-handle.ts'

/** A service that can be asked. */
export interface ConnectedService {
  readonly client: Client
  /** Where its REST interface is. */
  readonly baseUrl: string
  readonly domainId: string
}

export interface ConnectOptions {
  /** How long one call may take, ms. */
  readonly timeout: number
  readonly clock: Clock
}

/**
 * Connects once and answers the same service from then on; a failed try is made again by the next caller.
 *
 * @throws {UnreachableError} with the reason as its cause; {ApiError} when the service refuses us.
 */
export function createConnector(open: () => Promise<Connection>, options: ConnectOptions) {
  let connecting: Promise<ConnectedService> | undefined

  return async function connect(): Promise<ConnectedService> {
    connecting ??= openService(open, options)
    try {
      return await connecting
    } catch (cause) {
      connecting = undefined
      if (cause instanceof UnreachableError || cause instanceof ApiError) throw cause
      throw new UnreachableError('network', 'The service could not be opened.', { cause })
    }
  }
}

async function openService(open: () => Promise<Connection>, options: ConnectOptions): Promise<ConnectedService> {
  const { baseUrl, apiKey, domainId, vendor } = await open()
  const client = createClient({ baseUrl, apiKey, ...options, ...(vendor ? { vendor } : {}) })
  if ((await client.version()) !== '1.4') {
    throw new UnreachableError(
      'bad_response',
      'The service does not speak version 1.4, which binds approvals to a browser.',
    )
  }
  return { client, baseUrl, domainId }
}
