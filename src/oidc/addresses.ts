import { OidcClientKind } from '../admin-contract/oidc-client-settings.ts'

/** Where the provider answers, below the issuer. One folder beside the well-known addresses, so that it can share an origin. */
export const folder = '/oidc'

export const routes = {
  authorization: `${folder}/authorize`,
  pushed_authorization_request: `${folder}/par`,
  token: `${folder}/token`,
  userinfo: `${folder}/userinfo`,
  jwks: `${folder}/jwks`,
  introspection: `${folder}/introspect`,
  revocation: `${folder}/revoke`,
  backchannel_authentication: `${folder}/backchannel`,
  end_session: `${folder}/logout`,
} as const

/** @see RFC 8414 section 3, OpenID Connect Discovery 1.0 section 4 */
const wellKnown = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']

/** The page at which a person signs in for one authorization request. */
export const interactionPath = (uid: string): string => `${folder}/interaction/${uid}`

/** Where the second step of the clients of one kind in one domain has its pages. */
export const appPath = (kind: string, domainId: string): string => `${folder}/${kind}/${domainId}`

/** The kinds of clients whose people see such pages. */
export const PageKind = OidcClientKind.exclude(['ciba'])

/** The app that an address below the issuer belongs to. @returns undefined for all other addresses. */
export function appAt(url: string): { readonly kind: OidcClientKind; readonly domainId: string } | undefined {
  const [, kind, domainId = ''] = /^\/oidc\/([^/?]+)\/([^/?]+)/.exec(url) ?? []
  const { data } = PageKind.safeParse(kind)
  return data && { kind: data, domainId }
}

/** The path of the issuer, without a slash at its end. */
export const prefixOf = (issuer: string): string => new URL(issuer).pathname.replace(/\/$/, '')

/**
 * The path below the issuer of a request that the provider answers; undefined for all others. A proxy, or the mount path of an app,
 * may have removed the path of the issuer.
 */
export function ownUrl(url: string, prefix: string): string | undefined {
  const below = prefix !== '' && url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url
  const [path = ''] = below.split('?', 1)
  return path.startsWith(`${folder}/`) || wellKnown.includes(path) ? below : undefined
}
