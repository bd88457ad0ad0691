import type { IncomingMessage } from 'node:http'

/** How browsers see the app. */
interface CookieContext {
  /** The path that a proxy in front takes off. */
  readonly prefix: string
  readonly mfa: { readonly options: { readonly publicUrl?: string | undefined } }
}

/** A cookie of the browser that is no part of the web session, and holds one random id: 128 bits, base64url. */
export interface IdCookie {
  /** The id as the browser sends it. Anybody can send any id: what it is worth is decided elsewhere. */
  read(req: IncomingMessage, context: CookieContext): string | undefined
  /** @param cookie `seconds` is how long the browser keeps it. @returns the value of `Set-Cookie`. */
  write(req: IncomingMessage, context: CookieContext, cookie: { readonly id: string; readonly seconds: number }): string
}

/** The browser, as the service knows it: see `remembered.ts`. */
export const browserCookie = createIdCookie('mfa-browser')

/**
 * What this browser is setting up. A web session can be planted in somebody else's browser, with the secret of an
 * authenticator app in it that the attacker knows; this cookie is not part of it.
 */
export const setupCookie = createIdCookie('mfa-setup')

/** With `debug: true`: stands for a web session that has no id on the server, as those of cookie-session. */
export const debugCookie = createIdCookie('mfa-debug')

function createIdCookie(plainName: string): IdCookie {
  // No other host can set a cookie of that prefix; it demands https and the whole host (RFC 6265bis section 4.1.3.2).
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

/** As the browser sees the app; where its address is not configured, as the connection says. */
function isSecure(req: IncomingMessage, { mfa }: CookieContext): boolean {
  const { publicUrl } = mfa.options
  return publicUrl === undefined ? 'encrypted' in req.socket : publicUrl.startsWith('https:')
}
