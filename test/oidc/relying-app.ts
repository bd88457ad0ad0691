import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import express from 'express'
import session from 'express-session'
import { Strategy } from 'openid-client/passport'
import { Passport } from 'passport'

import { closeForNext, listenAgain } from '../support/listen-again.ts'
import type { StartedProvider } from './start-provider.ts'

/** An app that signs people in with openid-client's strategy for Passport. Close it at the end. */
export async function startRelyingApp(
  provider: StartedProvider,
  { kind = 'sign-in', hint }: { readonly kind?: 'sign-in' | 'external'; readonly hint?: string } = {},
) {
  const passport = new Passport()
  passport.serializeUser<Express.User>((user, done) => done(null, user))
  passport.deserializeUser<Express.User>((user, done) => done(null, user))
  const app = express()
  app.use(session({ name: 'relying', secret: 'test', resave: false, saveUninitialized: false }))
  app.use(passport.session())
  app.get('/login', (req, res, next) =>
    passport.authenticate('openid', { ...(hint !== undefined && { loginHint: hint }) } as object)(req, res, next),
  )
  app.get('/callback', passport.authenticate('openid', { successRedirect: '/', failureRedirect: '/failed' } as object))
  app.get('/', (req, res) => res.send(`<h1>Hello ${JSON.stringify(req.user ?? null)}</h1>`))
  app.get('/failed', (_req, res) => res.send('<h1>Not signed in</h1>'))
  const server = createServer(app)
  await listenAgain(server)
  const url = `http://localhost:${(server.address() as AddressInfo).port}`

  // A proxy of an identity provider has an https address; in a browser test, the client is on this machine.
  const client = await provider.register('Wiki', {
    kind,
    native: kind === 'sign-in',
    redirectUris: [kind === 'sign-in' ? 'http://localhost/callback' : 'https://idp.example/callback'],
  })
  const config = await provider.configure(client)
  const callbackURL = kind === 'sign-in' ? `${url}/callback` : 'https://idp.example/callback'
  passport.use(
    'openid',
    new Strategy({ config, scope: 'openid profile', callbackURL, usePAR: kind === 'external' }, (tokens, done) =>
      done(null, tokens.claims()),
    ),
  )
  return { url, client, config, close: () => closeForNext(server) }
}
