import express from 'express'
import session from 'express-session'
import * as openid from 'openid-client'
import { Strategy } from 'openid-client/passport'
import { Passport } from 'passport'

import type { AppSettings, RelyingApp } from './start-app.ts'
import { appUrl } from './start-app.ts'

/** The strategy for Passport of openid-client. */
export const openidClient: RelyingApp = {
  name: 'openid-client',
  callback: '/callback',
  hasLogout: true,
  readsIssuer: true,
  create,
}

type SignedIn = Express.User & { readonly claims: object; readonly idToken: string }

async function create({ issuer, client }: AppSettings) {
  const config = await openid.discovery(new URL(issuer), client.id, client.clientSecret, undefined, {
    execute: [openid.allowInsecureRequests],
  })
  const passport = new Passport()
  passport.serializeUser<Express.User>((user, done) => done(null, user))
  passport.deserializeUser<Express.User>((user, done) => done(null, user))
  const callbackURL = `${appUrl}/callback`
  passport.use(
    'openid',
    new Strategy({ config, scope: 'openid profile', callbackURL }, (tokens, done) =>
      done(null, { claims: tokens.claims(), idToken: tokens.id_token }),
    ),
  )
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
  app.use(passport.session())
  app.get('/login', passport.authenticate('openid'))
  app.get('/callback', passport.authenticate('openid', { successRedirect: '/', failureRedirect: '/failed' } as object))
  app.get('/', (req, res) => res.json((req.user as SignedIn | undefined)?.claims ?? null))
  app.get('/logout', (req, res, next) => {
    const { idToken = '' } = (req.user as SignedIn | undefined) ?? {}
    const address = openid.buildEndSessionUrl(config, {
      id_token_hint: idToken,
      post_logout_redirect_uri: `${appUrl}/`,
    })
    req.logout((error) => (error === undefined || error === null ? res.redirect(address.href) : next(error)))
  })
  return app
}
