import type { IncomingMessage, ServerResponse } from 'node:http'

import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'

import { PageKind, routes } from './addresses.ts'
import { hostCookie } from './cookie-names.ts'
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
    await endWebSessions(apps, provider.issuer, ctx)
  })
}

/** How many web sessions one logout ends. */
const maxEnded = 20

async function endWebSessions(
  apps: SignInApps,
  issuer: string,
  { req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse },
): Promise<void> {
  // A header can have room for hundreds of made-up domains, each of which costs a query.
  const start = `(?:^|[; ])${hostCookie(issuer, '')}(${PageKind.options.join('|')})-([\\da-f]{40})=`
  const cookies = [...(req.headers.cookie ?? '').matchAll(new RegExp(start, 'g'))].slice(0, maxEnded)
  for (const [, kind, domainId = ''] of cookies) {
    const app = await apps.find(PageKind.parse(kind), domainId)
    await app?.end(req, res)
  }
}
