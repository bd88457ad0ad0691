import type { KoaContextWithOIDC } from 'oidc-provider'

/** The address that a request came from, through the proxies that the app trusts: oidc-provider would believe every header. */
export const addressOf = (ctx: KoaContextWithOIDC | undefined): string | undefined =>
  (ctx?.req as { ip?: string | undefined } | undefined)?.ip

/** Where clients authenticate themselves. */
const clientRoutes = new Set([
  'pushed_authorization_request',
  'backchannel_authentication',
  'token',
  'introspection',
  'revocation',
])

/** The address of a stranger; undefined for a client that has authenticated itself: all that it sends for its users comes from one address. */
export function strangerOf(ctx: KoaContextWithOIDC | undefined): string | undefined {
  const { route, client } = ctx?.oidc ?? {}
  const isClient = client !== undefined && client.clientAuthMethod !== 'none' && clientRoutes.has(route ?? '')
  return isClient ? undefined : addressOf(ctx)
}
