import type { Request } from 'express'

import type { RequestContext } from '../request/context.ts'

/**
 * The address that sets up the authenticator of a 1.3 service, as the app configures it. Only our own takes the code along.
 */
export function foreignLink({ mfa }: RequestContext): string | undefined {
  return mfa.options.authenticatorUrl
}

/**
 * The link that sets up our authenticator. The code is in the fragment, which browsers do not send, so it reaches no log.
 *
 * @param baseUrl The address of the service's REST interface.
 */
export function authenticatorLink(req: Request, context: RequestContext, baseUrl: string, code: string): string {
  return `${authenticatorUrl(req, context, baseUrl)}/#code=${code}`
}

/** The configured address, or one on this machine; never from a Host header, because users open it with a code. */
export function authenticatorUrl(req: Request, { base, mfa }: RequestContext, baseUrl: string): string {
  const { authenticatorUrl: configured, publicUrl, routes } = mfa.options
  const origin = publicUrl === undefined ? `http://localhost:${req.socket.localPort ?? 80}` : new URL(publicUrl).origin
  const own = `${origin}${base}/authenticator`
  if (configured !== undefined) return withPath(configured, own)
  // A remote service serves the authenticator beside its REST interface.
  if (!routes) return new URL('../authenticator', `${baseUrl.replace(/\/+$/, '')}/`).href
  return own
}

/** For an origin alone: the path below the challenge pages if it is this app's origin, else the path that `serve` uses. */
function withPath(configured: string, own: string): string {
  const { origin, pathname } = new URL(configured)
  if (pathname !== '/') return configured
  return new URL(own).origin === origin ? own : `${origin}/authenticator`
}
