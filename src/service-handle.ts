import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Vendor } from './contract/media-type.ts'

/**
 * Something about the app or its machine has to be changed before the service can be opened: a package is missing, an
 * option is wrong, the keys are not those of the database. Not an outage: asking again does not help.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/** What mfa() is given: a hosted service's address, or a handle such as embedded() returns. */
export interface ServiceHandle {
  /** Which domain of which service this is, the same at each start: what web sessions hold is bound to it. */
  readonly id?: string
  /** Authenticator, device protocol, images: mounted by mfa() before its gate, or by the app before its sessions and CSRF. */
  readonly routes: (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void
  /**
   * Opens store and listener once.
   * @param app What the app is called, for the names that people see on their device.
   * @throws {SetupError} where somebody has to change something first; any other error is an outage.
   */
  connect(app?: { readonly name?: string | undefined }): Promise<Connection>
  close(): Promise<void>
}

/** Where the REST interface is, and what to say there. */
export interface Connection {
  /** Including the API prefix, such as `https://mfa.example/api`. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly domainId: string
  readonly vendor?: Vendor | undefined
  /** `auto`, the default, asks for 1.4 and settles for 1.3. */
  readonly version?: 'auto' | '1.3' | '1.4' | undefined
}
