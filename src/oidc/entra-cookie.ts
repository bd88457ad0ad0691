import type { IncomingMessage, ServerResponse } from 'node:http'

const nameAt = (issuer: string): string => `${issuer.startsWith('https:') ? '__Secure-' : ''}oidc-entra`

interface CookieSettings {
  readonly value: string
  readonly path: string
  readonly seconds: number
  readonly issuer: string
}

/** Sets the cookie that ties a request of Entra to the browser that has brought it. Its path is that of the page of the request. */
export function writeCookie(res: ServerResponse, { value, path, seconds, issuer }: CookieSettings): void {
  const secure = issuer.startsWith('https:') ? '; Secure' : ''
  res.appendHeader(
    'Set-Cookie',
    `${nameAt(issuer)}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`,
  )
}

export function readCookie({ headers }: IncomingMessage, issuer: string): string | undefined {
  const start = `${nameAt(issuer)}=`
  const found = (headers.cookie ?? '').split(/; ?/).find((cookie) => cookie.startsWith(start))
  return found?.slice(start.length)
}
