import { z } from 'zod'

import { Title } from '../contract/title.ts'
import { CibaSettings } from './oidc-ciba.ts'
import { EntraSettings } from './oidc-entra.ts'
import { isRedirectUri, isResource, isSecureAddress, longestAddress } from './oidc-addresses.ts'
import {
  authenticationsOf,
  clientAuthentications,
  clientKinds,
  maxAddresses,
  mayUseNonce,
} from './oidc-client-rules.ts'
import { PublicJwkSet } from './oidc-jwks.ts'

/**
 * How a client uses the OpenID provider. `external`: another provider has checked the password and asks for the second step. `sign-in`: an
 * app without a login of its own asks for a whole sign-in by passkey. `entra`: a tenant of Microsoft Entra asks for the second step, as its
 * external authentication method. `ciba`: a call center or another program asks for the person's approval on their device, without a browser.
 */
export const OidcClientKind = z.enum(clientKinds)
export type OidcClientKind = z.infer<typeof OidcClientKind>

/** How a client authenticates (OpenID Connect Core section 9). */
export const OidcClientAuthentication = z.enum(clientAuthentications)
export type OidcClientAuthentication = z.infer<typeof OidcClientAuthentication>

/**
 * What binds an authorization code to the sign-in that it was made for. `required`: PKCE (RFC 7636). `nonce`: PKCE, or the `nonce` of the ID
 * token, which the client has to verify (RFC 9700 section 2.1.1).
 */
export const OidcPkce = z.enum(['required', 'nonce'])
export type OidcPkce = z.infer<typeof OidcPkce>

/** The scopes besides `openid`. */
export const OidcScope = z.enum(['profile', 'email'])
export type OidcScope = z.infer<typeof OidcScope>

const addresses = z
  .array(z.string())
  .max(maxAddresses)
  .refine((list) => new Set(list).size === list.length, 'the same address twice')

const rules = {
  name: Title,
  authentication: OidcClientAuthentication,
  /** It runs on the user's machine: its loopback addresses are valid with any port (RFC 8252 section 7.3). */
  native: z.boolean(),
  pkce: OidcPkce,
  /** Compared character by character (RFC 9700 section 2.1). */
  redirectUris: addresses,
  postLogoutRedirectUris: addresses,
  /** Public keys, for `private_key_jwt` and signed requests (RFC 9101). */
  jwks: PublicJwkSet.nullable(),
  /** The address of the public keys, in place of the keys themselves. */
  jwksUri: z.string().max(longestAddress).refine(isSecureAddress, 'expected an https address').nullable(),
  /** The APIs that read access tokens of this client themselves, as the audience of those (RFC 8707, RFC 9068). */
  resources: addresses,
  refreshTokens: z.boolean(),
  scopes: z.array(OidcScope).max(OidcScope.options.length),
  /** The tenant, of a client of kind `entra`. */
  entra: EntraSettings.nullable(),
  /** How it asks, of a client of kind `ciba`. */
  ciba: CibaSettings.nullable(),
}

/** A whole client, by which its parts are compared with each other. */
type Settings = { readonly kind: OidcClientKind } & z.output<z.ZodObject<typeof rules>>

/** @returns what is wrong with the parts of a client together, in words for its administrator; undefined if nothing is. */
export function clientProblem(client: Settings): string | undefined {
  const { kind, authentication, native } = client
  const isPossible = authenticationsOf[kind].some((each) => each === authentication)
  if (!isPossible) return authenticationProblem(kind)
  if ((kind === 'entra') !== (client.entra !== null))
    return 'entra: expected for clients of kind entra, and for no others'
  if (kind === 'entra') return entraProblem(client)
  if ((kind === 'ciba') !== (client.ciba !== null)) return 'ciba: expected for clients of kind ciba, and for no others'
  if (kind === 'ciba') return cibaProblem(client) ?? keyProblem(client)
  if (client.redirectUris.length === 0) return 'redirectUris: expected at least one address'
  if (kind === 'external' && native) return 'native: only for clients of kind sign-in'
  if (kind === 'external' && client.refreshTokens) return 'refreshTokens: only for clients of kind sign-in'
  const problem = keyProblem(client) ?? pkceProblem(client)
  if (problem !== undefined) return problem
  const wrong = client.resources.findIndex((resource) => !isResource(resource))
  if (wrong !== -1) return `resources.${wrong}: expected an https address without a fragment`
  return addressProblem(client)
}

const authenticationProblem = (kind: OidcClientKind): string =>
  kind === 'entra'
    ? 'authentication: expected none for clients of kind entra'
    : `authentication: a client of kind ${kind} must authenticate, because it says who the user is`

/** Nobody is sent anywhere, and the client says who the user is. */
function cibaProblem({ native, pkce, refreshTokens, ...client }: Settings): string | undefined {
  const lists = [client.redirectUris, client.postLogoutRedirectUris, client.resources]
  const isPlain = !native && pkce === 'required' && !refreshTokens
  if (isPlain && lists.every(({ length }) => length === 0)) return undefined
  return 'a client of kind ciba has no addresses, no resources, no refresh tokens, and sends no codes'
}

/** Such a client has one address, that of its cloud, and shows by the tokens of its tenant who it is. */
function entraProblem({ native, pkce, refreshTokens, ...client }: Settings): string | undefined {
  const { redirectUris, postLogoutRedirectUris, jwks, jwksUri, resources, scopes } = client
  const lists = [redirectUris, postLogoutRedirectUris, resources, scopes]
  const isPlain = !native && pkce === 'required' && !refreshTokens && jwks === null && jwksUri === null
  if (isPlain && lists.every(({ length }) => length === 0)) return undefined
  return 'a client of kind entra has a name and the settings of its tenant, and nothing else'
}

function keyProblem({ authentication, jwks, jwksUri }: Settings): string | undefined {
  if (jwks !== null && jwksUri !== null) return 'jwks, jwksUri: expected one of the two'
  if (authentication === 'private_key_jwt' && jwks === null && jwksUri === null) {
    return 'jwks: private_key_jwt needs the public keys of the client, or jwksUri'
  }
  return undefined
}

function pkceProblem({ pkce, authentication, native }: Settings): string | undefined {
  if (pkce === 'required' || mayUseNonce(authentication, native)) return undefined
  return 'pkce: a client that is native or does not authenticate needs PKCE'
}

function addressProblem(client: Settings): string | undefined {
  const lists = ['redirectUris', 'postLogoutRedirectUris'] as const
  const wrong = lists.flatMap((list) =>
    client[list].flatMap((uri, index) => (isRedirectUri(uri, client.native) ? [] : [`${list}.${index}`])),
  )
  if (wrong.length === 0) return undefined
  const expected = 'expected an https address without a fragment, a user name or "*"'
  const ofNative = client.native ? ', or a loopback address such as http://127.0.0.1/callback' : ''
  return `${wrong.join(', ')}: ${expected}${ofNative}`
}

const wholeClient = (client: Settings, { addIssue }: { addIssue: (message: string) => void }): void => {
  const problem = clientProblem(client)
  if (problem !== undefined) addIssue(problem)
}

export const NewOidcClient = z
  .object({
    ...rules,
    kind: OidcClientKind,
    /** By default `client_secret_basic`, and `none` for a client of kind `entra`. */
    authentication: rules.authentication.optional(),
    native: rules.native.default(false),
    pkce: rules.pkce.default('required'),
    redirectUris: rules.redirectUris.default([]),
    postLogoutRedirectUris: rules.postLogoutRedirectUris.default([]),
    jwks: rules.jwks.default(null),
    jwksUri: rules.jwksUri.default(null),
    resources: rules.resources.default([]),
    refreshTokens: rules.refreshTokens.default(false),
    scopes: rules.scopes.default([]),
    entra: rules.entra.default(null),
    /** By default one that shows no number and only asks, for a client of kind `ciba`. */
    ciba: rules.ciba.optional(),
  })
  .transform(withUsualOfKind)
  .superRefine(wholeClient)
export type NewOidcClient = z.input<typeof NewOidcClient>

interface OfKind {
  readonly kind: OidcClientKind
  readonly authentication?: OidcClientAuthentication | undefined
  readonly ciba?: CibaSettings | null | undefined
}

/** Sets what a client of a kind has unless somebody says otherwise. */
function withUsualOfKind<T extends OfKind>(client: T) {
  const { kind, authentication, ciba } = client
  return {
    ...client,
    authentication: authentication ?? (kind === 'entra' ? ('none' as const) : ('client_secret_basic' as const)),
    ciba: ciba === undefined ? (kind === 'ciba' ? CibaSettings.parse({}) : null) : ciba,
  }
}

/** What is absent stays. The kind of a client never changes. */
export const OidcClientChanges = z.object(rules).partial()
export type OidcClientChanges = z.input<typeof OidcClientChanges>
