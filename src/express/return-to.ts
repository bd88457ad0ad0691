import type { IncomingMessage } from 'node:http'

const longest = 2048

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
export function askedFor(req: IncomingMessage & { originalUrl?: string }, own: string): string | undefined {
  if (req.method === 'GET' || req.method === 'HEAD') return safeReturnTo(req.originalUrl ?? req.url, own)
  const referer = req.headers.referer
  const page = referer === undefined ? undefined : URL.parse(referer)
  if (!page || page.host !== req.headers.host) return undefined
  return safeReturnTo(page.pathname + page.search, own)
}

function parse(path: string): URL | undefined {
  const url = URL.parse(path, 'http://origin.invalid')
  return url?.host === 'origin.invalid' ? url : undefined
}
