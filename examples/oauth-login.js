/**
 * A login at another site, with OAuth 2 and Passport. The second step follows, as after any login.
 *
 * `shared/oauth-provider.js` is the other site, which signs every user in as Alice.
 */
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy as OAuth2Strategy } from 'passport-oauth2'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { startProvider } from './shared/oauth-provider.js'
import { page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'
import { findUser } from './shared/users.js'

const provider = await startProvider()
passport.use(
  'provider',
  new OAuth2Strategy(
    {
      authorizationURL: `${provider}/authorize`,
      tokenURL: `${provider}/token`,
      clientID: 'app',
      clientSecret: 'secret',
      callbackURL: '/login/done',
      state: true,
    },
    // Your provider has an endpoint that returns the user of the access token. Use the user's permanent id.
    (accessToken, refreshToken, profile, done) => done(null, findUser(accessToken)),
  ),
)
passport.serializeUser((user, done) => done(null, user.username))
passport.deserializeUser((username, done) => done(null, findUser(username) ?? false))

const logout = (req, res) => req.logout(() => res.redirect(303, '/signed-out'))

const app = express()
app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
app.use(passport.session())
app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'OAuth',
    user: (req) => req.user,
    provision: true,
    logout,
  }),
)

app.get('/login', passport.authenticate('provider'))
app.get('/login/done', passport.authenticate('provider', { successRedirect: '/', failureRedirect: '/signed-out' }))
app.post('/logout', logout)
app.get('/signed-out', (req, res) => res.send(page('Signed out', '<a href="/login">Sign in</a>')))

app.use((req, res, next) => (req.isAuthenticated() ? next() : res.redirect('/login')))
app.get('/', (req, res) => res.send(page(`Hello, ${req.user.name}`, signOutButton)))

start(app, 'You are Alice at the other site.')
