import type { IncomingMessage } from 'node:http'

import { isSameText } from '../../same-text.ts'
import type { MfaState } from '../session/mfa-state.ts'
import type { WebRequest } from './web-request.ts'

/** Our forms have a few short fields; the longest is a new passkey with an RSA key. Bytes. */
const maxFormLength = 16_384

/** Returns the fields of a posted form, also if the app's own parser has read it already. */
export async function readForm(req: IncomingMessage & { body?: unknown }): Promise<Readonly<Record<string, unknown>>> {
  if (typeof req.body === 'object' && req.body !== null) return req.body as Record<string, unknown>
  if (req.readableEnded || !/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) return {}
  let text = ''
  for await (const chunk of req) {
    text += String(chunk)
    // Too long to be one of our forms.
    if (text.length > maxFormLength) return {}
  }
  return Object.fromEntries(new URLSearchParams(text))
}

/** The token that proves, where a browser sends no `Sec-Fetch-Site`, that a form came from a page of this web session. */
export function withFormToken({ state, context }: WebRequest): { readonly token: string; readonly state: MfaState } {
  if (state.page !== undefined) return { token: state.page, state }
  const token = Buffer.from(context.mfa.options.random(16)).toString('base64url')
  return { token, state: { ...state, page: token } }
}

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
  return typeof token === 'string' && expected !== undefined && isSameText(expected, token)
}

/** A page of another origin cannot set Host: if no address is configured, Host is the app's address in this browser. */
function isOwnOrigin(req: IncomingMessage, given: string, publicUrl: string | undefined): boolean {
  const origin = URL.parse(given)
  if (!origin) return false
  return publicUrl === undefined ? origin.host === req.headers.host : origin.origin === new URL(publicUrl).origin
}
