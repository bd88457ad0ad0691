import type { IncomingHttpHeaders } from 'node:http'

/** The host that the browser has asked for; over HTTP/2 it is a pseudo-header (RFC 9113 section 8.3.1). */
export function hostOf({ headers }: { readonly headers: IncomingHttpHeaders }): string | undefined {
  const authority = headers[':authority']
  return headers.host ?? (typeof authority === 'string' ? authority : undefined)
}
