import { SetupError } from '../service-handle.ts'
import type { ServiceHandle } from '../service-handle.ts'
import type { OidcClient } from './features/oidc/clients.ts'

/**
 * What the OpenID provider of a service keeps, for `second-factor/oidc`. All nodes of the service share it.
 *
 * @param service From `createService()` or `embedded()`.
 * @throws {SetupError} if the handle is none of ours.
 */
export function oidcStateOf(service: object, options: OidcStateOptions = {}): OidcState {
  throw new SetupError(`oidcStateOf: ${typeof service} ${typeof options}`)
}

export interface OidcStateOptions {
  /**
   * The age at which a new signing key takes over, days; 7 to 3650.
   * @default `90`
   */
  readonly keyAge?: number | undefined
}

export interface OidcState {
  /**
   * Storage of one model of oidc-provider, in the shape of its Adapter. `Client` is the registry: it has only `find`, and the other
   * methods reject.
   */
  adapter(model: string): OidcAdapter
  /** The present keys. */
  keys(): Promise<OidcKeys>
  /** Calls back when `keys()` has changed: a new key, or the beginning or end of one. @returns what ends that. */
  onKeysChanged(listener: (keys: OidcKeys) => void): () => void
  /** A registered client; undefined if there is none of this id. */
  client(clientId: string): Promise<OidcClient | undefined>
  /**
   * Verifies the secret of a client. Wrong ones are counted by client and address, recorded, and slowed down.
   * Replace `Client.prototype.compareClientSecret` with this: `client_secret` of the registry is a hash that nobody can present.
   */
  verifyClientSecret(attempt: ClientSecretAttempt): Promise<SecretResult>
  /** The domain of a client, as the handle that `mfa()` takes: one object per domain. `close()` of it does nothing. */
  handleFor(domainId: string): ServiceHandle
  /** A store for express-session, on the same table. Assign it to `store` as it is; it has no dependency on express-session. */
  sessionStore(): OidcSessionStore
  /** Writes an audit entry and counts it. */
  record(event: OidcEvent): Promise<void>
  /** Ends the timers of this state; the service stays open. */
  close(): void
}

/**
 * The methods that oidc-provider calls. Ids, user codes and grants are stored as hashes, and payloads sealed.
 *
 * **What a user has**: a payload that names an `accountId`, which is always the id of an MFA user, or an interaction whose
 * `result.login.accountId` does. All of it ends when the user's epoch changes, and nothing of it can be written afterwards:
 *  - An interaction with `result.login` needs `result.login.epoch`, the epoch that the second step was verified under
 *    (`Verified.epoch`, or `nextEpoch` where that is the present one). It is rejected with `ended` where the user has another one.
 *  - A session or grant of a user is rejected with `ended` unless the user has a login of the last minutes, a session, or a
 *    backchannel authentication request.
 *  - Whatever has a `grantId` is rejected with `ended` where the grant is gone.
 */
export interface OidcAdapter {
  /**
   * @param expiresIn Seconds. Without it, and for interactions and sessions without a user beyond an hour, a maximum applies.
   * @throws {OidcStateError} `ended` (above), `used` for a `ReplayDetection` that is stored already, `full` where too many
   *   exist for the client, and `too_large` for payloads above 32 KiB.
   */
  upsert(id: string, payload: OidcPayload, expiresIn?: number): Promise<void>
  /** With `consumed`, Unix time in seconds, where it was consumed. Undefined once it has expired. */
  find(id: string): Promise<OidcPayload | undefined>
  findByUid(uid: string): Promise<OidcPayload | undefined>
  findByUserCode(userCode: string): Promise<OidcPayload | undefined>
  /** @throws {OidcStateError} `used` unless this call is the first one, on all nodes. Translate it to `invalid_grant`. */
  consume(id: string): Promise<void>
  /**
   * @throws {OidcStateError} `ended` for an interaction with `result.login` that is not there any more: resumed a second time, or
   *   ended with its user meanwhile.
   */
  destroy(id: string): Promise<void>
  revokeByGrantId(grantId: string): Promise<void>
}

/** What oidc-provider stores: JSON. */
export type OidcPayload = Record<string, unknown>

/** The state refuses something that is no fault of ours. Translate it to an error of the protocol. */
export class OidcStateError extends Error {
  override readonly name = 'OidcStateError'
  readonly code: 'ended' | 'used' | 'full' | 'too_large'

  constructor(code: OidcStateError['code'], message: string) {
    super(message)
    this.code = code
  }
}

export interface OidcKeys {
  /** Private keys as JWK with `kid`, `use` and `alg` (RS256): the one that signs first, then those that are only published. */
  readonly jwks: { readonly keys: readonly JsonWebKeyWithId[] }
  /** Keys for signed cookies, the newest first: derived from the key ring, equal on all nodes. */
  readonly cookieKeys: readonly string[]
}

export interface JsonWebKeyWithId {
  readonly kid: string
  readonly use: 'sig'
  readonly alg: 'RS256'
  readonly kty: string
  readonly [member: string]: unknown
}

export interface ClientSecretAttempt {
  readonly clientId: string
  readonly secret: string
  /** The address that the caller is counted by; undefined if unknown. */
  readonly address: string | undefined
}

/** `limited`: not looked at, because too many were wrong; `wait` seconds until the next one is. */
export type SecretResult =
  | { readonly result: 'right' | 'wrong' }
  | { readonly result: 'limited'; readonly wait: number }

/** What happened at the provider. */
export type OidcEvent = {
  readonly clientId: string
  readonly address?: string | undefined
} & (
  | {
      /** The authorization response with a code was made. */
      readonly event: 'signed_in'
      readonly userId: string
      readonly acr?: string | undefined
      readonly amr: readonly string[]
    }
  | {
      /** The client got an error; `reason` is that of RFC 6749 or OpenID Connect, such as `unmet_authentication_requirements`. */
      readonly event: 'refused'
      readonly userId?: string | undefined
      readonly reason: string
    }
)

/** The shape of a Store of express-session: pass it as `store`. Values are JSON. `userId` of a session says whose it is. */
export interface OidcSessionStore {
  get(id: string, callback: (error: unknown, session?: SessionData | null) => void): void
  set(id: string, session: SessionData, callback?: (error?: unknown) => void): void
  destroy(id: string, callback?: (error?: unknown) => void): void
  touch(id: string, session: SessionData, callback?: (error?: unknown) => void): void
}

export interface SessionData {
  readonly cookie: {
    readonly maxAge?: number | null
    readonly originalMaxAge?: number | null
    readonly expires?: Date | string | null
  }
  /** The id of the MFA user, once somebody is known: the session is deleted with the user. */
  readonly userId?: string
  readonly [member: string]: unknown
}
