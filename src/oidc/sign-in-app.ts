import type { IncomingMessage, ServerResponse } from 'node:http'

import type { RequestHandler } from 'express'

import type { Verified } from '../challenge/challenge.ts'
import { createMemoryChallengeStore } from '../challenge/challenge-store.ts'
import { createConnector } from '../challenge/service.ts'
import type { ConnectedService } from '../challenge/service.ts'
import { createClient } from '../client/client.ts'
import { checkEpoch, verifiedOf } from '../express/request/verified.ts'
import type { RequestContext } from '../express/request/context.ts'
import { contextOf } from '../express/request/context.ts'
import { mfa } from '../express/mfa.ts'
import type { MfaOptions } from '../express/options/mfa-options.ts'
import { readMfaState } from '../express/session/session-state.ts'
import type { OidcClientKind } from '../admin-contract/oidc-client-settings.ts'
import { cutText } from '../ground/cut-text.ts'
import type { ServiceHandle } from '../service-handle.ts'
import type { OidcState } from '../service/oidc-state.ts'
import { appPath, interactionPath, prefixOf } from './addresses.ts'
import { hostCookie } from './cookie-names.ts'
import { entraFactors } from './entra-context.ts'
import type { ResolvedOidcOptions } from './options.ts'
import { pageOptionsOf } from './options.ts'
import type { Packages } from './packages.ts'
import type { ProviderSession } from './web-session.ts'
import { personIn, sessionOf } from './web-session.ts'

/** The web session and the second step of the clients of one kind in one domain, each apart from all others. */
export interface SignInApp {
  readonly domainId: string
  readonly kind: OidcClientKind
  /** The name of the domain, which pages and devices show. */
  readonly name: string
  /** Reads the web session, and has `mfa()` answer its own pages. */
  readonly handlers: readonly RequestHandler[]
  /** The service, as this domain sees it. */
  connect(): Promise<ConnectedService>
  /** Prepares the request as `handlers` do, where none of them answers. */
  enter(req: IncomingMessage, res: ServerResponse): Promise<Entered>
  /** Ends the web session of this browser. */
  end(req: IncomingMessage, res: ServerResponse): Promise<void>
}

/** A request after the web session and `mfa()` were applied. */
export interface Entered {
  readonly context: RequestContext
  readonly session: ProviderSession
  /** The second step of this browser for this domain, unless it has ended. */
  readonly verified: Verified | undefined
}

export interface SignInApps {
  /** @returns undefined if there is no such domain. */
  find(kind: OidcClientKind, domainId: string): Promise<SignInApp | undefined>
  /** Whether it was found before: it costs nothing to find it again. */
  isKnown(kind: OidcClientKind, domainId: string): boolean
}

export interface SignInAppsOptions {
  readonly options: ResolvedOidcOptions
  readonly state: OidcState
  readonly packages: Packages
  /** The keys of cookies, the newest first. The array changes with a rotation. */
  readonly cookieKeys: readonly string[]
}

/** Creates each app when a request first needs it. */
export function createSignInApps(input: SignInAppsOptions): SignInApps {
  const apps = new Map<string, Promise<SignInApp | undefined>>()
  const found = new Set<string>()
  return {
    find(kind, domainId) {
      const key = `${kind}/${domainId}`
      const known = apps.get(key)
      if (known) return known
      const created = createSignInApp(input, kind, domainId)
      apps.set(key, created)
      // Neither a failure nor an unknown domain may stay: anyone can name domains that do not exist.
      const forget = () => void apps.delete(key)
      created.then((app) => (app ? found.add(key) : forget()), forget)
      return created
    },
    isKnown: (kind, domainId) => found.has(`${kind}/${domainId}`),
  }
}

async function createSignInApp(
  { options, state, packages, cookieKeys }: SignInAppsOptions,
  kind: OidcClientKind,
  domainId: string,
): Promise<SignInApp | undefined> {
  if (!/^[\da-f]{40}$/.test(domainId)) return undefined
  const service = state.handleFor(domainId)
  const name = await nameOf(service)
  if (name === undefined) return undefined
  const { timeout, clock } = options
  const secure = options.issuer.startsWith('https:')
  const session = packages.session({
    name: hostCookie(options.issuer, `${kind}-${domainId}`),
    secret: cookieKeys as string[],
    store: Object.assign(new packages.session.MemoryStore(), state.sessionStore(`${kind}/${domainId}`)),
    resave: false,
    saveUninitialized: false,
    // The address of the issuer decides whether cookies are secure: `proxy` reads what `asIssuer()` has written.
    proxy: true,
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure },
  })
  const second = mfa({
    ...pageOptionsOf(options),
    ...policies[kind],
    service,
    appName: cutText(name, 64),
    path: appPath(kind, domainId),
    publicUrl: options.issuer,
    gate: false,
    recoveryCodes: false,
    user: (req) => personIn(sessionOf(req), clock.now()),
    mayEnroll: (req) => sessionOf(req).vouched === true,
    logout: (req, res) => leave(req, res, options),
  })
  const handlers: readonly RequestHandler[] = [session, second]
  const connect = createConnector(() => service.connect(), {
    timeout,
    maxConcurrency: 64,
    clock,
    challengeStore: createMemoryChallengeStore(clock),
  })
  return {
    connect,
    domainId,
    kind,
    name,
    handlers,
    async end(req, res) {
      // express-session reads no second web session in one request.
      const { session: before, sessionID, sessionStore } = req as SessionRequest
      Object.assign(req, { session: undefined, sessionID: undefined, sessionStore: undefined })
      await runHandler(session, req, res)
      await destroySession(req)
      Object.assign(req, { session: before, sessionID, sessionStore })
    },
    async enter(req, res) {
      for (const handler of handlers) await runHandler(handler, req, res)
      const context = contextOf(req)
      if (!context) throw new TypeError('mfa() has not seen the request')
      const mfaState = readMfaState(req, context)
      if (context.user) await checkEpoch(mfaState, context, context.user)
      return { context, session: sessionOf(req), verified: context.user && verifiedOf(mfaState, context) }
    },
  }
}

/** @throws where the store fails: the person must not be told that they are signed out. */
function destroySession(req: IncomingMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    sessionOf(req).destroy((error) =>
      error ? reject(new Error('The web session could not be ended.', { cause: error })) : resolve(),
    )
  })
}

/** In a whole sign-in, nobody has checked a password: what is asked for by a name alone would be asked of strangers. */
const policies: Readonly<Record<OidcClientKind, Partial<MfaOptions>>> = {
  external: {},
  entra: { factors: [...entraFactors] },
  ciba: {},
  'sign-in': { factors: ['passkey', 'bypass'], phishingResistant: 'require', selfEnrollment: false },
}

/** @returns undefined if there is no such domain. */
async function nameOf(service: ServiceHandle): Promise<string | undefined> {
  const connection = await service.connect().catch(unlessUnknown)
  if (!connection) return undefined
  const { domainId, ...clientOptions } = connection
  return (await createClient(clientOptions).domains.get(domainId)).name
}

function unlessUnknown(error: unknown): undefined {
  if (error instanceof RangeError) return undefined
  throw error
}

/** "Not you? Sign out" gives up the authorization request, so that the client learns of it. */
function leave(
  req: IncomingMessage,
  res: { redirect(status: number, url: string): void },
  options: ResolvedOidcOptions,
) {
  const session = sessionOf(req)
  const { interaction } = session
  session.userId = undefined
  session.person = undefined
  const prefix = prefixOf(options.issuer)
  res.redirect(303, interaction === undefined ? `${prefix}/` : `${prefix}${interactionPath(interaction)}/cancel`)
}

type SessionRequest = IncomingMessage & { session?: unknown; sessionID?: unknown; sessionStore?: unknown }

/** Runs one handler of Express. @throws whatever it passes on as an error. */
function runHandler(handler: RequestHandler, req: IncomingMessage, res: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    handler(req as Parameters<RequestHandler>[0], res as Parameters<RequestHandler>[1], (error?: unknown) =>
      error === undefined || error === null
        ? resolve()
        : reject(error instanceof Error ? error : new Error('the request was refused', { cause: error })),
    )
  })
}
