import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Whether a POST comes from a page of this origin. A browser that sends `Sec-Fetch-Site` has said all there is to say;
 * an older one sends `Origin`; what sends neither must know the token of the page.
 */
export function isOwnPost(
  req: IncomingMessage,
  given: { token: unknown; expected: string | undefined; publicUrl: string | undefined },
): boolean {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = req.headers
  if (origin !== undefined) return originHost(origin) === ownHost(req, given.publicUrl)
  return sameText(given.token, given.expected)
}

function ownHost(req: IncomingMessage, publicUrl: string | undefined): string | undefined {
  // A page of another origin cannot set Host: without a configured address it is what the browser itself calls us.
  return publicUrl === undefined ? req.headers.host : new URL(publicUrl).host
}

function originHost(origin: string): string | undefined {
  return URL.parse(origin)?.host
}

function sameText(given: unknown, expected: string | undefined): boolean {
  if (typeof given !== 'string' || expected === undefined) return false
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
