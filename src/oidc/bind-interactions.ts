import type Provider from 'oidc-provider'

import type { BrowserBinding } from './browser-binding.ts'
import type { Packages } from './packages.ts'
import type { ProviderPages } from './pages.ts'
import { send } from './pages.ts'

interface BindingInput {
  readonly binding: BrowserBinding
  readonly pages: ProviderPages
  readonly packages: Packages
}

/** Lets an authorization request be resumed only in the browser that has brought it, and forgets that browser afterwards. */
export function bindInteractions(provider: Provider, { binding, pages, packages }: BindingInput): void {
  provider.use(async (ctx, next) => {
    // oidc-provider resumes the request that this cookie names, whatever the address says.
    const uid = ctx.cookies.get(provider.cookieName('resume'), { signed: true })
    if (uid === undefined || binding.isBound(ctx.req, uid)) await next()
    else send(ctx, await pages.expired(ctx.req))
  })
  provider.on('interaction.destroyed', ({ uid }) => {
    const { ctx } = packages.openid.Provider
    if (ctx && !ctx.res.headersSent) binding.release(ctx.res, uid)
  })
}
