import { isPublicPath } from '../contract/public-paths.ts'
import { apply, serveDetached } from './apply.ts'
import { followRequest } from './debug/debug.ts'
import { debugPage, debugRequest } from './debug/debug-page.ts'
import type { FrameworkRequest } from './framework/request.ts'
import type { FrameworkResponse } from './framework/response.ts'
import { isAsset, serveAsset } from './pages/assets.ts'
import type { Mfa } from './request/context.ts'
import { contextOf } from './request/context.ts'
import { searchOf } from './request/query.ts'
import { describe } from './request/service-outage.ts'
import { refuseWithoutStore } from './refuse-without-store.ts'
import { canSave, checkWebSession } from './session/session-state.ts'
import type { Instance } from './instance.ts'
import { createContext, handleSession } from './handle-session.ts'
import type { Handling } from './handle-session.ts'

/** Handles a request that came through `receive()`; errors go on to the app, and into the log. */
export function handle(instance: Instance, req: FrameworkRequest, res: FrameworkResponse, handling: Handling): void {
  const { next, requestId } = handling
  const fail = (error: unknown) => {
    instance.mfa.options.logger.error(`mfa: ${describe(error)} (request ${requestId()})`)
    next(error)
  }
  try {
    handleAny(instance, req, res, handling)?.catch(fail)
  } catch (error) {
    fail(error)
  }
}

/** @returns a promise only if the request has to wait for something. */
function handleAny(
  instance: Instance,
  req: FrameworkRequest,
  res: FrameworkResponse,
  handling: Handling,
): void | Promise<void> {
  const { mfa: internals } = instance
  const { relatedOrigins } = internals.options.passkeys
  if (relatedOrigins.length > 0 && isWellKnown(req)) return serveRelatedOrigins(req, res, relatedOrigins)
  const below = pathBelow(req, internals.options.path)
  if (below === undefined) return handlePrivate(instance, req, res, handling)
  return servePublic(internals, req, res, below).then((isServed) =>
    isServed ? undefined : handlePrivate(instance, req, res, { ...handling, below }),
  )
}

/** Browsers read it at the name of the relying party (WebAuthn Level 3 section 5.11.1). */
const isWellKnown = (req: FrameworkRequest): boolean =>
  isRead(req) && req.baseUrl + req.path === '/.well-known/webauthn'

async function serveRelatedOrigins(
  req: FrameworkRequest,
  res: FrameworkResponse,
  origins: readonly string[],
): Promise<void> {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' }
  await serveDetached(req, res, () => res.send({ status: 200, headers, body: JSON.stringify({ origins }) }))
}

function handlePrivate(
  instance: Instance,
  req: FrameworkRequest,
  res: FrameworkResponse,
  handling: Handling,
): void | Promise<void> {
  const { mfa: internals, debug } = instance
  if (!hasPath(req) && !canSave(req)) return refusePathless(req, res)
  if (instance.hasLostStore(req)) {
    return refuseWithoutStore(req, res, createContext(internals, req, handling, undefined), handling)
  }
  checkWebSession(req)
  if (!debug) return handleSession(instance, req, res, handling)
  const { requestId, below } = handling
  if (below === '/debug' && isRead(req)) {
    return debugRequest(internals, debug, req, requestId).then((request) => apply(request, res, debugPage(request)))
  }
  const known = contextOf(req)
  const trace = (known?.mfa === internals && known.trace) || followRequest(internals, debug, req, res, requestId())
  return trace.run(async () => {
    try {
      await handleSession(instance, req, res, { ...handling, trace })
    } catch (error) {
      trace.note({ kind: 'failed', reason: describe(error) })
      throw error
    }
  })
}

/** Middleware of web sessions compares paths, so it may read none for a target of another form, such as `*` (RFC 9112 section 3.2). */
const hasPath = ({ originalUrl }: FrameworkRequest) => originalUrl.startsWith('/')

/** Anyone can send such a request, so it is no mistake in the setup of the app. */
async function refusePathless(req: FrameworkRequest, res: FrameworkResponse): Promise<void> {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  await serveDetached(req, res, () => res.send({ status: 400, headers, body: 'Bad Request' }))
}

const isRead = ({ method }: FrameworkRequest) => method === 'GET' || method === 'HEAD'

/** Serves what needs neither a web session nor a user: the files of the pages, and what the service itself shows to devices. */
async function servePublic(
  { options }: Mfa,
  req: FrameworkRequest,
  res: FrameworkResponse,
  below: string,
): Promise<boolean> {
  const { routes, path } = options
  if (isAsset(req, below)) return serveDetached(req, res, () => serveAsset(req, res, below, options))
  if (!routes || !isPublicPath(below)) return false
  return serveDetached(req, res, () => res.passTo(routes, { base: req.baseUrl + path, url: below + searchOf(req) }))
}

/** The path below the challenge path, such as `/events`; undefined for the app's own routes. */
function pathBelow(req: FrameworkRequest, path: string): string | undefined {
  if (req.path === path) return '/'
  return req.path.startsWith(`${path}/`) ? req.path.slice(path.length) : undefined
}
