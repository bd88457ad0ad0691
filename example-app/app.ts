import { fileURLToPath } from 'node:url'

import express, { Router } from 'express'
import type { ErrorRequestHandler, Express, RequestHandler } from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { z } from 'zod'

import { addAccountPages } from './account-pages.ts'
import { Account, createAccounts } from './accounts.ts'
import { openDatabase } from './database.ts'
import { createNotices } from './notices.ts'
import { createPages } from './pages.ts'
import type { Pages } from './pages.ts'
import { requireSameOrigin } from './same-origin.ts'
import { SessionStore } from './session-store.ts'
import { addSignIn, addSignOut, addSignUp, createLogin } from './sign-in.ts'

export interface ExampleAppOptions {
  /** File of the app's own accounts and web sessions, or `:memory:`. */
  readonly database: string
  /** Without one, mfa() takes it from `MFA_BASE_URL`, `MFA_API_KEY` and `MFA_DOMAIN_ID`. */
  readonly service?: MfaOptions['service']
  /** Signs the cookie of the web session. */
  readonly sessionSecret: string
  /** The app's address as browsers see it. */
  readonly publicUrl: string
  /** Takes what visitors are not told. */
  readonly logger?: NonNullable<MfaOptions['logger']>
  /** Whether people who have set up a first device are asked about recovery codes. */
  readonly recoveryCodes?: boolean
  /** For tests, which move time by hand. */
  readonly clock?: NonNullable<MfaOptions['clock']>
}

/** An app with accounts of its own, and a second factor on top. */
export function createExampleApp(options: ExampleAppOptions): { app: Express; close: () => void } {
  const { publicUrl, service, clock, logger, recoveryCodes = true } = options
  const now = () => clock?.now() ?? Math.floor(Date.now() / 1000)
  const database = openDatabase(options.database)
  const accounts = createAccounts(database)
  const store = new SessionStore(database, now)
  const notices = createNotices(database)
  const login = createLogin(accounts)
  const pages = createPages()
  const routes = Router()
  addSignUp(routes, accounts, pages)
  addSignIn(routes, login, pages)
  addSignOut(routes)
  addAccountPages(routes, { accounts, notices, store, pages })

  const app = express().disable('x-powered-by')
  // With https, something in front of us ends it: only from this machine is it believed.
  if (publicUrl.startsWith('https:')) app.set('trust proxy', 'loopback')

  app.use(express.static(fileURLToPath(new URL('public', import.meta.url))))
  app.use(webSession(options, store))
  app.use(login.session())
  app.use(
    mfa({
      ...(service && { service }),
      ...(clock && { clock }),
      ...(logger && { logger }),
      publicUrl,
      user: (req) => factsOf(Account.optional().parse(req.user)),
      provision: true,
      logoutPath: '/logout',
      appName: 'Example',
      recoveryCodes,
      onEvent: (event) => notices.take(event),
    }),
  )
  app.use(requireSameOrigin(publicUrl, pages))
  app.use(express.urlencoded({ extended: false, limit: '10kb' }))
  app.use(routes)
  app.use((_req, res) => pages.problem(res, 404, 'There is no such page', 'Check the address, or start again at home.'))
  app.use(failure(pages, logger))
  return { app, close: () => database.close() }
}

/** What the service is told of an account. Its id is the app's own business. */
function factsOf(account: Account | undefined) {
  return account && { username: account.username, name: account.name, email: account.email }
}

function webSession({ sessionSecret, publicUrl }: ExampleAppOptions, store: SessionStore): RequestHandler {
  return session({
    name: 'example',
    secret: sessionSecret,
    store,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') },
  })
}

/** The one place where an error becomes a page: what went wrong is for the log, not for the visitor. */
function failure(pages: Pages, logger: ExampleAppOptions['logger']): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error)
    const refusal = Refusal.safeParse(error)
    if (refusal.success) {
      return pages.problem(res, refusal.data.status, 'That could not be read', 'Go back and try once more.')
    }
    logger?.error(error instanceof Error ? (error.stack ?? error.message) : String(error))
    pages.problem(res, 500, 'Something went wrong', 'It is our fault, not yours. Try again in a moment.')
  }
}

/** What the parsers of Express refuse carries its status, and says that it may be told. */
const Refusal = z.object({ status: z.int().min(400).max(499), expose: z.literal(true) })
