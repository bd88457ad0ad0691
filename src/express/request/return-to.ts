import { hostOf } from '../framework/host.ts'
import type { HttpRequest } from '../framework/http-request.ts'
import { opensPage } from './navigation.ts'

const maxLength = 2048

/** The app's address as browsers see it, which a proxy may change. */
export interface PublicAddress {
  /** The path of the challenge pages, including prefix and mount path. */
  readonly base: string
  /** The prefix that a proxy removes from every path, such as `/portal`. */
  readonly prefix: string
  /** The configured host; undefined if the Host header is trusted. */
  readonly host: string | undefined
}

interface KnownAddress {
  readonly publicUrl: string | undefined
  readonly pathInside: string
  readonly address: PublicAddress
}

let last: KnownAddress | undefined

/**
 * Remembers the last address: nearly all requests of an app have the same one.
 * @param publicUrl Headers such as X-Forwarded-Prefix are ignored, because anyone can send them.
 */
export function publicAddressOf(publicUrl: string | undefined, pathInside: string): PublicAddress {
  if (last?.publicUrl !== publicUrl || last?.pathInside !== pathInside) {
    last = { publicUrl, pathInside, address: createAddress(publicUrl, pathInside) }
  }
  return last.address
}

function createAddress(publicUrl: string | undefined, pathInside: string): PublicAddress {
  const { pathname, host } = publicUrl === undefined ? { pathname: '/', host: undefined } : new URL(publicUrl)
  const prefix = pathname === '/' ? '' : pathname
  // If mfa() is mounted below a parameter or a wildcard, the client chooses that part: it must never become another host.
  return { base: prefix + pathInside.replace(/^[/\\]+/, '/'), prefix, host }
}

/**
 * Returns a path on this origin, or undefined. Whatever a browser could read as another origin, or a proxy as another header,
 * is rejected, never repaired.
 *
 * @param challengePath The path of the challenge pages: returning there would be a loop.
 */
export function safeReturnTo(value: unknown, challengePath: string): string | undefined {
  if (typeof value !== 'string' || value.length > maxLength) return undefined
  // Browsers read `\` as `/` and drop tabs and line breaks, so `/\evil` and `/<tab>/evil` are other origins.
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  if (!/^\/(?![/\\])[^\\\s\u0000-\u001f\u007f]*$/.test(value)) return undefined
  const url = parse(value)
  if (!url) return undefined
  const path = url.pathname + url.search + url.hash
  // `/.//evil` becomes `//evil` once the dots are resolved.
  if (path.startsWith('//') || url.pathname === challengePath || url.pathname.startsWith(`${challengePath}/`))
    return undefined
  return path
}

/**
 * The same, or an address at one of these origins, as the app lists them.
 *
 * @param origins such as `https://spa.example`
 */
export function safeReturnAddress(
  value: unknown,
  { base }: Pick<PublicAddress, 'base'>,
  origins: readonly string[],
): string | undefined {
  return safeReturnTo(value, base) ?? listedAddress(value, origins)
}

function listedAddress(value: unknown, origins: readonly string[]): string | undefined {
  if (origins.length === 0 || typeof value !== 'string' || value.length > maxLength) return undefined
  // Written as the parser writes it: a browser cannot read another origin in it.
  const url = URL.parse(value)
  if (!url || !origins.includes(url.origin) || url.username !== '' || url.password !== '') return undefined
  // The origin of `blob:https://…` is the one inside.
  if (!/^https?:$/.test(url.protocol)) return undefined
  return url.href
}

/** Where a stopped request continues later: at its own path, or, unless it opens a page, at the page it came from. */
export function requestedPath(req: HttpRequest, { base, prefix, host }: PublicAddress): string | undefined {
  if (opensPage(req)) return safeReturnTo(prefix + (req.originalUrl ?? req.url), base)
  const { 'hx-current-url': htmxPage, referer } = req.headers
  const page = URL.parse(String(htmxPage ?? referer))
  if (!page || page.host !== (host ?? hostOf(req))) return undefined
  return safeReturnTo(page.pathname + page.search + page.hash, base)
}

function parse(path: string): URL | undefined {
  const url = URL.parse(path, 'http://origin.invalid')
  return url?.host === 'origin.invalid' ? url : undefined
}
