import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * Whether a POST comes from a page of this origin. A browser that sends `Sec-Fetch-Site` has said all there is to say;
 * an older one sends `Origin`; what sends neither must know the token of the page.
 */
export function isTrustedPost(
  req: IncomingMessage,
  given: { token: unknown; expected: string | undefined; publicUrl: string | undefined },
): boolean {
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin } = req.headers
  if (origin !== undefined) return isOwnOrigin(req, origin, given.publicUrl)
  return sameText(given.token, given.expected)
}

/** A page of another origin cannot set Host: without a configured address it is what the browser itself calls us. */
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
