import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Agent } from 'node:https'

import type { RequestHandler, Router } from 'express'

import { ExpressResponse } from '../express/framework/express-response.ts'
import { describe } from '../express/request/service-outage.ts'
import { isAsset, serveAsset } from '../express/pages/assets.ts'
import type { ReadAddress } from '../service/engine/context/service-context.ts'
import { createReadAddress } from '../service/engine/http/client-address.ts'
import { loadOnce } from '../service/engine/base/load-once.ts'
import { SetupError } from '../service-handle.ts'
import { announceIssuer } from '../service/opened-for.ts'
import type { OidcState } from '../service/oidc-state.ts'
import { oidcStateOf } from '../service/oidc-state.ts'
import { appAt, folder, ownUrl, PageKind, prefixOf } from './addresses.ts'
import { bindInteractions } from './bind-interactions.ts'
import { createBrowserBinding } from './browser-binding.ts'
import { endWebSessionsOnLogout } from './end-web-sessions.ts'
import type { FetchFrom } from './entra-keys.ts'
import { createTenantKeys } from './entra-keys.ts'
import { describeEntraFlow } from './entra-metadata.ts'
import { entraRoutes } from './entra-routes.ts'
import { replaceFormPosts } from './form-post.ts'
import { sendPage } from './interaction.ts'
import { interactionRoutes } from './interaction-routes.ts'
import { asIssuer } from './issuer-request.ts'
import type { OidcOptions, ResolvedOidcOptions } from './options.ts'
import { resolveOidcOptions } from './options.ts'
import { loadPackages } from './packages.ts'
import type { Packages } from './packages.ts'
import { createPages } from './pages.ts'
import type { ProviderPages } from './pages.ts'
import { createProvider } from './provider.ts'
import type { SignInApps } from './sign-in-app.ts'
import { createSignInApps } from './sign-in-app.ts'

/** What `oidc()` returns: a handler for `app.use()` of Express, or for a server of node:http. */
export interface OidcHandler {
  (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void): void
  /** Ends what it watches; the service stays open. */
  close(): void
}

/**
 * Makes a service an OpenID provider: its users sign in to apps and identity providers that speak OpenID Connect. Answers the addresses
 * below `/oidc/` of the issuer and its metadata, and passes on everything else. Put it before the app's own sessions.
 *
 * Needs the packages `oidc-provider` and `express-session`, which are loaded with the first request.
 *
 * @throws {TypeError} naming the option that is wrong; {SetupError} if the service is none of ours.
 *
 * @example
 * const service = embedded({ database: 'mfa.sqlite' })
 * app.use(oidc({ service, issuer: 'https://id.example' }))
 */
export function oidc(options: OidcOptions): OidcHandler {
  const resolved = resolveOidcOptions(options)
  return createOidc(resolved, oidcStateOf(resolved.service))
}

type Next = (error?: unknown) => void

/** How the provider reaches others, where tests decide it. */
export interface Connections {
  /** Reads the keys of Microsoft Entra. */
  readonly fetchFrom?: FetchFrom | undefined
  /** Reaches the clients that are told of answers. */
  readonly pingAgent?: Agent | undefined
}

/** Creates the handler with a state that is given: tests replace parts of it. */
export function createOidc(
  options: ResolvedOidcOptions,
  state: OidcState,
  { fetchFrom = fetch, pingAgent }: Connections = {},
): OidcHandler {
  state.startPings(pingAgent)
  const issuer = new URL(options.issuer)
  announceIssuer(options.service, options.issuer)
  const prefix = prefixOf(options.issuer)
  const pages = createPages(options)
  const open = loadOnce(() => openProvider(options, state, { pages, fetchFrom }))

  const handler = (req: IncomingMessage, res: ServerResponse, next: Next = notFound(res)) => {
    const url = ownUrl(req.url ?? '/', prefix)
    if (url === undefined) return next()
    // That middleware would store our web session as its own.
    if ((req as { session?: unknown }).session !== undefined) return next(new SetupError(sessionComesLater))
    serve(req, res, { url, next }).catch(next)
  }

  async function serve(req: IncomingMessage, res: ServerResponse, { url, next }: { url: string; next: Next }) {
    const { app, apps, readAddress } = await open()
    const wait = isCounted(apps, url) ? await state.admit(callerAddress(req, readAddress)) : 0
    if (wait > 0) return tooMany(res, wait)
    const restore = asIssuer(req, issuer, url)
    app(req, res, (failure?: unknown) => {
      const goOn = (error?: unknown) => {
        restore()
        next(error)
      }
      if (failure === undefined || failure === null) return goOn()
      answerFailure(failure, req, res).then(restore, goOn)
    })
  }

  async function answerFailure(failure: unknown, req: IncomingMessage, res: ServerResponse): Promise<void> {
    // Express cannot decode the address: nobody was led there.
    if (failure instanceof URIError) return sendPage(res, await pages.expired(req))
    options.logger.error(`oidc: ${describe(failure)}`)
    if (res.headersSent) return void res.destroy()
    sendPage(res, await pages.unavailable(req))
  }

  return Object.assign(handler, {
    close() {
      announceIssuer(options.service, undefined)
      state.close()
    },
  })
}

/** Pages for people have the limits of `mfa()`, and their files and streams would spend a limit of all people at an address. */
function isCounted(apps: SignInApps, url: string): boolean {
  if (url.startsWith(`${folder}/assets/`)) return false
  const app = appAt(url)
  // Each domain that does not exist costs a query.
  return app === undefined || !apps.isKnown(app.kind, app.domainId)
}

/** A request of Express knows the address behind the proxies that the app trusts. */
function callerAddress(req: IncomingMessage, readAddress: ReadAddress): string | undefined {
  const { ip } = req as { ip?: string | undefined }
  return ip ?? readAddress(req) ?? undefined
}

function tooMany(res: ServerResponse, wait: number): void {
  res.statusCode = 429
  res.setHeader('Retry-After', String(wait))
  res.setHeader('Cache-Control', 'no-store')
  res.end()
}

const sessionComesLater =
  'oidc: put app.use(oidc(…)) before app.use(session(…)) of the app: the provider has web sessions of its own'

const notFound = (res: ServerResponse) => () => {
  res.statusCode = 404
  res.end()
}

type App = (req: IncomingMessage, res: ServerResponse, next: Next) => void

interface Opened {
  readonly app: App
  readonly apps: SignInApps
  readonly readAddress: ReadAddress
}

interface Opening {
  readonly pages: ProviderPages
  readonly fetchFrom: FetchFrom
}

async function openProvider(
  options: ResolvedOidcOptions,
  state: OidcState,
  { pages, fetchFrom }: Opening,
): Promise<Opened> {
  const packages = await loadPackages()
  const now = () => options.clock.now()
  let keys = await state.keys()
  const cookieKeys = [...keys.cookieKeys]
  const binding = createBrowserBinding(options.issuer, cookieKeys)
  const apps = createSignInApps({ options, state, packages, cookieKeys })
  const create = () => {
    const created = createProvider({ options, state, packages, apps, pages, binding, now }, keys)
    bindInteractions(created, { binding, pages, packages })
    replaceFormPosts(created, pages)
    describeEntraFlow(created)
    endWebSessionsOnLogout(created, apps)
    return { provider: created, callback: created.callback() }
  }
  let current = create()
  state.onKeysChanged((changed) => {
    keys = changed
    // The middleware of the web sessions reads this array with each request.
    cookieKeys.splice(0, cookieKeys.length, ...keys.cookieKeys)
    current = create()
  })

  const router = packages.express.Router()
  router.get(`${folder}/assets/:file`, serveFiles(pages))
  const input = { state, apps, pages, binding, now, options, packages, provider: async () => current.provider }
  router.use(entraRoutes({ ...input, tenantKeys: createTenantKeys(fetchFrom, now), keys: () => keys }))
  router.use(interactionRoutes(input))
  serveApps(router, apps)
  router.use((req, res) => {
    // oidc-provider finds its own addresses by this one.
    req.originalUrl = prefixOf(options.issuer) + req.url
    void current.callback(req, res)
  })
  const readAddress = createReadAddress(options.trustProxy)
  return { app: inExpress(router, packages.express, options), apps, readAddress }
}

function serveFiles(pages: ProviderPages): RequestHandler {
  return (req, res, next) => {
    const below = req.path.slice(folder.length)
    if (isAsset(req, below)) serveAsset(req, new ExpressResponse(res), below, pages.options)
    else next()
  }
}

/** The pages of the second step in each domain. */
function serveApps(router: Router, apps: SignInApps): void {
  router.use(`${folder}/:kind/:domainId`, (req, res, next) => {
    serveApp(apps, req, res, next).catch(next)
  })
}

async function serveApp(apps: SignInApps, ...[req, res, next]: Parameters<RequestHandler>): Promise<void> {
  const { kind, domainId } = req.params
  const { data: pageKind } = PageKind.safeParse(kind)
  const app = pageKind && (await apps.find(pageKind, String(domainId)))
  if (!app) return next()
  // mfa() knows its pages by their whole path.
  req.url = req.originalUrl
  req.baseUrl = ''
  run(app.handlers, req, res, next)
}

function run(
  [handler, ...rest]: readonly RequestHandler[],
  req: Parameters<RequestHandler>[0],
  res: Parameters<RequestHandler>[1],
  next: Parameters<RequestHandler>[2],
): void {
  if (!handler) return next()
  handler(req, res, (error?: unknown) => (error === undefined ? run(rest, req, res, next) : next(error)))
}

/** A server without Express gets an app of its own around the router. */
function inExpress(router: Router, express: Packages['express'], { trustProxy }: ResolvedOidcOptions): App {
  const app = express()
  app.disable('x-powered-by')
  if (trustProxy !== undefined) app.set('trust proxy', trustProxy)
  app.use(router)
  return (req, res, next) => {
    const handle = 'app' in req ? router : app
    ;(handle as unknown as App)(req, res, next)
  }
}
