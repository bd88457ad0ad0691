import { fileURLToPath } from 'node:url'

import express, { Router } from 'express'
import type { ErrorRequestHandler, Express, RequestHandler } from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { z } from 'zod'

import { addAccountPages } from './account-pages.ts'
import { Account, createAccounts } from './accounts.ts'
import { openDatabase } from './storage/database.ts'
import { createNotices } from './notices.ts'
import { createPages } from './pages.ts'
import type { Pages } from './pages.ts'
import { requireSameOrigin } from './same-origin.ts'
import type { PasswordCost } from './passwords.ts'
import { addTransferPage } from './transfer-page.ts'
import { SessionStore } from './storage/session-store.ts'
import { addSignIn, addSignOut, addSignUp, createLogin } from './sign-in.ts'

export interface ExampleAppOptions {
  /** The database file of the app's accounts and web sessions, or `:memory:`. */
  readonly database: string
  /** By default, mfa() reads `MFA_BASE_URL`, `MFA_API_KEY` and `MFA_DOMAIN_ID`. */
  readonly service?: MfaOptions['service']
  /** Signs the cookie of the web session. */
  readonly sessionSecret: string
  /** The app's address as browsers see it. */
  readonly publicUrl: string
  /** Logs the details of errors, which visitors do not see. */
  readonly logger?: NonNullable<MfaOptions['logger']>
  /** Whether people are offered recovery codes after they set up their first device. */
  readonly recoveryCodes?: boolean
  /** Replaced in tests, as is the clock: hashing a password takes longer than all of a sign-in's other steps. */
  readonly passwordCost?: PasswordCost
  readonly clock?: NonNullable<MfaOptions['clock']>
}

/** An app with its own accounts, and a second factor. */
export function createExampleApp(options: ExampleAppOptions): { app: Express; close: () => void } {
  const { publicUrl, service, clock, logger, recoveryCodes = true } = options
  const now = () => clock?.now() ?? Math.floor(Date.now() / 1000)
  const database = openDatabase(options.database)
  const accounts = createAccounts(database, options.passwordCost)
  const store = new SessionStore(database, now)
  const notices = createNotices(database)
  const login = createLogin(accounts)
  const pages = createPages()
  const routes = Router()
  addSignUp(routes, accounts, pages)
  addSignIn(routes, login, pages)
  addSignOut(routes)
  addAccountPages(routes, { accounts, notices, store, pages })
  addTransferPage(routes, pages)

  const app = express().disable('x-powered-by')
  // With https, a proxy may terminate TLS: its headers are trusted only from this machine.
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
      user: (req) => toMfaUser(Account.optional().parse(req.user)),
      provision: true,
      logoutPath: '/logout',
      appName: 'Example',
      logo: '/icon.svg',
      recoveryCodes,
      onEvent: (event) => notices.record(event),
    }),
  )
  app.use(requireSameOrigin(publicUrl, pages))
  app.use(express.urlencoded({ extended: false, limit: '10kb' }))
  app.use(routes)
  app.use((_req, res) => pages.problem(res, 404, 'Page not found', 'Check the address, or go to the home page.'))
  app.use(handleErrors(pages, logger))
  return { app, close: () => database.close() }
}

/** The part of an account that the service gets to see. The app's own id is not part of it. */
function toMfaUser(account: Account | undefined) {
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

/** Turns errors into pages. The details go to the log, not to the visitor. */
function handleErrors(pages: Pages, logger: ExampleAppOptions['logger']): ErrorRequestHandler {
  return (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error)
    const badRequest = BadRequest.safeParse(error)
    if (badRequest.success) {
      return pages.problem(res, badRequest.data.status, 'Invalid request', 'Go back and try again.')
    }
    logger?.error(error instanceof Error ? (error.stack ?? error.message) : String(error))
    pages.problem(res, 500, 'Something went wrong', 'It isn’t your fault. Try again in a moment.')
  }
}

/** The errors of Express parsers: they have a status, and `expose` when visitors may see it. */
const BadRequest = z.object({ status: z.int().min(400).max(499), expose: z.literal(true) })
