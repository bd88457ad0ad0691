import type { IncomingMessage, ServerResponse } from 'node:http'

import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'

import { routes } from './addresses.ts'
import type { SignInApps } from './sign-in-app.ts'

/**
 * Has a logout end the web sessions of this browser in all domains as well: with what they remember, the next authorization request
 * would sign the person in again without asking.
 */
export function endWebSessionsOnLogout(provider: Provider, apps: SignInApps): void {
  const resumed = new URL(`${provider.issuer}${routes.authorization}/`).href
  provider.use(async (ctx, next) => {
    await next()
    const { oidc } = ctx as Partial<KoaContextWithOIDC>
    if (oidc?.route !== 'end_session_confirm' || !oidc.params?.['logout'] || ctx.status !== 303) return
    // Another person has signed in meanwhile: that ends the session of the one before, and continues with theirs.
    if (ctx.response.get('Location').startsWith(resumed)) return
    await endWebSessions(apps, ctx.req, ctx.res)
  })
}

async function endWebSessions(apps: SignInApps, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const names = (req.headers.cookie ?? '').matchAll(/(?:^|[; ])(?:__Host-)?oidc-(external|sign-in)-([\da-f]{40})=/g)
  for (const [, kind, domainId = ''] of names) {
    const app = await apps.find(kind === 'external' ? 'external' : 'sign-in', domainId)
    await app?.end(req, res)
  }
}
