import type { Response } from 'express'

/**
 * Turns a redirect to another origin into a page that refreshes to it. Our forms may only be sent to this origin (the directive
 * `form-action`), and Chromium then blocks a redirect of the answer to another one, such as an identity provider.
 */
export function leaveByPage(res: Response): void {
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => Response
  const changed = (status: number, ...rest: unknown[]) => {
    const location = res.getHeader('Location')
    if (status < 300 || status > 399 || typeof location !== 'string' || !isElsewhere(location)) {
      return writeHead(status, ...rest)
    }
    res.removeHeader('Location')
    res.setHeader('Refresh', `0; url=${location}`)
    res.statusCode = 200
    return writeHead(200)
  }
  Object.defineProperty(res, 'writeHead', { configurable: true, writable: true, value: changed })
}

/** Whether it names an origin; a page reaches our own origin as well. */
const isElsewhere = (location: string): boolean =>
  (URL.parse(location, 'http://own.invalid')?.host ?? 'own.invalid') !== 'own.invalid'
