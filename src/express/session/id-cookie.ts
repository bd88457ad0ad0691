import { createHash, hash } from 'node:crypto'

import type { HttpRequest } from '../framework/http-request.ts'

/** The app's address as browsers see it. */
export interface CookieContext {
  /** The prefix that a proxy removes from every path. */
  readonly prefix: string
  readonly mfa: { readonly options: { readonly publicUrl?: string | undefined } }
}

/**
 * A cookie outside the web session that contains one random id: 128 bits, base64url. docs/mfa.md lists all of them, and a
 * test compares that list with the cookies that are sent.
 */
export interface IdCookie {
  /** The id that the browser sends. Clients can send any id, so the caller has to check it. */
  read(req: HttpRequest, context: CookieContext): string | undefined
  /** @param cookie `seconds` is how long the browser keeps it. @returns the values of `Set-Cookie`. */
  write(
    req: HttpRequest,
    context: CookieContext,
    cookie: { readonly id: string; readonly seconds: number },
  ): readonly string[]
  /** Whether the browser still sends it under its former name only. A caller who trusts the id then writes it again. */
  hasFormerName(req: HttpRequest, context: CookieContext): boolean
}

/** Identifies the browser to the service: see `sign-in/remembered.ts`. */
export const browserCookie = createIdCookie('mfa-browser', { formerName: true })

/** Says that the user of this browser keeps it, so that the page signs before the sign-in starts. Proves nothing itself. */
export const keptCookie = createIdCookie('mfa-kept', { formerName: true })

/**
 * Binds a setup to this browser. An attacker can plant a web session in a victim's browser, with the secret of an authenticator
 * app that the attacker knows; this cookie is not part of that web session. It must never be read under a name that another
 * host can set.
 */
export const setupCookie = createIdCookie('mfa-setup')

/** Binds a challenge to this browser: see `bindingOf()`. It must never be read under a name that another host can set. */
export const bindingCookie = createIdCookie('mfa-binding')

/** Remembers that the user of a web session wants no passkey in this browser: see `sign-in/passkey-offer.ts`. */
export const passkeyOfferCookie = createIdCookie('mfa-no-passkey')

/** Binds a passkey ceremony on the app's own login page to this browser: see `passkey-login.ts`. */
export const passkeyLoginCookie = createIdCookie('mfa-passkey')

/** @param options `formerName`: whether it is also read under its name in earlier versions (decision 0052). */
function createIdCookie(plainName: string, { formerName: hasFormer = false } = {}): IdCookie {
  const nameOf = (req: HttpRequest, context: CookieContext): string =>
    isSecure(req, context) ? `__Host-${plainName}${mountOf(context)}` : plainName

  /** Below a prefix, earlier versions used the plain name over https as well, which other hosts of the domain can set. */
  const readFormer = (req: HttpRequest, context: CookieContext): string | undefined =>
    hasFormer && isSecure(req, context) && context.prefix !== '' ? readId(req, plainName) : undefined

  return Object.freeze({
    read: (req, context) => readId(req, nameOf(req, context)) ?? readFormer(req, context),
    write(req, context, { id, seconds }) {
      const secure = isSecure(req, context)
      // A `__Host-` cookie belongs to the whole host. Without that name, the path keeps the apps of a host apart.
      const path = secure ? '/' : `${context.prefix}/`
      return [
        [`${nameOf(req, context)}=${id}`, `Path=${path}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax'],
        ...(readFormer(req, context) === undefined
          ? []
          : [[`${plainName}=`, `Path=${context.prefix}/`, 'Max-Age=0', 'HttpOnly', 'SameSite=Lax']]),
      ].map((parts) => [...parts, ...(secure ? ['Secure'] : [])].join('; '))
    },
    hasFormerName: (req, context) =>
      readId(req, nameOf(req, context)) === undefined && readFormer(req, context) !== undefined,
  } satisfies IdCookie)
}

/** The part of a name that tells the apps of a host apart. A prefix can contain what a name cannot (RFC 6265 section 4.1.1). */
function mountOf({ prefix }: CookieContext): string {
  return prefix === '' ? '' : `-${createHash('sha256').update(prefix).digest('base64url').slice(0, 8)}`
}

function readId({ headers }: HttpRequest, name: string): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    // Not trim(): it removes U+00A0 too, and browsers let other hosts set a cookie whose name is U+00A0 and then `__Host-`.
    const [key, value = ''] = part.replace(/^[ \t]+/, '').split('=', 2)
    if (key === name && /^[\w-]{22}$/.test(value)) return value
  }
  return undefined
}

/** Whether browsers use https; without a configured address the connection decides. */
function isSecure(req: HttpRequest, { mfa }: CookieContext): boolean {
  const { publicUrl } = mfa.options
  return publicUrl === undefined ? 'encrypted' in req.socket : publicUrl.startsWith('https:')
}

/** How long a browser keeps its binding cookie, seconds. Browsers keep cookies for 400 days at most. */
const bindingLifetime = 400 * 24 * 60 * 60

/** Binds challenges to the browser that asks for them, and what sets its cookie. */
export interface Binding {
  readonly binding: string
  readonly cookies: readonly string[]
}

/**
 * The binding of the browser that sent this request; undefined if it has sent no cookie. A web session can be shared with an
 * attacker who has planted or noted its id. The cookie is not part of the web session, so it tells the two browsers apart.
 */
export function bindingOf(req: HttpRequest, context: CookieContext): string | undefined {
  const id = bindingCookie.read(req, context)
  return id === undefined ? undefined : bindingFor(id)
}

/** The binding of this browser, or a new one. A cookie that is there is never replaced: all tabs of the browser rely on it. */
export function bindBrowser(req: HttpRequest, context: CookieContext, random: (size: number) => Uint8Array): Binding {
  const binding = bindingOf(req, context)
  if (binding !== undefined) return { binding, cookies: [] }
  const id = Buffer.from(random(16)).toString('base64url')
  return { binding: bindingFor(id), cookies: bindingCookie.write(req, context, { id, seconds: bindingLifetime }) }
}

const bindingFor = (id: string): string => hash('sha256', id, 'base64url')
