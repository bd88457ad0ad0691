import type { IncomingMessage } from 'node:http'

/** The app's address as browsers see it. */
interface CookieContext {
  /** The prefix that a proxy removes from every path. */
  readonly prefix: string
  readonly mfa: { readonly options: { readonly publicUrl?: string | undefined } }
}

/** A cookie outside the web session that contains one random id: 128 bits, base64url. */
export interface IdCookie {
  /** The id that the browser sends. Clients can send any id, so the caller has to check it. */
  read(req: IncomingMessage, context: CookieContext): string | undefined
  /** @param cookie `seconds` is how long the browser keeps it. @returns the value of `Set-Cookie`. */
  write(req: IncomingMessage, context: CookieContext, cookie: { readonly id: string; readonly seconds: number }): string
}

/** Identifies the browser to the service: see `sign-in/remembered.ts`. */
export const browserCookie = createIdCookie('mfa-browser')

/** Says that the user of this browser keeps it, so that the page signs before the sign-in starts. Proves nothing itself. */
export const keptCookie = createIdCookie('mfa-kept')

/**
 * Binds a setup to this browser. An attacker can plant a web session in a victim's browser, with the secret of an authenticator
 * app that the attacker knows; this cookie is not part of that web session.
 */
export const setupCookie = createIdCookie('mfa-setup')

/** Remembers that the user of a web session wants no passkey in this browser: see `sign-in/passkey-offer.ts`. */
export const passkeyOfferCookie = createIdCookie('mfa-no-passkey')

/** Binds a passkey ceremony on the app's own login page to this browser: see `app-login/passkey-login.ts`. */
export const passkeyLoginCookie = createIdCookie('mfa-passkey')

/** With `debug: true`: identifies a web session without an id on the server, as those of cookie-session. */
export const debugCookie = createIdCookie('mfa-debug')

function createIdCookie(plainName: string): IdCookie {
  // No other host can set a cookie with this prefix; it requires https and `Path=/` (RFC 6265bis section 4.1.3.2).
  const nameOf = (req: IncomingMessage, context: CookieContext): string =>
    isSecure(req, context) && context.prefix === '' ? `__Host-${plainName}` : plainName
  return Object.freeze({
    read(req, context) {
      const name = nameOf(req, context)
      for (const part of (req.headers.cookie ?? '').split(';')) {
        const [key, value = ''] = part.trim().split('=', 2)
        if (key === name && /^[\w-]{22}$/.test(value)) return value
      }
      return undefined
    },
    write(req, context, { id, seconds }) {
      const parts = [
        `${nameOf(req, context)}=${id}`,
        `Path=${context.prefix}/`,
        `Max-Age=${seconds}`,
        'HttpOnly',
        'SameSite=Lax',
        ...(isSecure(req, context) ? ['Secure'] : []),
      ]
      return parts.join('; ')
    },
  } satisfies IdCookie)
}

/** Whether browsers use https; without a configured address the connection decides. */
function isSecure(req: IncomingMessage, { mfa }: CookieContext): boolean {
  const { publicUrl } = mfa.options
  return publicUrl === undefined ? 'encrypted' in req.socket : publicUrl.startsWith('https:')
}
