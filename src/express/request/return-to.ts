import type { IncomingMessage } from 'node:http'

const longest = 2048

/** How browsers see the app, which a proxy in front may show under another address. */
export interface PublicAddress {
  /** The challenge pages' path, prefix and mount path included. */
  readonly base: string
  /** What a proxy in front takes off every path, such as `/portal`. */
  readonly prefix: string
  /** The configured host; undefined where Host is to be believed. */
  readonly host: string | undefined
}

/** @param publicUrl says all there is to know: headers such as X-Forwarded-Prefix come from whoever sends them. */
export function publicAddressOf(publicUrl: string | undefined, pathInside: string): PublicAddress {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl)
  const prefix = url === undefined || url.pathname === '/' ? '' : url.pathname
  // Where it is used below a parameter or a wildcard, whoever asks says what that is: never another host.
  return { base: prefix + pathInside.replace(/^[/\\]+/, '/'), prefix, host: url?.host }
}

/**
 * A path on this very origin, or undefined. Everything that a browser could read as another origin, or a proxy as
 * another header, is refused rather than mended.
 *
 * @param own the challenge pages' own path: going back there would go round in circles.
 */
export function safeReturnTo(value: unknown, own: string): string | undefined {
  if (typeof value !== 'string' || value.length > longest) return undefined
  // Browsers read `\` as `/` and drop tabs and line breaks, so `/\evil` and `/<tab>/evil` are other origins.
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  if (!/^\/(?![/\\])[^\\\s\u0000-\u001f\u007f]*$/.test(value)) return undefined
  const url = parse(value)
  if (!url) return undefined
  const path = url.pathname + url.search + url.hash
  // `/.//evil` becomes `//evil` once the dots are resolved.
  if (path.startsWith('//') || url.pathname === own || url.pathname.startsWith(`${own}/`)) return undefined
  return path
}

/** Where a request that is stopped here wanted to go: its own path, or for anything but a read the page it came from. */
export function requestedPath(
  req: IncomingMessage & { originalUrl?: string },
  { base, prefix, host }: PublicAddress,
): string | undefined {
  if (req.method === 'GET' || req.method === 'HEAD') return safeReturnTo(prefix + (req.originalUrl ?? req.url), base)
  const referer = req.headers.referer
  const page = referer === undefined ? undefined : URL.parse(referer)
  if (!page || page.host !== (host ?? req.headers.host)) return undefined
  return safeReturnTo(page.pathname + page.search, base)
}

function parse(path: string): URL | undefined {
  const url = URL.parse(path, 'http://origin.invalid')
  return url?.host === 'origin.invalid' ? url : undefined
}
