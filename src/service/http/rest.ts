import type { IncomingMessage, ServerResponse } from 'node:http'

import { Router } from 'express'
import type { ErrorRequestHandler, Request, Response } from 'express'

import type { Endpoint, Version } from '../../contract/endpoint.ts'
import { acceptedVersion, acceptsType } from '../../contract/media-type.ts'
import type { Vendor } from '../../contract/media-type.ts'
import { operations } from '../../contract/operations.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { observe } from './observe.ts'
import { ApiProblem, tooManyRequests } from '../ground/problem.ts'
import type { NamedImage } from '../rules/image.ts'
import { networkOf } from '../rules/network.ts'
import { answer, vendorLabel } from './answer.ts'
import { authenticate } from './authenticate.ts'
import type { FindKey, KnownKey } from './authenticate.ts'
import { authorize } from './authorize.ts'
import { readJson, readRows } from './body.ts'
import { answerError } from './errors.ts'
import { answerEvents } from './event-stream.ts'
import type { EventSource } from '../waiting/follower.ts'
import { heldRead, preferredWait } from './held-read.ts'
import { answerImage } from './image.ts'
import { leaveAfter, takeAll } from '../waiting/places.ts'
import { parseQuery } from './query-string.ts'
import type { RateLimiter } from './rate-limit.ts'
import { contextOfRequest, nameRequest, requestIdOf } from './request-id.ts'
import type { Call, Given, HttpExchange, Route } from './route.ts'
import { shownCredentials } from './shown-credentials.ts'

export interface RestOptions {
  readonly vendor: Vendor
  readonly findKey: FindKey
  readonly routes: readonly Route[]
  /** Absent if callers are trusted. */
  readonly rates?: Rates
}

/** Rate limits. */
export interface Rates {
  readonly byKey: RateLimiter
  /** For requests without a valid key. */
  readonly byAddress: RateLimiter
}

/** When to retry if a key has too many event streams, seconds. */
const streamRetry = 30

/** The default limit of a body, bytes. */
const bodyLimit = 1024 * 1024

/** The REST interface, to be mounted at its base path. Answers everything below it. */
export function createRest(ctx: ServiceContext, options: RestOptions): Router {
  const router = Router({ caseSensitive: true, strict: true })
  for (const [path, routes] of Map.groupBy(options.routes, (route) => route.endpoint.path)) {
    router.all(path, (req, res) => void serve(ctx, options, routes, req, res))
  }
  router.use((req, res) => void serve(ctx, options, [], req, res))
  router.use(failed(ctx, options))
  return router
}

/** Serves one request: authenticates the caller, selects operation and version, and runs the operation. */
async function serve(
  ctx: ServiceContext,
  options: RestOptions,
  routes: readonly Route[],
  req: Request,
  res: Response,
): Promise<void> {
  nameRequest(req, res)
  observe(ctx, res, nameOf(routes, req.method))
  const accepted = acceptedVersion(options.vendor, req.headers.accept)
  const label = vendorLabel(options.vendor, accepted ?? '1.3')
  try {
    const key = await admit(ctx, options, req, res)
    const visible = visibleTo(accepted, routes)
    if (req.method === 'OPTIONS') return answer(res, 200, undefined, { Allow: allowedOn(visible) })
    const { endpoint, run } = select(visible, req.method)
    authorize(key, endpoint, req.params)
    const version = accepted ?? mediaVersion(endpoint, req.headers.accept)
    if (version === undefined) throw new ApiProblem('api.error.notacceptable')
    const headers: Record<string, string> = {}
    const call = createCall(ctx, { key, version, headers, req, res })
    if (endpoint.media === 'text/event-stream') takeStream(ctx, key, res)
    const output = await run(givenBy(req, res, endpoint, call), call)
    if (endpoint.media === 'image/png') answerImage(req, res, output as NamedImage, headers)
    else if (endpoint.media !== undefined)
      answerEvents(ctx.clock, { req, res }, output as EventSource<unknown>, { headers })
    else answer(res, 200, output, { ...label, ...headers })
  } catch (error) {
    answerError(res, error, label, ctx.failures)
  }
}

/** @throws {ApiProblem} if the service is closing, or the key has the maximum number of streams. */
function takeStream({ waiters, places, limits, clock }: ServiceContext, key: KnownKey, res: ServerResponse): void {
  // The stream would end at once, and its caller would open the next one.
  if (waiters.closed()) throw new ApiProblem('api.error.unavailable')
  const leave = places.streamsOfKey.take(key.id)
  const limit = `at most ${limits.streamsPerKey} event streams at once for each API key`
  if (!leave) throw tooManyRequests({ limit, wait: streamRetry, now: clock.now() })
  leaveAfter(res, leave)
}

/** Authenticates the caller within its rate limit. */
async function admit(
  { addressOf, refusedKeys }: ServiceContext,
  { vendor, findKey, rates }: RestOptions,
  req: Request,
  res: Response,
): Promise<KnownKey> {
  const limited = (limiter: RateLimiter | undefined, caller: string) =>
    Object.entries(limiter?.take(caller) ?? {}).forEach(([name, value]) => void res.setHeader(name, value))
  try {
    const key = await authenticate(req, vendor, findKey)
    limited(rates?.byKey, key.hash)
    return key
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) {
      const address = addressOf(req)
      await refusedKeys.report({
        ...shownCredentials(req, vendor),
        address,
        wanted: vendor,
        requestId: requestIdOf(res),
      })
      limited(rates?.byAddress, networkOf(address))
    }
    throw error
  }
}

const names = new Map(operations.map(({ endpoint, name }) => [endpoint, name]))

function nameOf(routes: readonly Route[], method: string): string {
  const found = routes.find(({ endpoint }) => endpoint.method === asked(method))
  return (found && names.get(found.endpoint)) ?? 'none'
}

/** The operations of a path that exist in the caller's version: 1.3 does not have the later ones. */
function visibleTo(version: Version | undefined, routes: readonly Route[]): readonly Route[] {
  const visible = routes.filter(({ endpoint }) => version !== '1.3' || endpoint.since === undefined)
  if (visible.length === 0) throw new ApiProblem('api.error.notfound.operation')
  return visible
}

/** HEAD is a GET without a response body. */
const asked = (method: string) => (method === 'HEAD' ? 'GET' : method)

function select(routes: readonly Route[], method: string): Route {
  const found = routes.find(({ endpoint }) => endpoint.method === asked(method))
  if (found) return found
  throw new ApiProblem('api.error.methodnotallowed', undefined, { headers: { Allow: allowedOn(routes) } })
}

function allowedOn(routes: readonly Route[]): string {
  const methods = routes.map(({ endpoint }) => endpoint.method)
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}

/** A request for the media type of an image or a stream names no version: the first version with the operation applies. */
function mediaVersion({ media, since }: Endpoint, accept: string | undefined): Version | undefined {
  return media !== undefined && acceptsType(accept, media) ? (since ?? '1.3') : undefined
}

function givenBy(req: Request, res: Response, endpoint: Endpoint, { version, logger }: Call): Given {
  const onLatin1 = () =>
    logger.warn({ path: endpoint.path }, 'body is not valid UTF-8: read as ISO-8859-1; have the client send UTF-8')
  const options = { limit: endpoint.bodyLimit ?? bodyLimit, onLatin1: version === '1.3' ? onLatin1 : undefined }
  return {
    params: req.params,
    query: parseQuery(req.originalUrl),
    body: () => readJson(req, res, options),
    rows: () => readRows(req, res, options),
  }
}

interface CallParts {
  readonly key: KnownKey
  readonly version: Version
  readonly headers: Record<string, string>
  readonly req: Request
  readonly res: Response
}

function createCall(ctx: ServiceContext, parts: CallParts): Call {
  const { key, version, req, res } = parts
  return {
    ...contextOfRequest(ctx, res),
    organizationId: key.organizationId,
    actor: { kind: 'api_key', id: key.id },
    address: ctx.addressOf(req) ?? null,
    role: key.role,
    limitedTo: key.domainId,
    version,
    http: createExchange(ctx, parts),
  }
}

function createExchange(ctx: ServiceContext, { key: caller, headers, req, res }: CallParts): HttpExchange {
  return {
    path: req.originalUrl.split('?', 1)[0] ?? '',
    ifMatch: req.headers['if-match'],
    disconnected: () => res.destroyed || req.socket.destroyed,
    setHeader: (name, value) => void (headers[name] = value),
    async hold(key, { read, changesAt, userOf }) {
      const wait = preferredWait(req.headers.prefer?.toString())
      // The caller of a read that was held repeats it at once, which would keep a closing service busy.
      if (wait === undefined || ctx.waiters.closed()) return read()
      headers['Preference-Applied'] = `wait=${wait}`
      const { readsOfKey, readsOfUser } = ctx.places
      return heldRead(ctx, {
        key,
        wait,
        res,
        read,
        changesAt,
        takePlace(value) {
          const leave = takeAll([
            [readsOfKey, caller.id],
            [readsOfUser, userOf(value)],
          ])
          if (!leave) delete headers['Preference-Applied']
          return leave
        },
      })
    },
  }
}

/** Errors of Express itself: a path that cannot be decoded. */
function failed(ctx: ServiceContext, options: RestOptions): ErrorRequestHandler {
  return (error: unknown, _req: IncomingMessage, res: ServerResponse, _next: unknown) =>
    answerError(res, error, vendorLabel(options.vendor, '1.3'), ctx.failures)
}
