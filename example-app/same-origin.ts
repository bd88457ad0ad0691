import type { RequestHandler } from 'express'

import type { Pages } from './pages.ts'

const harmless = new Set(['GET', 'HEAD'])

/**
 * Refuses what another site's page makes a browser send. A browser that sends `Sec-Fetch-Site` has said all there is
 * to say; an older one sends `Origin`. What sends neither is no browser, and has no business with our forms.
 */
export function requireSameOrigin(publicUrl: string, pages: Pages): RequestHandler {
  const { origin } = new URL(publicUrl)
  return (req, res, next) => {
    const site = req.headers['sec-fetch-site']
    const own = site === undefined ? req.headers.origin === origin : site === 'same-origin'
    if (harmless.has(req.method) || own) return next()
    pages.problem(res, 403, 'That did not come from here', 'Open the page again and send the form from there.')
  }
}
