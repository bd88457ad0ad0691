import type { IncomingMessage, ServerResponse } from 'node:http'

import { Router } from 'express'

import { createAdministration } from './administration.ts'
import type { Administration } from './administration.ts'
import { routes } from './api/routes.ts'
import { createCore } from './core.ts'
import type { Core } from './core.ts'
import type { ServiceContext } from './context.ts'
import { documents } from './front/documents.ts'
import { createFront } from './front/front.ts'
import { health, readiness } from './front/health.ts'
import { createMetrics } from './front/metrics.ts'
import type { Metrics } from './front/metrics.ts'
import { jsonLabel, vendorLabel } from './http/answer.ts'
import type { Label } from './http/answer.ts'
import { answerError } from './http/errors.ts'
import type { FindKey } from './http/authenticate.ts'
import { createInFlight } from './http/in-flight.ts'
import { asHandle } from './http/handle.ts'
import type { Handle } from './http/handle.ts'
import { createRateLimiter } from './http/rate-limit.ts'
import { createRest } from './http/rest.ts'
import type { Rates } from './http/rest.ts'
import { nobody, tellAll } from './observer.ts'
import type { Observer } from './observer.ts'
import { createMailer } from './mail/mailer.ts'
import { isAddress, needKeys } from './keys/key-source.ts'
import { openKeys } from './keys/open-keys.ts'
import { parseOptions, ServiceOptions } from './options.ts'
import { ApiProblem } from './problem.ts'
import { createPublic, isPublic } from './public.ts'
import { apiKeyByHash } from './store/api-keys.ts'
import { openPostgresStore } from './store/postgres.ts'
import { openSqliteStore } from './store/sqlite.ts'
import type { Store } from './store/store.ts'

/** The service, open: what serves it is up to you. */
export interface Service {
  /** The REST interface below the base path. Passes on everything else. */
  readonly api: Handle
  /** The device protocol and the authenticator, for people's devices. Passes on everything else. */
  readonly routes: Handle
  /** Both, and what a server of its own has beside them: `/healthz`, `/readyz`, `/docs`, and `openapi.json`. */
  readonly listener: (req: IncomingMessage, res: ServerResponse) => void
  /** `/metrics` alone, without its token, for another port; only with the option `metrics`. */
  readonly metrics: Service['listener'] | undefined
  readonly administration: Administration
  /** Answers what is held, waits for what is under way, closes the database. */
  close(): Promise<void>
}

/**
 * Opens a service on its database.
 * @throws {TypeError} where an option is wrong.
 * @example
 * const service = await createService({ database: 'mfa.sqlite' })
 * createServer(service.listener).listen(8787)
 */
export async function createService(given: ServiceOptions): Promise<Service> {
  const options = parseOptions(ServiceOptions, 'createService', given)
  const { basePath, vendor, logger } = options
  const metrics = options.metrics && (await createMetrics())
  const opened = await openService(options, tellAll(observersOf(options, metrics)))
  metrics?.watch(opened.ctx)
  const findKey: FindKey = (hash) => apiKeyByHash(opened.ctx.store.db, hash)
  const api = opened.rest(basePath, findKey, createRates(opened.ctx))
  const pages = [health, readiness(opened.ctx), ...documents({ vendor, basePath })]
  const guarded = options.metrics?.token === undefined ? [] : [metrics?.page(options.metrics.token) ?? []].flat()
  return {
    api,
    routes: opened.routes,
    listener: createFront({ logger }, { vendor, pages: [...pages, ...guarded], handles: [opened.routes, api] }),
    metrics: metrics && createFront({ logger }, { vendor, pages: [metrics.page()], handles: [] }),
    administration: createAdministration(opened.ctx),
    close: opened.close,
  }
}

/** A service whose REST interface is still to be given a door. */
export interface OpenedService {
  readonly ctx: ServiceContext
  readonly routes: Handle
  /** @param rates Without them callers may ask as often as they like. */
  readonly rest: (basePath: string, findKey: FindKey, rates?: Rates) => Handle
  readonly close: () => Promise<void>
}

export async function openService(options: CoreOptions, observer: Observer = nobody): Promise<OpenedService> {
  const { vendor, logger } = options
  const core = await openCore(options, observer)
  const inFlight = createInFlight()
  const refuse = (label: Label) => (res: ServerResponse) => answerError(res, closed, label, logger)
  const publicRoutes = inFlight.track(createPublic(core.ctx), refuse(jsonLabel))
  let closing: Promise<void> | undefined
  return {
    ctx: core.ctx,
    routes: (req, res, next) => (isPublic(req.url) ? publicRoutes(req, res, next) : next()),
    rest(basePath, findKey, rates) {
      const rest = asHandle(createRest(core.ctx, { vendor, findKey, routes, ...(rates && { rates }) }))
      const tracked = inFlight.track(rest, refuse(vendorLabel(vendor, '1.3')))
      return asHandle(Router().use(basePath || '/', tracked))
    },
    close: () => (closing ??= core.close(() => inFlight.drain())),
  }
}

function createRates({ limits, clock }: ServiceContext): Rates {
  const limiter = (name: string) => createRateLimiter(name, limits.requestsPerSecond, clock)
  return { byKey: limiter('key'), byAddress: limiter('address') }
}

async function openCore(options: CoreOptions, observer: Observer): Promise<Core> {
  needKeys(options)
  const mailer = options.smtp && (await createMailer(options.smtp, options.clock))
  const store = await openStore(options.database)
  try {
    const keys = await openKeys(store, options)
    return await createCore(store, { ...options, mailer, keys }, observer)
  } catch (error) {
    await store.close()
    throw error
  }
}

const openStore = (database: string): Promise<Store> =>
  isAddress(database) ? openPostgresStore(database) : openSqliteStore(database)

const closed = new ApiProblem('api.error.unavailable', undefined, { headers: { Connection: 'close' } })

type ParsedOptions = ReturnType<typeof ServiceOptions.parse>

/** What an embedded service has, too. */
type CoreOptions = Omit<ParsedOptions, 'basePath' | 'logRequests' | 'metrics'>

function observersOf({ logRequests, logger }: ParsedOptions, metrics: Metrics | undefined): Observer[] {
  const log: Observer = { ...nobody, answered: (request) => logger.info(request, 'request') }
  return [...(logRequests ? [log] : []), ...(metrics ? [metrics.observer] : [])]
}
