import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'

import type { Request, Response } from 'express'

import type { ServiceContext } from '../engine/context/service-context.ts'
import { createDeviceRoutes } from './device.ts'
import { makeOnFirstUse } from '../engine/http/handle.ts'
import type { Handle } from '../engine/http/handle.ts'
import { loadExpress } from '../engine/http/load-express.ts'
import { createNotMeRoutes } from '../features/mail-reports/routes.ts'
import { appHeaders, createStaticApp } from '../engine/front/static-app.ts'

/** The authenticator as it was built; the same from src/ and from dist/. */
const folder = fileURLToPath(new URL('../../../dist/authenticator/', import.meta.url))

/** The routes for devices and browsers; answers every path for which `isPublicPath` is true. */
export function createPublic(ctx: ServiceContext): Handle {
  const device = createDeviceRoutes(ctx)
  const notMe = createNotMeRoutes(ctx)
  const authenticator = makeOnFirstUse(createAuthenticatorRoutes)
  return (req, res, next) => {
    if (isBelow('device', req.url)) return device(req, res)
    if (isBelow('not-me', req.url)) return notMe(req, res)
    authenticator(req, res, next)
  }
}

const isBelow = (name: string, url = ''): boolean => /^\/([^/?]*)/.exec(url)?.[1] === name

/** A router of Express also works outside of an Express app, because these routes use nothing that Express adds to requests. */
function createAuthenticatorRoutes(): Handle {
  const router = loadExpress().Router({ caseSensitive: true, strict: true })
  // Relative, so that it works below any prefix.
  router.get('/authenticator', (_req, res) => void res.writeHead(302, { Location: 'authenticator/' }).end())
  router.use('/authenticator', createStaticApp({ folder, name: 'authenticator', headers: appHeaders }))
  return (req: IncomingMessage, res, next) => router(req as Request, res as Response, next)
}
