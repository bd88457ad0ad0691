import type Provider from 'oidc-provider'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'

import { describe } from '../express/request/service-outage.ts'
import type { OidcKeys, OidcState } from '../service/oidc-state.ts'
import { findAccount } from './account.ts'
import { createAdapters } from './adapter.ts'
import { interactionPath, prefixOf, routes } from './addresses.ts'
import { acrValues } from './authentication-context.ts'
import type { BrowserBinding } from './browser-binding.ts'
import { cibaFeature } from './ciba.ts'
import { hostCookie } from './cookie-names.ts'
import { checkAuthorizationDetails, expiryOf, keptAfterExpiry } from './ciba-request.ts'
import { answerPolls } from './ciba-results.ts'
import { resourceServers } from './access-tokens.ts'
import { safeFetch } from './safe-fetch.ts'
import type { ResolvedOidcOptions } from './options.ts'
import { unlessDown } from './outage.ts'
import type { Packages } from './packages.ts'
import type { ProviderPages } from './pages.ts'
import { pkceMember, pkceRule } from './pkce.ts'
import { createPolicy } from './policy.ts'
import { addressOf } from './request-address.ts'
import { revocationPolicy } from './revocation.ts'
import type { SignInApps } from './sign-in-app.ts'
import { clockTolerance, createSignedRequests } from './signed-requests.ts'

export interface ProviderInput {
  readonly options: ResolvedOidcOptions
  readonly state: OidcState
  readonly packages: Packages
  readonly apps: SignInApps
  readonly pages: ProviderPages
  readonly binding: BrowserBinding
  /** Unix time, seconds. */
  readonly now: () => number
}

/** Creates the provider with the present keys. It keeps nothing itself, so that another one can take its place at any time. */
export function createProvider(input: ProviderInput, keys: OidcKeys): Provider {
  const { options, state, packages } = input
  const { Provider: OidcProvider } = packages.openid
  const provider = new OidcProvider(options.issuer, configurationOf(input, keys))
  // The headers of the request were replaced by the issuer's: see issuer-request.ts.
  provider.proxy = true
  provider.Client.prototype.compareClientSecret = compareSecret(input)
  // It would send a ping when the client asks. The service sends it when the person answers: see `features/oidc/pings.ts`.
  Object.assign(provider.Client.prototype, { backchannelPing: () => Promise.resolve() })
  const failed = (error: unknown) => options.logger.error(`oidc: ${describe(error)}`)
  Object.assign(provider, { onerror: failed })
  provider.on('server_error', (_ctx, error) => failed(error))
  answerPolls(provider, input)
  provider.on('authorization.success', (ctx) => void recordSignIn(state, ctx).catch(failed))
  provider.on('authorization.error', (ctx, { error }) => void recordRefusal(state, ctx, error).catch(failed))
  return provider
}

function configurationOf(input: ProviderInput, keys: OidcKeys): Configuration {
  const { options, state, packages, apps, pages, binding, now } = input
  const { openid } = packages
  const secure = options.issuer.startsWith('https:')
  const prefix = prefixOf(options.issuer)
  const signedRequests = createSignedRequests(openid, now)
  const cookie = { httpOnly: true, sameSite: 'lax', secure, signed: true, overwrite: true } as const
  return {
    adapter: createAdapters(state, openid),
    jwks: { keys: keys.jwks.keys.map((key) => ({ ...key })) },
    routes,
    responseTypes: ['code'],
    scopes: ['openid'],
    subjectTypes: ['public'],
    acrValues: [...acrValues],
    claims: {
      openid: ['sub', 'acr', 'amr', 'auth_time'],
      profile: ['preferred_username', 'name'],
      email: ['email'],
      sid: null,
    },
    conformIdTokenClaims: false,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    extraParams: { authorization_details: (ctx) => checkAuthorizationDetails(openid, ctx) },
    clientBasedCORS: () => false,
    allowOmittingSingleRegisteredRedirectUri: false,
    clockTolerance,
    enabledJWA,
    fetch: safeFetch,
    fetchResponseBodyLimits: { jwks_uri: 64 * 1024 },
    extraClientMetadata: { properties: [pkceMember] },
    pkce: pkceRule(openid),
    cookies: {
      keys: [...keys.cookieKeys],
      names: {
        // Their paths are narrower than a `__Host-` cookie may have, but for the first one.
        session: hostCookie(options.issuer, 'session'),
        interaction: `${secure ? '__Secure-' : ''}oidc-interaction`,
        resume: `${secure ? '__Secure-' : ''}oidc-resume`,
      },
      long: { ...cookie, path: '/' },
      short: cookie,
    },
    ttl,
    interactions: {
      policy: createPolicy({ packages, state, apps, signedRequests, now }),
      url: ({ req, res }, { uid }) => {
        binding.bind(req, res, { uid, seconds: ttl.Interaction })
        return prefix + interactionPath(uid)
      },
    },
    findAccount: (_ctx, id) => unlessDown(openid, () => findAccount({ state, apps }, id, openid.Provider.ctx)),
    loadExistingGrant: grantOf,
    expiresWithSession: (ctx) => ctx.oidc.client?.grantTypeAllowed('refresh_token') !== true,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    extraTokenClaims: (ctx) => authenticationClaims(ctx),
    rotateRefreshToken: true,
    renderError: (ctx, out) => pages.error(ctx, out.error),
    features: {
      devInteractions: { enabled: false },
      ciba: cibaFeature(input),
      dPoP: { enabled: false },
      claimsParameter: { enabled: true },
      introspection: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
      revocation: { enabled: true, allowedPolicy: revocationPolicy(openid) },
      pushedAuthorizationRequests: { enabled: true, allowUnregisteredRedirectUris: false },
      requestObjects: {
        enabled: true,
        assertJwtClaimsAndHeader: (ctx, claims) => signedRequests.check(ctx, claims),
      },
      resourceIndicators: resourceServers(state, openid),
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => pages.logout(ctx, form),
        postLogoutSuccessSource: (ctx) => pages.loggedOut(ctx),
      },
    },
  }
}

/** Public keys only: a secret that both sides know proves nothing about who has signed. */
const asymmetric = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const

const enabledJWA = {
  clientAuthSigningAlgValues: [...asymmetric],
  requestObjectSigningAlgValues: [...asymmetric],
  idTokenSigningAlgValues: ['RS256'],
} satisfies Configuration['enabledJWA']

const hour = 3_600

/** How long everything lives, seconds. A session of the provider ends with the second step (NIST SP 800-63B-4 section 2.2.3). */
const ttl = {
  AccessToken: (_ctx, { resourceServer }) => resourceServer?.accessTokenTTL ?? hour,
  AuthorizationCode: 60,
  BackchannelAuthenticationRequest: (_ctx, { params = {} }) => expiryOf(params) + keptAfterExpiry,
  Grant: 14 * 24 * hour,
  IdToken: hour,
  Interaction: hour / 2,
  RefreshToken: 14 * 24 * hour,
  Session: 12 * hour,
} satisfies Configuration['ttl']

/** Clients are registered by an administrator, so each has a grant for what it is registered for; a new one for each sign-in. */
async function grantOf(ctx: KoaContextWithOIDC) {
  const { oidc } = ctx
  const { client, account } = oidc
  if (!client || !account) return undefined
  const known = oidc.session?.grantIdFor(client.clientId)
  const stored = known === undefined ? undefined : await oidc.provider.Grant.find(known)
  if (stored?.accountId === account.accountId && !oidc.result?.login) return stored
  const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: account.accountId })
  grant.addOIDCScope(client.scope ?? 'openid')
  for (const resource of Object.keys(oidc.resourceServers ?? {})) grant.addResourceScope(resource, 'openid')
  await grant.save()
  return grant
}

/** Secrets of clients are hashes in the store, which counts the wrong ones. */
function compareSecret({ state, packages }: ProviderInput) {
  const { openid } = packages
  return async function compareClientSecret(this: { readonly clientId: string }, secret: string): Promise<boolean> {
    const { ctx } = openid.Provider
    const attempt = { clientId: this.clientId, secret, address: addressOf(ctx) }
    const answer = await unlessDown(openid, () => state.verifyClientSecret(attempt))
    if (answer.result !== 'limited') return answer.result === 'right'
    ctx?.set('Retry-After', String(answer.wait))
    const error = new openid.errors.CustomOIDCProviderError('temporarily_unavailable', 'too many wrong secrets')
    throw Object.assign(error, { status: 429, statusCode: 429 })
  }
}

/** What a resource that reads an access token itself has to know of the sign-in (RFC 9068 section 2.2.1). */
function authenticationClaims({ oidc }: KoaContextWithOIDC) {
  const { acr, authTime } = oidc.entities.RefreshToken ?? oidc.entities.AuthorizationCode ?? {}
  return { acr, auth_time: authTime }
}

async function recordSignIn(state: OidcState, ctx: KoaContextWithOIDC): Promise<void> {
  const { client, account, session } = ctx.oidc
  if (!client || !account) return
  await state.record({
    event: 'signed_in',
    clientId: client.clientId,
    address: addressOf(ctx),
    userId: account.accountId,
    acr: session?.acr,
    amr: session?.amr ?? [],
  })
}

async function recordRefusal(state: OidcState, ctx: KoaContextWithOIDC, reason: string): Promise<void> {
  // Nobody but a registered client and its users can fill the audit trail.
  const { client } = ctx.oidc
  if (!client) return
  await state.record({ event: 'refused', clientId: client.clientId, address: addressOf(ctx), reason })
}
