import { PageOrigin } from '../../contract/relying-party.ts'
import { relyingPartyOf } from './passkeys.ts'
import type { WebRequest } from './web-request.ts'

/**
 * The origin that pages of the app have in this browser: a configured one, chosen by Host among several. Undefined where
 * browsers give pages no keys (Secure Contexts section 3.1).
 */
export function appOriginOf(request: Pick<WebRequest, 'req' | 'context'>): string | undefined {
  const { req, context } = request
  const { publicUrl } = context.mfa.options
  const { host = '' } = req.headers
  // A page of another origin cannot set Host: if no address is configured, Host is the app's address in this browser.
  const requestOrigin = `${'encrypted' in req.socket ? 'https' : 'http'}://${host}`
  const appOrigin = publicUrl === undefined ? requestOrigin : new URL(publicUrl).origin
  const relatedOrigins = relyingPartyOf(request)?.origins ?? []
  return PageOrigin.safeParse(relatedOrigins.find((origin) => new URL(origin).host === host) ?? appOrigin).data
}
