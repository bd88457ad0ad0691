/**
 * An app that signs users in with Passport. Only `app.use(mfa())` is new: it goes after `passport.session()`.
 *
 * After you sign in, you cannot open any other page before the second step.
 */
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy as LocalStrategy } from 'passport-local'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { loginForm, page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'
import { checkPassword, findUser } from './shared/users.js'

passport.use(new LocalStrategy((username, password, done) => done(null, checkPassword(username, password) ?? false)))
passport.serializeUser((user, done) => done(null, user.username))
passport.deserializeUser((username, done) => done(null, findUser(username) ?? false))

const logout = (req, res, next) => {
  req.logout((error) => (error ? next(error) : res.redirect(303, '/login')))
}

const app = express()
app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
app.use(passport.session())

app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'Passport',
    user: (req) => req.user,
    provision: true,
    public: ['/login'], // users who have not passed the second step may sign in as another user
    logout,
  }),
)

app.get('/login', (req, res) => res.send(page('Sign in', loginForm)))
app.post(
  '/login',
  express.urlencoded({ extended: false }),
  passport.authenticate('local', { successReturnToOrRedirect: '/', failureRedirect: '/login' }),
)
app.post('/logout', logout)

app.use((req, res, next) => (req.isAuthenticated() ? next() : res.redirect('/login')))
app.get('/', (req, res) => res.send(page(`Hello, ${req.user.name}`, signOutButton)))

start(app)
