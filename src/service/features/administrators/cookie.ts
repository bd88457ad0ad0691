import { hashSecret } from '../../engine/base/secret.ts'

/** The cookie of a console session, for the console at one origin. */
export interface ConsoleCookie {
  /** @returns the value of `Set-Cookie`. */
  write(secret: string): string
  /** The value of `Set-Cookie` that ends it. */
  readonly ended: string
  /** @param header What the browser sends as `Cookie`. @returns the hash of what the cookie holds. */
  read(header: string | undefined): string | undefined
}

/**
 * The prefix makes browsers insist on `Secure`, on `Path=/`, and on no `Domain` (RFC 6265bis section 4.1.3.2). Without TLS, the
 * console is on localhost, where Safari stores no cookie with `Secure`.
 */
const overHttps = createCookie('__Host-mfa-console', '; Secure')
const overHttp = createCookie('mfa-console', '')

/** @param origin Where the console is opened. */
export const consoleCookie = (origin: string): ConsoleCookie => (origin.startsWith('https:') ? overHttps : overHttp)

function createCookie(name: string, secure: string): ConsoleCookie {
  const attributes = `Path=/${secure}; HttpOnly; SameSite=Strict`
  // Not `\s` before the name: it matches U+00A0 too, and browsers let other hosts set a cookie whose name begins with U+00A0.
  const pattern = new RegExp(`(?:^|;)[ \\t]*${name}=([A-Za-z0-9_-]{43})(?:;|$)`)
  return Object.freeze({
    write: (secret: string) => `${name}=${secret}; ${attributes}`,
    ended: `${name}=; ${attributes}; Max-Age=0`,
    read(header: string | undefined) {
      const [, secret] = pattern.exec(header ?? '') ?? []
      return secret === undefined ? undefined : hashSecret(secret)
    },
  })
}
