import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import express from 'express'
import type { Express, Request } from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { Strategy as LocalStrategy } from 'passport-local'
import { isVerified, mfa, requireMfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { embedded } from 'second-factor/service'
import type { EmbeddedOptions } from 'second-factor/service'
import { onTestFinished } from 'vitest'

import type { Clock } from '../../src/ground/clock.ts'
import { createDevice } from '../../src/device/index.ts'
import type { Account } from '../../src/device/index.ts'
import { createWatchedClock, quickHash } from '../service/start-service.ts'
import { type Browser, createBrowser } from './browser.ts'
import { closeForNext, listenAgain } from './listen-again.ts'

export type WebApp = Awaited<ReturnType<typeof startWebApp>>

export interface WebAppOptions {
  readonly mfa?: Partial<MfaOptions>
  readonly session?: Partial<session.SessionOptions>
  /** What the app does before anything else. */
  readonly before?: readonly express.RequestHandler[]
  /** What it does between its login and mfa(). */
  readonly beforeMfa?: readonly express.RequestHandler[]
  /** Routes of the test, behind the gate. */
  readonly routes?: (app: Express, passport: InstanceType<typeof Passport>) => void
  /** What passport.authenticate('local') is given beyond. */
  readonly login?: object
  /** Express's setting. */
  readonly trustProxy?: string | number | undefined
  /** Of its embedded service, beyond what tests need. */
  readonly service?: Partial<EmbeddedOptions>
  /** Of its service; in memory by default. */
  readonly database?: string | undefined
  /** Another Express than the newest. */
  readonly express?: typeof express
}

/** An app with a login of its own, gated by mfa() over a real service, on a real port. The password of all users is "secret". */
export async function startWebApp(options: WebAppOptions = {}) {
  const clock = createWatchedClock()
  const database = options.database ?? ':memory:'
  const service = embedded({ database, clock, pinHashCost: quickHash, ...options.service })
  const passport = createPassport()
  const trouble: string[] = []
  const app = (options.express ?? express)()
  if (options.trustProxy !== undefined) app.set('trust proxy', options.trustProxy)
  for (const handler of options.before ?? []) app.use(handler)
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false, ...options.session }))
  app.use(passport.session())
  for (const handler of options.beforeMfa ?? []) app.use(handler)
  app.use(
    mfa({
      service,
      clock,
      user: (req) => (req.user as { username: string; email: string } | undefined) ?? null,
      provision: true,
      logoutPath: '/logout',
      appName: 'Test',
      // Asked about in tests of their own: everywhere else the way in ends where it was to lead.
      recoveryCodes: false,
      logger: { info() {}, warn() {}, error: (message) => void trouble.push(message) },
      // A service on this machine is out of the reach of phones, so the app says where the authenticator is.
      ...(options.mfa?.service && 'baseUrl' in options.mfa.service && { authenticatorUrl: 'https://mfa.example' }),
      ...options.mfa,
    }),
  )
  app.post(
    '/login',
    express.urlencoded({ extended: false }),
    passport.authenticate('local', options.login ?? {}),
    (_req, res) => res.redirect(303, '/account'),
  )
  app.all('/logout', (req, res, next) => req.logout((error) => (error ? next(error) : res.redirect(303, '/'))))
  options.routes?.(app, passport)
  app.get('/danger', requireMfa({ maxAge: 300 }), (_req, res) => res.send('danger'))
  app.use(
    (req, res) => void res.json({ path: req.path, verified: isVerified(req), user: req.user ?? null, mfa: req.mfa }),
  )
  app.use((error: Error, _req: Request, res: express.Response, _next: express.NextFunction) => {
    res.status(500).send(error.message)
  })
  const server = createServer(app)
  await listenAgain(server)
  onTestFinished(async () => {
    await closeForNext(server)
    await service.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    settings: app,
    clock,
    service,
    trouble,
    browser: () => createBrowser(url),
    ...people(url, clock, trouble),
  }
}

function createPassport() {
  const passport = new Passport()
  passport.serializeUser((user, done) => done(null, (user as { username: string }).username))
  passport.deserializeUser((username: string, done) => done(null, { username, email: 'person@example.com' }))
  passport.use(
    new LocalStrategy((username, password, done) =>
      password === 'secret' ? done(null, { username, email: 'person@example.com' }) : done(null, false),
    ),
  )
  return passport
}

/** What people do with an app: sign in, set up a device, look at both. */
export function people(url: string, clock: Clock, trouble: readonly string[] = []) {
  const device = createDevice({ clock })

  async function signIn(browser: Browser, username: string): Promise<void> {
    const { status, text } = await browser.submit('/login', { username, password: 'secret' })
    if (status !== 302 && status !== 303) throw new Error(`login answered ${status}: ${text}`)
  }

  /** Activates the device that the enrollment page offers. */
  async function activate(page: { text: string }, service = `${url}/mfa`): Promise<Account> {
    const code = /#code=([a-z0-9]{10})/.exec(page.text)?.[1]
    if (!code) throw new Error(`no activation code on the page: ${trouble.join('; ')} ${page.text}`)
    return device.activate(service, code, { name: 'Test device' })
  }

  async function answer(account: Account, decision: 'approve' | 'deny' | 'report', number?: string) {
    const [request] = (await device.requests(account)).requests ?? []
    if (!request) throw new Error('nothing is pending')
    return device.answer(account, request, { decision, ...(number === undefined ? {} : { number }) })
  }

  /** From the login to the open request: answers the challenge page. */
  async function enroll(browser: Browser, username: string, path = '/account') {
    await signIn(browser, username)
    const account = await activate(await browser.visit(path))
    return { account, page: await browser.visit('/mfa') }
  }

  /** The whole way in. */
  async function verify(browser: Browser, username: string): Promise<Account> {
    const { account, page } = await enroll(browser, username)
    await answer(account, 'approve', numberOn(page))
    await browser.submit('/mfa/complete')
    return account
  }

  return { device, signIn, activate, answer, enroll, verify }
}

/** The number that a challenge page shows. */
export function numberOn(page: { text: string }): string {
  const number = /id="number">(\d+)</.exec(page.text)?.[1]
  if (!number) throw new Error(`no number on the page: ${page.text}`)
  return number
}
