import type { X509Certificate } from 'node:crypto'
import { fileURLToPath } from 'node:url'

import express from 'express'
import type { Express } from 'express'

import type { Pages } from './pages.ts'

/** Explains how a phone trusts this computer. Over plain http, which needs no certificate. */
export function createTrustPages(authority: X509Certificate, publicUrl: string, pages: Pages): Express {
  const app = express().disable('x-powered-by')
  const name = authority.subject.replace(/^CN=/, '')
  app.use(express.static(fileURLToPath(new URL('./public', import.meta.url))))
  app.get('/authority.crt', (_req, res) => {
    // Not as an attachment: phones would save the file instead of offering to install it.
    res.set('Cache-Control', 'no-store').type('application/x-x509-ca-cert').send(authority.raw)
  })
  app.get('/trust', (_req, res) => pages.send(res, 'trust', { name, publicUrl }))
  app.use((_req, res) => res.redirect(302, '/trust'))
  return app
}
