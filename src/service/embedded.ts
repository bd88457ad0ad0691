import { createHash, randomUUID } from 'node:crypto'

import { jsonLabel } from './engine/http/answer.ts'
import { SetupError } from '../service-handle.ts'
import type { AppFacts, Connection, ServiceHandle } from '../service-handle.ts'
import { requireNode } from '../ground/node-version.ts'
import { newApiKey } from './features/domains/api-keys.ts'
import { openAppDomain } from './app-domain.ts'
import { hashApiKey } from './engine/http/authenticate.ts'
import { answerError } from './engine/http/errors.ts'
import { createFailureLog } from './engine/monitoring/failure-log.ts'
import type { FailureLog } from './engine/monitoring/failure-log.ts'
import { EmbeddedOptions } from './options.ts'
import { isPublicPath } from '../contract/public-paths.ts'
import { parseOptions } from '../contract/validate.ts'
import { ApiProblem } from './engine/base/problem.ts'
import { offerConsole } from './console-for.ts'
import { issuerOf, offerOpened } from './opened-for.ts'
import { openService } from './service.ts'
import type { OpenedService } from './service.ts'
import { StoreUnavailableError } from './engine/base/store-errors.ts'

/** RFC 6761 reserves `.invalid`: without the `fetch` beside it, this address is never reached, and the key is never sent. */
const baseUrl = 'https://embedded.invalid/api'

/** An open service. */
interface Open {
  readonly service: OpenedService
  readonly connection: Connection
  /** The REST interface without `fetch`. */
  readonly call: ReturnType<OpenedService['rest']>['call']
  readonly routes: ServiceHandle['routes']
  readonly console: ServiceHandle['routes'] | undefined
  saveKeys(file: string): Promise<void>
  close(): Promise<void>
}

/** The handle for `mfa()`, and what only an embedded service offers. */
export interface EmbeddedService extends ServiceHandle {
  /**
   * Writes the keys that the service holds to a new file, mode 0600: for when the key file is lost while the app runs.
   * @throws {Error} with code `EEXIST` when the file exists.
   */
  saveKeys(file: string): Promise<void>
}

/**
 * The service inside the app that uses it: `mfa({ service: embedded({ database: 'mfa.sqlite' }) })`. It opens as soon as
 * `mfa()` is called with it, or when it is first needed. It keeps no process alive.
 *
 * @throws {TypeError} where an option is wrong.
 */
export function embedded(embeddedOptions: EmbeddedOptions): EmbeddedService {
  requireNode('embedded()')
  const options = parseOptions(EmbeddedOptions, 'embedded', { ...keysFromEnv(), ...embeddedOptions })
  let opening: Promise<Open> | undefined
  let app: AppFacts | undefined
  let closed = false
  const failures = createFailureLog(options)
  let tellOpen: (service: Open) => void = () => {}
  const whenOpen = new Promise<Open>((resolve) => (tellOpen = resolve))

  const open = (): Promise<Open> => {
    if (closed) return Promise.reject(new Error('The embedded service is closed.'))
    opening ??= openEmbedded(options, app, { openIdIssuer: () => issuerOf(handle) }).then(
      (service) => {
        tellOpen(service)
        return service
      },
      (error: unknown) => {
        // The next caller may succeed.
        opening = undefined
        throw isOutage(error) ? error : setupError(error)
      },
    )
    return opening
  }

  const handle: EmbeddedService = {
    id: idOf(options),
    routes(req, res, next) {
      // Whatever is wrong with the service, the app's other pages still work.
      if (!isPublicPath(req.url ?? '')) return next()
      void open().then(
        (service) => service.routes(req, res, next),
        (error: unknown) => answerError(res, unavailable(error), jsonLabel, failures),
      )
    },
    async connect(facts) {
      app ??= facts
      return (await open()).connection
    },
    saveKeys: async (file) => (await open()).saveKeys(file),
    async close() {
      closed = true
      const service = await opening?.catch(() => undefined)
      await service?.close()
    },
  }
  const offered = ({ service }: Open) => ({ service, vendor: options.vendor })
  offerOpened(handle, async () => offered(await open()), whenOpen.then(offered))
  if (options.console) offerConsole(handle, serveConsole(open, failures))
  return handle
}

/** Opens the service when the console is first needed. */
function serveConsole(open: () => Promise<Open>, failures: FailureLog): ServiceHandle['routes'] {
  return (req, res, next) =>
    void open().then(
      ({ console }) => (console ? console(req, res, next) : next()),
      (error: unknown) => answerError(res, unavailable(error), jsonLabel, failures),
    )
}

/** Failures that can end without intervention: the database cannot be reached, or written to, at the moment. */
function isOutage(error: unknown): boolean {
  if (error instanceof StoreUnavailableError) return true
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  // PostgreSQL's error classes 08 and 53, and 57P (appendix A of its manual).
  return /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENOSPC|EIO|SQLITE_(BUSY|FULL|IOERR)|08|53|57P)/.test(code)
}

function setupError(cause: unknown): SetupError {
  if (cause instanceof SetupError) return cause
  return new SetupError(cause instanceof Error ? cause.message : String(cause), { cause })
}

/** Known before anything is opened, and also while opening fails. A database in memory is a new one each time. */
function idOf({ database, ...rest }: ReturnType<typeof EmbeddedOptions.parse>): string {
  // Not the app's name, and not what an unnamed domain is called: when these change, users stay signed in.
  const { organization = 'Organization', domain = 'Sign-in' } = rest
  const where = database === ':memory:' ? randomUUID() : withoutSecrets(database)
  return createHash('sha256')
    .update(JSON.stringify([where, organization, domain]))
    .digest('base64url')
}

/** The part of an address that names the database. */
function withoutSecrets(database: string): string {
  const url = URL.parse(database)
  return url ? url.host + url.pathname : database
}

/** Read here, so that an app configured by environment variables need not pass them on. */
const keysFromEnv = () => (process.env.MFA_KEYS ? { keys: process.env.MFA_KEYS } : {})

/** The surrounding app manages its users. */
const ownKey = { id: 'embedded', role: 'admin', domainId: null } as const

const unavailable = (cause: unknown) => new ApiProblem('api.error.unavailable', undefined, { cause })

interface EmbeddedOpening {
  /** Without it, the environment decides whether a missing database is created. */
  readonly create?: boolean
  readonly openIdIssuer?: (() => string | undefined) | undefined
}

export async function openEmbedded(
  options: ReturnType<typeof EmbeddedOptions.parse>,
  { name: app, authenticatorUrl }: AppFacts = {},
  { openIdIssuer = () => undefined, ...opening }: EmbeddedOpening = {},
): Promise<Open> {
  const { organization, domain, ...rest } = options
  const coreOptions = { ...rest, authenticatorUrl: rest.authenticatorUrl ?? authenticatorUrl }
  const service = await openService(coreOptions, undefined, opening)
  try {
    const { organizationId, domainId } = await openAppDomain(service.ctx, { organization, domain, app })
    // Exists in this process only, and is accepted only by calls in this process.
    const apiKey = newApiKey(service.ctx)
    const key = { ...ownKey, hash: hashApiKey(apiKey), organizationId }
    const findKey = (hash: string) => Promise.resolve(hash === key.hash ? key : undefined)
    const { vendor } = options
    const { fetchAt, call } = service.rest({ vendor, basePath: '/api', findKey })
    return {
      service,
      connection: Object.freeze({ baseUrl, apiKey, domainId, vendor, fetch: fetchAt(baseUrl) }),
      call,
      routes: service.routes,
      console: service.console(vendor, openIdIssuer),
      saveKeys: service.ctx.keys.save,
      close: service.close,
    }
  } catch (error) {
    await service.close()
    throw error
  }
}
