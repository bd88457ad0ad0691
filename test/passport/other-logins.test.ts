import { randomUUID } from 'node:crypto'

import express from 'express'
import type { Express, Request, Response } from 'express'
import express4 from 'express4'
import type { Passport } from 'passport'
import { Strategy as OAuth2Strategy } from 'passport-oauth2'
import { Strategy } from 'passport-strategy'
import { describe, expect, it } from 'vitest'

import type { Browser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import type { WebApp, WebAppOptions } from '../support/web-app.ts'

/** Signs in who comes by a link that was sent to them. */
class MagicLinkStrategy extends Strategy {
  readonly name = 'magic'

  override authenticate(req: Request): void {
    const username = links.get(req.query['token'] as string)
    if (username === undefined) return this.fail(401)
    return this.success({ username, email: 'person@example.com' })
  }
}

const links = new Map([['sent-to-alice', 'alice']])

/** The smallest provider of OAuth 2 (RFC 6749 section 4.1) that signs every visitor in as alice. */
async function startProvider(): Promise<string> {
  const codes = new Set<string>()
  const provider = express()
  provider.get('/authorize', (req, res) => {
    const code = randomUUID()
    codes.add(code)
    const redirectUri = new URL(req.query['redirect_uri'] as string)
    redirectUri.searchParams.set('code', code)
    redirectUri.searchParams.set('state', req.query['state'] as string)
    res.redirect(302, redirectUri.href)
  })
  provider.post('/token', express.urlencoded({ extended: false }), (req, res) => {
    const good = codes.delete((req.body as { code: string }).code)
    res.status(good ? 200 : 400).json(good ? { access_token: 'for alice', token_type: 'bearer' } : {})
  })
  return listen(provider)
}

/** Both logins are added after mfa(), as a developer may do years later. */
async function startApp(options: WebAppOptions = {}): Promise<WebApp> {
  const provider = await startProvider()
  return startWebApp({
    ...options,
    routes(app, passport) {
      passport.use(new MagicLinkStrategy())
      app.get('/login/magic', passport.authenticate('magic'), welcome)
      addOAuth(app, passport, provider)
    },
  })
}

const welcome = (_req: Request, res: Response) => res.redirect(303, '/account')

function addOAuth(app: Express, passport: InstanceType<typeof Passport>, provider: string): void {
  const addresses = { authorizationURL: `${provider}/authorize`, tokenURL: `${provider}/token` }
  const client = { clientID: 'app', clientSecret: 'secret', callbackURL: '/login/oauth/done', state: true }
  passport.use(
    'oauth',
    new OAuth2Strategy({ ...addresses, ...client }, (...args: unknown[]) => {
      const done = args.at(-1) as (error: unknown, user: object) => void
      done(null, { username: 'alice', email: 'person@example.com' })
    }),
  )
  app.get('/login/oauth', passport.authenticate('oauth'))
  app.get('/login/oauth/done', passport.authenticate('oauth'), welcome)
}

async function byMagicLink(browser: Browser): Promise<void> {
  const answer = await browser.open('/login/magic?token=sent-to-alice')
  expect([answer.status, answer.headers['location']]).toEqual([303, '/account'])
}

async function byOAuth(browser: Browser): Promise<void> {
  const redirection = await browser.open('/login/oauth')
  const { headers } = await fetch(String(redirection.headers['location']), { redirect: 'manual' })
  const callbackUrl = new URL(headers.get('location') ?? '')
  const answer = await browser.open(callbackUrl.pathname + callbackUrl.search)
  expect([answer.status, answer.headers['location']]).toEqual([303, '/account'])
}

describe.each([
  ['a magic link', byMagicLink],
  ['OAuth', byOAuth],
])('a login by %s that was added after mfa()', (_, signIn) => {
  it.each([
    ['5', express],
    ['4', express4],
  ])('a login added after mfa() is gated like the first one, in Express %s', async (_version, version) => {
    const app = await startApp({ express: version })
    const browser = app.browser()

    await signIn(browser)

    expect((await browser.fetch('/account')).status).toBe(403)
    expect((await browser.open('/account')).headers['location']).toBe('/mfa')
  })

  inFullRun('a login added after mfa() leads through the second step to the requested page', async () => {
    const app = await startApp()
    const browser = app.browser()
    await signIn(browser)
    const account = await app.activate(await browser.visit('/account'))

    await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
    const done = await browser.submit('/mfa/complete')

    expect(done.headers['location']).toBe('/account')
    expect((await browser.fetch('/account')).body).toMatchObject({ verified: true, user: { username: 'alice' } })
  })

  inFullRun('a login added after mfa() requires the second step again, even in a verified web session', async () => {
    const app = await startApp()
    const browser = app.browser()
    await app.verify(browser, 'bob')

    await signIn(browser)

    expect((await browser.fetch('/account')).status).toBe(403)
  })
})
