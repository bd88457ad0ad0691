import { hash } from 'node:crypto'
import type { HttpRequest } from '../framework/http-request.ts'
import type { CookieContext } from './id-cookie.ts'
import { bindingCookie } from './id-cookie.ts'

/** How long a browser keeps its binding cookie, seconds. Browsers keep cookies for 400 days at most. */
const lifetime = 400 * 24 * 60 * 60

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
  return { binding: bindingFor(id), cookies: bindingCookie.write(req, context, { id, seconds: lifetime }) }
}

const bindingFor = (id: string): string => hash('sha256', id, 'base64url')
