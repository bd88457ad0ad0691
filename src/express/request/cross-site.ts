import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Whether a POST comes from a page of this origin. If present, `Sec-Fetch-Site` alone decides; older browsers send `Origin`;
 * a request with neither must carry the token of the page.
 */
export function isTrustedPost(
  req: IncomingMessage,
  { token, expected, publicUrl }: { token: unknown; expected: string | undefined; publicUrl: string | undefined },
): boolean {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = req.headers
  if (origin !== undefined) return isOwnOrigin(req, origin, publicUrl)
  return sameText(token, expected)
}

/** A page of another origin cannot set Host: if no address is configured, Host is the app's address in this browser. */
function isOwnOrigin(req: IncomingMessage, given: string, publicUrl: string | undefined): boolean {
  const origin = URL.parse(given)
  if (!origin) return false
  return publicUrl === undefined ? origin.host === req.headers.host : origin.origin === new URL(publicUrl).origin
}

function sameText(given: unknown, expected: string | undefined): boolean {
  if (typeof given !== 'string' || expected === undefined) return false
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
