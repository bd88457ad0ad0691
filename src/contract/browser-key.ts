import { z } from 'zod'

import { PageOrigin } from './relying-party.ts'

/**
 * What a browser that is not kept can do. `number`: the device warns of it; `passkey`: only a passkey counts; `deny`: the same,
 * and not even a code that an administrator hands over leads to a passkey.
 */
export const UnknownBrowser = z.enum(['number', 'passkey', 'deny'])
export type UnknownBrowser = z.infer<typeof UnknownBrowser>

/** The requirement of a route, beyond the option of its app. */
export const RequestedUnknownBrowser = UnknownBrowser.exclude(['number'])
export type RequestedUnknownBrowser = z.infer<typeof RequestedUnknownBrowser>

/** The stricter of two settings; undefined stands for `number`. */
export function stricterBrowser(first: UnknownBrowser | undefined, second: UnknownBrowser | undefined): UnknownBrowser {
  const strictness = (setting: UnknownBrowser = 'number') => UnknownBrowser.options.indexOf(setting)
  return strictness(first) >= strictness(second) ? (first ?? 'number') : (second ?? 'number')
}

/** The public key of a browser: an uncompressed point on P-256 (SEC 1 section 2.3.3), base64url. */
export const BrowserKey = z.string().regex(/^B[A-Za-z0-9_-]{86}$/, 'must be an uncompressed point on P-256, base64url')

/** Shows that the page has the key of the browser. */
export const BrowserProof = z.object({
  /** The origin of the app. The page signs its own, so the two differ on any other site. */
  origin: PageOrigin,
  /** ES256 over `browserProofText`, base64url. */
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/, 'must be an ES256 signature, base64url'),
})
export type BrowserProof = z.input<typeof BrowserProof>
