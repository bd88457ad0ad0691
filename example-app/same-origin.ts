import type { RequestHandler } from 'express'

import type { Pages } from './pages.ts'

const safeMethods = new Set(['GET', 'HEAD'])

/**
 * Rejects requests that another site's page makes a browser send. Browsers send `Sec-Fetch-Site`, or `Origin` if they are
 * old. A client that sends neither is not a browser, and does not need the forms.
 */
export function requireSameOrigin(publicUrl: string, pages: Pages): RequestHandler {
  const { origin } = new URL(publicUrl)
  return (req, res, next) => {
    const site = req.headers['sec-fetch-site']
    const own = site === undefined ? req.headers.origin === origin : site === 'same-origin'
    if (safeMethods.has(req.method) || own) return next()
    pages.problem(res, 403, 'That form came from another site', 'Open the page again, and send the form from there.')
  }
}
