import type { NextFunction, Request, RequestHandler, Response } from 'express'

import { createMemoryChallengeStore } from '../challenge/challenge-store.ts'
import { createConnector } from '../challenge/service.ts'
import { userKeyOf } from '../challenge/user.ts'
import { resolveAppUser } from './app-user.ts'
import type { Mfa, RequestContext } from './context.ts'
import { setContext } from './context.ts'
import { passGate } from './gate.ts'
import type { MfaOptions } from './options.ts'
import { resolveOptions } from './options.ts'
import { serveAsset } from './pages/assets.ts'
import { serveChallenge } from './routes.ts'
import { createRequestMfa } from './request.ts'
import { outsideOf } from './return-to.ts'
import { createWarner } from './warnings.ts'
import { bindTo, checkWebSession, drop, readKept } from './web-session.ts'

/**
 * Gives an Express app a second factor: serves the challenge under `/mfa`, and lets a signed-in user pass to any later
 * route only once the second step is passed. Goes after the web session and the app's own login.
 *
 * @throws {TypeError} at start, naming the option that is wrong or missing.
 *
 * @example
 * app.use(session({ secret, resave: false, saveUninitialized: false }))
 * app.use(passport.session())
 * app.use(mfa({ service: embedded({ database: 'mfa.sqlite' }) }))
 */
export function mfa(options: MfaOptions = {}): RequestHandler {
  const resolved = resolveOptions(options, process.env)
  const { open, timeout, maxConcurrency, clock, challengeStore = createMemoryChallengeStore(clock) } = resolved
  const connect = createConnector(open, { timeout, maxConcurrency, clock, challengeStore })
  const instance: Mfa = { options: resolved, connect }

  const warn = createWarner(resolved)

  return function mfaHandler(req, res, next) {
    warn(req)
    handle(instance, req, res, next).catch(next)
  }
}

async function handle(instance: Mfa, req: Request, res: Response, next: NextFunction): Promise<void> {
  const { options } = instance
  const below = pathBelow(req, options.path)
  if (below !== undefined && (await servePublic(instance, req, res, below))) return
  checkWebSession(req)
  const user = await resolveAppUser(req, options)
  const context: RequestContext = {
    mfa: instance,
    ...outsideOf(options.publicUrl, req.baseUrl + options.path),
    user,
    userKey: user && userKeyOf(user),
  }
  setContext(req, context)
  bindTo(req, options.serviceId)
  dropForeign(req, context)
  req.mfa = createRequestMfa(req, res, context)
  if (below !== undefined) return serveChallenge(req, res, context, below)
  if (await passGate(req, res, context)) next()
}

/** What needs neither a web session nor a user: the pages' own files, and whatever the service itself shows to devices. */
async function servePublic(instance: Mfa, req: Request, res: Response, below: string): Promise<boolean> {
  if (serveAsset(req, res, below, instance.options)) return true
  const { routes, path } = instance.options
  if (!routes || !/^\/(device|authenticator)(\/|$)/.test(below)) return false
  await passOn(routes, req, res, req.baseUrl + path, below)
  // Somebody who has hung up is not to be asked for a web session.
  return res.headersSent || res.writableEnded || res.destroyed
}

/** Calls the service's routes as if they were mounted at `base`. */
function passOn(
  routes: NonNullable<Mfa['options']['routes']>,
  req: Request,
  res: Response,
  base: string,
  below: string,
): Promise<void> {
  const { url, baseUrl } = req
  return new Promise((resolve, reject) => {
    req.url = below + url.slice(req.path.length)
    req.baseUrl = base
    res.once('close', resolve)
    routes(req, res, (error) => {
      req.url = url
      req.baseUrl = baseUrl
      if (error) reject(error instanceof Error ? error : new Error('The service failed.', { cause: error }))
      else resolve()
    })
  })
}

/**
 * A marker or challenge of somebody else, or of nobody any more, ends with the login it belonged to; and that of another
 * service says nothing of who has the same name here.
 */
function dropForeign(req: Request, { userKey, mfa: { options } }: RequestContext): void {
  const { service = options.serviceId, verified, challenge, letThrough, setup, remembered } = readKept(req)
  const isOwn = (kept: { userKey: string } | undefined) => !kept || kept.userKey === userKey
  if (service !== options.serviceId || ![verified, challenge, letThrough, setup, remembered].every(isOwn)) drop(req)
}

/** What follows the challenge path, such as `/events`; undefined for the app's own routes. */
function pathBelow(req: Request, path: string): string | undefined {
  if (req.path === path) return '/'
  return req.path.startsWith(`${path}/`) ? req.path.slice(path.length) : undefined
}
