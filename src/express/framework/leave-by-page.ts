import type { ServerResponse } from 'node:http'

/**
 * Turns a redirect to another origin into a page that refreshes to it. Our forms may only be sent to this origin (the directive
 * `form-action`), and Chromium then blocks a redirect of the answer to another one, such as an identity provider.
 */
export function leaveByPage(res: ServerResponse): void {
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => ServerResponse
  const changed = (status: number, ...rest: unknown[]) => {
    const refresh = refreshTo(status, res.getHeader('Location'))
    if (refresh === undefined) return writeHead(status, ...rest)
    res.removeHeader('Location')
    res.setHeader('Refresh', refresh)
    res.statusCode = 200
    return writeHead(200)
  }
  Object.defineProperty(res, 'writeHead', { configurable: true, writable: true, value: changed })
}

/** The value of `Refresh` for a redirect to another origin; undefined for any other answer. */
export function refreshTo(status: number, location: unknown): string | undefined {
  if (status < 300 || status > 399 || typeof location !== 'string' || !isElsewhere(location)) return undefined
  return `0; url=${location}`
}

/** Whether it names an origin; a page reaches our own origin as well. */
const isElsewhere = (location: string): boolean =>
  (URL.parse(location, 'http://own.invalid')?.host ?? 'own.invalid') !== 'own.invalid'
