import { existsSync } from 'node:fs'
import type { ServerResponse } from 'node:http'

import type { Router } from 'express'

import { loadExpress } from '../http/load-express.ts'
import { serveCompressed } from './compressed-files.ts'

interface StaticApp {
  /** The built files; ends with a slash. */
  readonly folder: string
  /** The name in the text that is shown where nothing is built. */
  readonly name: string
  /** Headers of all files. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether a path is a page of the app, all of which are one file. */
  readonly isPage?: (path: string) => boolean
}

/** Serves an app as it was built, and answers every path. */
export function createStaticApp({ folder, name, headers, isPage = () => false }: StaticApp): Router {
  const { Router: createRouter, static: staticFiles } = loadExpress()
  const router = createRouter({ caseSensitive: true, strict: true })
  router.use((req, res, next) => {
    for (const [header, value] of Object.entries(headers)) res.setHeader(header, value)
    if (req.url.endsWith(loadAgain)) return leadBack(req.url, res)
    if (isPage(req.url.replace(/\?.*$/s, ''))) req.url = '/index.html'
    next()
  })
  router.use(serveCompressed(folder, setCaching))
  router.use(
    staticFiles(folder, {
      redirect: false,
      cacheControl: false,
      setHeaders: (res: ServerResponse, path: string) => setCaching(res, path.slice(folder.length)),
    }),
  )
  router.use((_req, res) => answerMissing(res, existsSync(folder) ? undefined : name))
  return router
}

/** What the page adds to its address to be loaded again, when its scripts did not load. */
const loadAgain = '?again='

/** Leads back to the address as it was. The browser keeps its fragment, with the code of an activation or the token of an invitation. */
function leadBack(url: string, res: ServerResponse): void {
  const name = url.slice(url.lastIndexOf('/', url.indexOf('?')) + 1, -loadAgain.length)
  res.writeHead(303, { Location: `./${name}`, 'Cache-Control': 'no-store' }).end()
}

/** Headers for an app that loads nothing from other origins, and that no page of another origin may frame. */
export const appHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(self), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/**
 * Names under assets/ contain a content hash; everything else may change with the next version. Cookies that a surrounding
 * app sets are for one browser only, so shared caches must not store that response (RFC 9111 section 7.3).
 */
function setCaching(res: ServerResponse, path: string): void {
  const sharing = res.hasHeader('Set-Cookie') ? 'private' : 'public'
  const hashed = `${sharing}, max-age=31536000, immutable`
  res.setHeader('Cache-Control', path.startsWith('assets') ? hashed : path.endsWith('.html') ? 'no-store' : 'no-cache')
}

/** @param unbuilt The name of an app that is not built. */
function answerMissing(res: ServerResponse, unbuilt: string | undefined): void {
  const text = unbuilt === undefined ? 'Not found' : `The ${unbuilt} is not built yet: npm run build`
  res.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }).end(text)
}
