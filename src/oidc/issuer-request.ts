import type { IncomingMessage } from 'node:http'

/** What Express adds to a request, and routers change while they pass it on. */
type RoutedRequest = IncomingMessage & { baseUrl?: string; originalUrl?: string }

/**
 * Rewrites a request to the address that clients know: the issuer decides about links and cookies, never what a client or a proxy
 * has written into its headers.
 *
 * @param url Below the issuer.
 * @returns a function that restores the request, for the next handler of the app.
 */
export function asIssuer(request: IncomingMessage, issuer: URL, url: string): () => void {
  const req: RoutedRequest = request
  const { url: urlBefore, baseUrl, originalUrl, headers } = req
  const headersBefore = { ...headers }
  req.url = url
  req.baseUrl = ''
  req.originalUrl = url
  headers.host = issuer.host
  headers['x-forwarded-proto'] = issuer.protocol.replace(':', '')
  delete headers['x-forwarded-host']
  delete headers['forwarded']
  return () => {
    req.url = urlBefore ?? '/'
    Object.assign(req, { baseUrl, originalUrl })
    for (const name of ['host', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded']) {
      if (headersBefore[name] === undefined) delete headers[name]
      else headers[name] = headersBefore[name]
    }
  }
}
