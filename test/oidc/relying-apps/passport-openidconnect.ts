import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { Strategy } from 'passport-openidconnect'

import type { RelyingApp } from './start-app.ts'
import { appUrl } from './start-app.ts'

/** It sends no PKCE, and with `nonce: true` a nonce, which it verifies. It does not read `iss`, and cannot sign people out of the provider. */
export const passportOpenidconnect: RelyingApp = {
  name: 'passport-openidconnect',
  callback: '/callback',
  registration: { pkce: 'nonce' },
  hasLogout: false,
  readsIssuer: false,
  create: ({ issuer, client }) => {
    const passport = new Passport()
    passport.serializeUser<Express.User>((user, done) => done(null, user))
    passport.deserializeUser<Express.User>((user, done) => done(null, user))
    passport.use(
      new Strategy(
        {
          issuer,
          authorizationURL: `${issuer}/oidc/authorize`,
          tokenURL: `${issuer}/oidc/token`,
          userInfoURL: `${issuer}/oidc/userinfo`,
          clientID: client.id,
          clientSecret: client.clientSecret ?? '',
          callbackURL: `${appUrl}/callback`,
          scope: ['profile'],
          nonce: true,
          skipUserProfile: false,
        },
        (_issuer, profile, done) => done(null, { sub: profile.id, name: profile.displayName }),
      ),
    )
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
    app.use(passport.session())
    app.get('/login', passport.authenticate('openidconnect'))
    app.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/', failureRedirect: '/failed' }))
    app.get('/', (req, res) => res.json(req.user ?? null))
    return app
  },
}
