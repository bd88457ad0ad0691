import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'

/** Adds what Microsoft Entra looks for to the metadata: the flow of `entra-routes.ts`, which oidc-provider does not know. */
export function describeEntraFlow(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next()
    const { oidc } = ctx as Partial<KoaContextWithOIDC>
    if (oidc?.route !== 'discovery') return
    const metadata = ctx.body as Record<'response_types_supported' | 'grant_types_supported', readonly string[]>
    ctx.body = {
      ...metadata,
      response_types_supported: [...metadata.response_types_supported, 'id_token'],
      grant_types_supported: [...metadata.grant_types_supported, 'implicit'],
    }
  })
}
