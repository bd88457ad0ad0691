import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'

import type { Request, Response } from 'express'

import { makeOnFirstUse } from '../http/handle.ts'
import type { Handle } from '../http/handle.ts'
import { mount } from '../http/mount.ts'
import type { ConsoleAddress } from './console-address.ts'
import { isLoopbackOf } from './console-address.ts'
import { appHeaders, createStaticApp } from './static-app.ts'

/** The app as it was built; the same from src/ and from dist/. */
const folder = fileURLToPath(new URL('../../../../dist/console/', import.meta.url))

/**
 * The console, with its REST interface below `/api`. It answers only requests for its own host: passkeys and the rule against
 * cross-site requests depend on the origin.
 */
export function createConsole(address: ConsoleAddress, api: Handle): Handle {
  const rest = mount('/api', api)
  const app = makeOnFirstUse(createApp)
  return (req: IncomingMessage & { readonly originalUrl?: string }, res, next) => {
    const { method, url = '/', originalUrl = url } = req
    if (!isOfHost(req, address)) {
      const isMoved = isLoopbackOf(address, req.headers.host) && (method === 'GET' || method === 'HEAD')
      if (!isMoved) return next()
      res.writeHead(302, { Location: address.origin + originalUrl, 'Cache-Control': 'no-store' }).end()
      return
    }
    const path = originalUrl.split('?', 1)[0] ?? ''
    // Relative addresses of the app need the slash.
    if (/^\/($|\?)/.test(url) && !path.endsWith('/')) {
      res.writeHead(302, { Location: `${path}/`, 'Cache-Control': 'no-store' }).end()
      return
    }
    rest(req, res, (error) => {
      if (error !== undefined && error !== null) return next(error)
      app(req, res, next)
    })
  }
}

/** Whether a request is for the console's host. Proxies must pass the header `Host` on. */
export const isOfHost = ({ headers }: IncomingMessage, { host }: ConsoleAddress): boolean =>
  headers.host?.toLowerCase() === host

/** Passes on requests for the console's host, where nothing else is served. */
export const exceptOn =
  (address: ConsoleAddress, handle: Handle): Handle =>
  (req, res, next) =>
    isOfHost(req, address) ? next() : handle(req, res, next)

function createApp(): Handle {
  const router = createStaticApp({ folder, name: 'console', headers: appHeaders, isPage })
  return (req, res, next) => router(req as Request, res as Response, next)
}

/** Pages have addresses of their own, and files have a dot in their name. */
const isPage = (path: string): boolean => !path.startsWith('/assets/') && !path.includes('.')
