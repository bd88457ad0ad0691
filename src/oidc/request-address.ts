import type { KoaContextWithOIDC } from 'oidc-provider'

/** The address that a request came from, through the proxies that the app trusts: oidc-provider would believe every header. */
export const addressOf = (ctx: KoaContextWithOIDC | undefined): string | undefined =>
  (ctx?.req as { ip?: string | undefined } | undefined)?.ip
