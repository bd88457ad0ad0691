import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'

import type { Request, Response } from 'express'

import type { ServiceContext } from '../context/service-context.ts'
import { createDeviceRoutes } from '../device/routes.ts'
import type { Handle } from '../http/handle.ts'
import { loadExpress } from '../http/load-express.ts'
import { preferCompressed } from './compressed-files.ts'

/** The authenticator as it was built; the same from src/ and from dist/. */
const folder = fileURLToPath(new URL('../../../dist/authenticator/', import.meta.url))

/** Whether a URL, relative to the mount, is one of the public routes. */
export function isPublic(url: string | undefined): boolean {
  return /^\/(device|authenticator)(?=[/?]|$)/.test(url ?? '')
}

/** The routes for devices and browsers; answers every path for which `isPublic` is true. */
export function createPublic(ctx: ServiceContext): Handle {
  const device = createDeviceRoutes(ctx)
  let authenticator: Handle | undefined
  return (req, res, next) => {
    if (isOfDevice(req.url)) return device(req, res)
    authenticator ??= createAuthenticatorRoutes()
    authenticator(req, res, next)
  }
}

const isOfDevice = (url: string | undefined): boolean => /^\/device(?=[/?]|$)/.test(url ?? '')

/** A router of Express also works outside of an Express app, because these routes use nothing that Express adds to requests. */
function createAuthenticatorRoutes(): Handle {
  const { Router, static: staticFiles } = loadExpress()
  const router = Router({ caseSensitive: true, strict: true })
  // Relative, so that it works below any prefix.
  router.get('/authenticator', (_req, res) => void res.writeHead(302, { Location: 'authenticator/' }).end())
  router.use('/authenticator', (_req, res, next) => {
    for (const [name, value] of Object.entries(pageHeaders)) res.setHeader(name, value)
    next()
  })
  router.use('/authenticator', preferCompressed(folder))
  router.use('/authenticator', staticFiles(folder, { redirect: false, cacheControl: false, setHeaders: setCaching }))
  router.use('/authenticator', (_req, res) => answerMissing(res))
  return (req: IncomingMessage, res, next) => router(req as Request, res as Response, next)
}

const pageHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
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
  const hashed = path.slice(folder.length).startsWith('assets')
  const page = path.endsWith('.html')
  const sharing = res.hasHeader('Set-Cookie') ? 'private' : 'public'
  res.setHeader('Cache-Control', hashed ? `${sharing}, max-age=31536000, immutable` : page ? 'no-store' : 'no-cache')
}

function answerMissing(res: ServerResponse): void {
  const text = existsSync(folder) ? 'Not found' : 'The authenticator is not built yet: npm run build'
  res.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }).end(text)
}
