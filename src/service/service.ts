import type { IncomingMessage, ServerResponse } from 'node:http'

import { Router } from 'express'

import { vendorLabel } from './http/answer.ts'
import { createAdministration } from './administration.ts'
import type { Administration } from './administration.ts'
import { routes } from './api/routes.ts'
import { createCore } from './core.ts'
import type { ServiceContext } from './context.ts'
import { answerError } from './http/errors.ts'
import type { FindKey } from './http/authenticate.ts'
import { createInFlight } from './http/in-flight.ts'
import { asHandle } from './http/handle.ts'
import type { Handle } from './http/handle.ts'
import { createRest } from './http/rest.ts'
import { parseOptions, ServiceOptions } from './options.ts'
import { ApiProblem } from './problem.ts'
import { createPublic } from './public.ts'
import { apiKeyByHash } from './store/organizations.ts'
import { openSqliteStore } from './store/sqlite.ts'

/** The service, open: what serves it is up to you. */
export interface Service {
  /** The REST interface below the base path. Passes on everything else. */
  readonly api: Handle
  /** The device protocol and the authenticator, for people's devices. Passes on everything else. */
  readonly routes: Handle
  /** Both, for a server of its own: `createServer(service.listener)`. */
  readonly listener: (req: IncomingMessage, res: ServerResponse) => void
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
  const opened = await openService(options)
  const api = opened.rest(options.basePath, (hash) => apiKeyByHash(opened.ctx.store.db, hash))
  const both = asHandle(Router().use(opened.routes, api))
  return {
    api,
    routes: opened.routes,
    listener: (req, res) => both(req, res, (error) => answerLast(error, res)),
    administration: createAdministration(opened.ctx),
    close: opened.close,
  }
}

/** A service whose REST interface is still to be given a door. */
export interface OpenedService {
  readonly ctx: ServiceContext
  readonly routes: Handle
  readonly rest: (basePath: string, findKey: FindKey) => Handle
  readonly close: () => Promise<void>
}

export async function openService(options: Omit<ParsedOptions, 'basePath'>): Promise<OpenedService> {
  const { vendor } = options
  const core = await createCore(await openSqliteStore(options.database), options)
  const refuse = new ApiProblem('api.error.unavailable', undefined, { headers: { Connection: 'close' } })
  const inFlight = createInFlight((res) => answerError(res, refuse, vendorLabel(vendor, '1.3'), core.ctx.logger))
  let closing: Promise<void> | undefined
  return {
    ctx: core.ctx,
    routes: inFlight.track(createPublic(core.ctx)),
    rest: (basePath, findKey) =>
      inFlight.track(asHandle(Router().use(basePath || '/', createRest(core.ctx, { vendor, findKey, routes })))),
    close: () => (closing ??= core.close(() => inFlight.drain())),
  }
}

type ParsedOptions = ReturnType<typeof ServiceOptions.parse>

/** Whatever is nowhere. */
function answerLast(error: unknown, res: ServerResponse): void {
  res.writeHead(error === undefined ? 404 : 400, { 'Content-Length': 0 }).end()
}
