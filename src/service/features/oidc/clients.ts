/** The ways in which a client uses the provider. */
export type OidcClientKind = 'external' | 'sign-in'

/** A registered client of the OpenID provider. */
export interface OidcClient {
  /** Its `client_id`. */
  readonly id: string
  readonly domainId: string
  readonly name: string
  /** `external`: the second step for a provider that has checked the password; `sign-in`: a whole sign-in by passkey. */
  readonly kind: OidcClientKind
  /** How the client authenticates; `none` only for `sign-in`. */
  readonly authentication: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'
  /** Loopback addresses of any port are accepted (RFC 8252 section 7.3). */
  readonly native: boolean
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  /** Public keys (RFC 7517 section 5), for `private_key_jwt` and signed requests. */
  readonly jwks: { readonly keys: readonly Record<string, unknown>[] } | null
  readonly jwksUri: string | null
  readonly refreshTokens: boolean
  /** Besides `openid`. */
  readonly scopes: readonly ('profile' | 'email')[]
  /** Unix time, seconds. */
  readonly createdAt: number
}
