import type { Request } from 'express'

import type { RequestContext } from '../request/context.ts'

/**
 * What sets up the authenticator of a 1.3 service: whatever the app says. Ours takes the code along.
 */
export function foreignLink({ mfa }: RequestContext): string | undefined {
  return mfa.options.authenticatorUrl
}

/**
 * What sets up our authenticator. The code travels in the fragment, which browsers keep to themselves: it reaches no log.
 *
 * @param baseUrl where the service's REST interface is.
 */
export function authenticatorLink(req: Request, context: RequestContext, baseUrl: string, code: string): string {
  return `${authenticatorUrl(req, context, baseUrl)}/#code=${code}`
}

/** The address is configured, or this machine's own: never what a Host header says, as people follow it with a code. */
export function authenticatorUrl(req: Request, { base, mfa }: RequestContext, baseUrl: string): string {
  const { authenticatorUrl: configured, publicUrl, routes } = mfa.options
  const origin = publicUrl === undefined ? `http://localhost:${req.socket.localPort ?? 80}` : new URL(publicUrl).origin
  const own = `${origin}${base}/authenticator`
  if (configured !== undefined) return withPath(configured, own)
  // A service of its own shows the authenticator beside its REST interface.
  if (!routes) return new URL('../authenticator', `${baseUrl.replace(/\/+$/, '')}/`).href
  return own
}

/** Of an origin, the authenticator there: below the challenge pages where it is this app's, else where `serve` has it. */
function withPath(configured: string, own: string): string {
  const { origin, pathname } = new URL(configured)
  if (pathname !== '/') return configured
  return new URL(own).origin === origin ? own : `${origin}/authenticator`
}
