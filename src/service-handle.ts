import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Vendor } from './contract/media-type.ts'

/**
 * The service cannot be opened until the app or its machine is changed: a package is missing, an option is wrong, or the
 * keys do not match the database. Not an outage: a retry does not help.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/** The service that mfa() uses: one that runs in the app, as embedded() returns it, or any other handle. */
export interface ServiceHandle {
  /** Identifies the domain and its service, and is the same after a restart: the state in web sessions is bound to it. */
  readonly id?: string
  /** Authenticator, device protocol, images: mounted by mfa() before its gate, or by the app before its sessions and CSRF. */
  readonly routes: (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void
  /**
   * Opens the store, once.
   * @param app The name of the app, which people see on their device, and where people open the authenticator; what is known of it.
   * @throws {SetupError} when the setup has to be changed first; any other error is an outage.
   */
  connect(app?: AppFacts): Promise<Connection>
  close(): Promise<void>
}

/** The facts about an app that a service inside it knows. */
export interface AppFacts {
  readonly name?: string | undefined
  readonly authenticatorUrl?: string | undefined
}

/** Where the REST interface is, and the credentials for it. */
export interface Connection {
  /** Including the API prefix, such as `https://mfa.example/api`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly domainId: string
  readonly vendor?: Vendor | undefined
  /** Sends the calls; without it the global `fetch` does. An embedded service is called in its own process. */
  readonly fetch?: typeof fetch | undefined
  /** `auto`, the default, uses 1.4 where the service speaks it, and 1.3 otherwise. */
  readonly version?: 'auto' | '1.3' | '1.4' | undefined
}
