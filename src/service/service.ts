import type { IncomingMessage, ServerResponse } from 'node:http'

import type { ServedConsole } from './routes/console-rest.ts'
import type { Vendor } from '../contract/media-type.ts'
import { operations } from '../contract/operations.ts'
import { unprocessedHeader } from '../contract/unprocessed.ts'

import { createAdministration } from './administration.ts'
import type { Administration } from './administration.ts'
import { routes } from './routes/rest.ts'
import type { ServiceContext } from './engine/context/service-context.ts'
import { documents } from './engine/front/documents.ts'
import { offerConsole } from './console-for.ts'
import { issuerOf, offerOpened } from './opened-for.ts'
import { createConsole, exceptOn, isOfHost } from './engine/front/console.ts'
import { createFront } from './engine/front/front.ts'
import { health, readiness } from './engine/front/health.ts'
import { createMetrics } from './engine/front/metrics.ts'
import type { Metrics } from './engine/front/metrics.ts'
import { jsonLabel, vendorLabel } from './engine/http/answer.ts'
import type { Label } from './engine/http/answer.ts'
import { createReadAddress } from './engine/http/client-address.ts'
import { rejectUnread } from './engine/http/refuse-unread.ts'
import { nameRequest, requestIdOf } from './engine/http/request-id.ts'
import type { FindKey } from './engine/http/authenticate.ts'
import { createAdmission } from './engine/http/admission.ts'
import type { Admission } from './engine/http/admission.ts'
import { createInFlight } from './engine/http/in-flight.ts'
import type { Refusal } from './engine/http/in-flight.ts'
import type { Handle } from './engine/http/handle.ts'
import { createRateLimiter } from './engine/http/rate-limit.ts'
import { createLocalCall, createLocalFetch } from './engine/http/local-fetch.ts'
import { mount } from './engine/http/mount.ts'
import { createRest } from './engine/http/rest.ts'
import type { Rest } from './engine/http/rest.ts'
import { noteApiKeyUse, apiKeyByHash } from './features/domains/api-key-statements.ts'
import { keyAccess } from './engine/http/key-access.ts'
import type { Rates } from './engine/http/key-access.ts'
import { serveRest } from './engine/http/serve-rest.ts'
import { servedInterface } from './engine/base/interface-words.ts'
import type { InterfaceWords, ServedInterface } from './engine/base/interface-words.ts'
import { loadOnce } from './engine/base/load-once.ts'
import { observe } from './engine/http/observe.ts'
import { noObserver, combineObservers } from './engine/monitoring/observer.ts'
import type { Observer } from './engine/monitoring/observer.ts'
import { mayCreateDatabase } from './missing-database.ts'
import { openCore } from './open-core.ts'
import type { CoreOptions } from './open-core.ts'
import { ServiceOptions } from './options.ts'
import { isPublicPath } from '../contract/public-paths.ts'
import { parseOptions } from '../contract/validate.ts'
import { requireNode } from '../ground/node-version.ts'
import { ApiProblem } from './engine/base/problem.ts'
import { createPublic } from './routes/public.ts'
import { consoleAddress } from './engine/front/console-address.ts'
import { networkOf } from './engine/base/network.ts'
import type { OpenOptions } from './engine/database/store.ts'

/** An open service. How its request handlers are served is up to you. */
export interface Service {
  /** The REST interface below the base path. Calls `next()` for every other path. */
  readonly api: Handle
  /** The device protocol and the authenticator. Calls `next()` for every other path. */
  readonly routes: Handle
  /** Both of these, the console, and what a standalone server adds: `/healthz`, `/readyz`, `/docs` and `openapi.json`. */
  readonly listener: (req: IncomingMessage, res: ServerResponse) => void
  /** `/metrics` alone, without its token, for a separate port; only with the option `metrics`. */
  readonly metrics: Service['listener'] | undefined
  /** The words of the REST interface and its base path: from the options, otherwise as `init` stored them. */
  readonly vendor: Vendor
  readonly basePath: string
  readonly administration: Administration
  /**
   * Writes the keys that the service holds to a new file, mode 0600: for when the key file is lost while the service runs.
   * @throws {Error} with code `EEXIST` when the file exists.
   */
  saveKeys(file: string): Promise<void>
  /**
   * Prepares for `close()` while a load balancer redirects requests to other nodes: from now on `/readyz` answers 503, held
   * reads are answered with the current state, and event streams end, so that callers reconnect elsewhere.
   */
  drain(options?: DrainOptions): void
  /** Answers held reads, waits for work in progress, and closes the database. */
  close(): Promise<void>
}

export interface DrainOptions {
  /**
   * Whether requests that begin something new are still served, as when the next process takes over the listening socket.
   * By default they are answered 503 with `Retry-After`. Requests that belong to a sign-in in progress are always served.
   */
  readonly serveNew?: boolean
}

/**
 * Opens a service on its database.
 * @throws {TypeError} if an option is invalid.
 * @throws {MissingDatabaseError} in production, if the database does not exist.
 * @example
 * const service = await createService({ database: 'mfa.sqlite' })
 * createServer(service.listener).listen(8787)
 */
export async function createService(serviceOptions: ServiceOptions): Promise<Service> {
  requireNode('createService()')
  const options = parseOptions(ServiceOptions, 'createService', serviceOptions)
  const metrics = options.metrics && (await createMetrics())
  const { concurrentRequests: max, responseTime } = options.limits
  const admission = createAdmission({ max, responseTime, now: () => performance.now(), afterTurn: setImmediate })
  const opened = await openService(options, combineObservers(observersOf(options, metrics)), { admission })
  metrics?.watch(opened.ctx)
  const { vendor, basePath } = servedInterface({ ...options.vendor, basePath: options.basePath }, opened.storedWords)
  const findKey: FindKey = (hash) => apiKeyByHash(opened.ctx.store.db, hash)
  const rates = createRates(opened.ctx)
  const { handle: api } = opened.rest({ vendor, basePath, findKey, rates })
  const console = opened.console(vendor, () => issuerOf(service))
  const pages = [health, readiness(opened.ctx), ...documents({ vendor, basePath })]
  const token = options.metrics?.token
  // One budget per address for everything it can guess.
  const limit = (req: IncomingMessage) => void rates.byAddress.take(networkOf(opened.ctx.addressOf(req)))
  const guarded = token === undefined || !metrics ? [] : [metrics.page({ token, limit })]
  const service: Service = {
    api,
    routes: opened.routes,
    listener: createFront(opened.ctx, {
      vendor,
      pages: [...pages, ...guarded],
      isReserved: opened.isReserved,
      handles: [...(console ? [mount(consolePath, console)] : []), opened.routes, api],
    }),
    metrics: metrics && createFront(opened.ctx, { vendor, pages: [metrics.page()], handles: [] }),
    vendor,
    basePath,
    administration: createAdministration(opened.ctx),
    saveKeys: opened.ctx.keys.save,
    drain: opened.drain,
    close: opened.close,
  }
  offerConsole(service, console)
  const whenOpen = Promise.resolve({ service: opened, vendor })
  offerOpened(service, () => whenOpen, whenOpen)
  return service
}

/** The path of the console of a standalone service. */
const consolePath = '/console'

/** A service whose REST interface is not served yet. */
export interface OpenedService {
  readonly ctx: ServiceContext
  readonly routes: Handle
  /** The words of the REST interface that `init` stored. */
  readonly storedWords: InterfaceWords
  /** The REST interface over HTTP below its base path, and in the same process below a base URL. */
  readonly rest: (access: RestAccess) => {
    handle: Handle
    fetchAt: (baseUrl: string) => typeof fetch
    call: ReturnType<typeof createLocalCall>
  }
  /** The console below any path; undefined without the option. It shows the issuer of the OpenID provider. */
  readonly console: (vendor: Vendor, openIdIssuer: ServedConsole['openIdIssuer']) => Handle | undefined
  /** Whether only the console is served on the host of a request. */
  readonly isReserved: (req: IncomingMessage) => boolean
  readonly drain: (options?: DrainOptions) => void
  readonly close: () => Promise<void>
}

/** The callers that the REST interface accepts, and the words that it uses. */
export interface RestAccess extends ServedInterface {
  readonly findKey: FindKey
  /** The rate limits; without them, callers can send any number of requests. */
  readonly rates?: Rates
}

/**
 * Opens a service without listening.
 * `create` says whether a missing database is created; without it, the environment decides.
 */
export async function openService(
  options: CoreOptions & Pick<ParsedOptions, 'trustProxy'>,
  observer: Observer = noObserver,
  { admission, ...serviceOptions }: Partial<OpenOptions> & { readonly admission?: Admission } = {},
): Promise<OpenedService> {
  const opening = { create: mayCreateDatabase(process.env), ...serviceOptions }
  const { logger } = options
  const { core, storedWords } = await openCore(
    options,
    { addressOf: createReadAddress(options.trustProxy), observer },
    opening,
  )
  const inFlight = createInFlight(admission)
  const refuse = (label: Label) => (req: IncomingMessage, res: ServerResponse, refusal: Refusal) => {
    nameRequest(req, res)
    observe(core.ctx, { reader: res, requestId: requestIdOf(res) }, 'unprocessed')
    if (refusal === 'overload' && core.ctx.logLimit.admits(refusal))
      logger.warn({}, 'overloaded: some requests are rejected')
    rejectUnread(req, res, refusal === 'closing' ? closing : overloaded(core.ctx), label)
  }
  const address = options.console && consoleAddress(options.console.url)
  const reserved = options.console?.allowSharedOrigin === true ? undefined : address
  if (address && !reserved && address.rpId !== 'localhost') logger.warn({ console: address.origin }, sharedOrigin)
  const outsideConsole = (handle: Handle) => (reserved ? exceptOn(reserved, handle) : handle)
  const publicRoutes = inFlight.track(createPublic(core.ctx), refuse(jsonLabel))
  let closed: Promise<void> | undefined
  return {
    ctx: core.ctx,
    routes: outsideConsole((req, res, next) => (isPublicPath(req.url ?? '') ? publicRoutes(req, res, next) : next())),
    storedWords,
    rest({ vendor, basePath, findKey, rates }) {
      const storeUse = (id: string, now: number) => noteApiKeyUse(core.ctx.store.db, id, now)
      const rest = createRest(core.ctx, {
        vendor,
        access: keyAccess(core.ctx, { vendor, findKey, storeUse, ...(rates && { rates }) }),
        routes,
        operations,
      })
      const tracked = inFlight.track(serveRest(core.ctx, rest), refuse(vendorLabel(vendor, '1.3')))
      return {
        handle: outsideConsole(mount(basePath, tracked)),
        fetchAt: (baseUrl) => createLocalFetch({ rest, inFlight, clock: core.ctx.clock }, baseUrl),
        call: createLocalCall({ rest, inFlight }),
      }
    },
    console(vendor, openIdIssuer) {
      if (!address) return undefined
      const api = serveRest(core.ctx, createConsoleRest(core.ctx, { vendor, address, openIdIssuer }))
      return createConsole(address, inFlight.track(api, refuse(vendorLabel(vendor, '1.4'))))
    },
    isReserved: (req) => reserved !== undefined && isOfHost(req, reserved),
    drain({ serveNew = false } = {}) {
      core.endWaiting()
      if (!serveNew) inFlight.refuseNew()
    },
    close: () => (closed ??= core.close(() => inFlight.drain())),
  }
}

/** Loads the console for its first request: it is a fifth of the code, and many services never get one. */
function createConsoleRest(ctx: ServiceContext, served: ServedConsole): Rest {
  const load = loadOnce(async () => (await import('./routes/console-rest.ts')).createConsoleRest(ctx, served))
  return async (request) => (await load())(request)
}

const sharedOrigin =
  'the console shares its origin: an attacker who runs a script in the authenticator or another app of that origin can act as ' +
  'an administrator. Give the console a host name of its own'

function createRates({ limits, clock }: ServiceContext): Rates {
  const limiter = (name: string) => createRateLimiter(name, limits.requestsPerSecond, clock)
  return { byKey: limiter('key'), byAddress: limiter('address') }
}

const closing = new ApiProblem('api.error.unavailable', undefined, {
  headers: { Connection: 'close', 'Retry-After': '1', [unprocessedHeader]: 'closing' },
})

/** Random, so that callers that were refused together do not retry together. */
function overloaded({ random }: ServiceContext): ApiProblem {
  const [byte = 0] = random(1)
  const headers = { 'Retry-After': String(1 + (byte % maxRetryAfter)), [unprocessedHeader]: 'overload' }
  return new ApiProblem('api.error.unavailable', undefined, { headers })
}

/** Seconds. */
const maxRetryAfter = 3

type ParsedOptions = ReturnType<typeof ServiceOptions.parse>

function observersOf({ logRequests, logger }: ParsedOptions, metrics: Metrics | undefined): Observer[] {
  const log: Observer = { ...noObserver, answered: (request) => logger.info(request, 'request') }
  return [...(logRequests ? [log] : []), ...(metrics ? [metrics.observer] : [])]
}
