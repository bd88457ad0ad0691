/** Express 5, TypeScript, Passport and a single-page app, which is told 403 and leads people to the second step. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import compression from 'compression'
import express from 'express'
import type { Express, RequestHandler } from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { Strategy } from 'passport-local'
import { mfa, requireMfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { embedded } from 'second-factor/service'

interface Account {
  readonly username: string
  readonly email: string
}

const passwords = new Map([['alice', 'correct horse battery']])
const pages = join(import.meta.dirname, 'public')
const browserModule = dirname(fileURLToPath(import.meta.resolve('second-factor/browser')))

export function createApp(options: MfaOptions): Express {
  const passport = createPassport()
  const app = express()
  app.use(compression())
  app.use(express.static(pages))
  app.use('/second-factor', express.static(browserModule))
  app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false }))
  app.use(passport.session())
  app.use(mfa({ user: (req) => req.user as Account | undefined, provision: true, logoutPath: '/logout', ...options }))
  app.use(express.json())

  app.post('/api/login', passport.authenticate('local'), (_req, res) => void res.json({}))
  app.post('/logout', (req, res, next) => {
    req.logout((error) => (error ? next(error) : res.redirect(303, '/')))
  })
  app.get('/api/reports', requireLogin, (_req, res) => void res.json({ title: 'Reports' }))
  app.get(
    '/api/transfer',
    requireLogin,
    requireMfa({ maxAge: 300 }),
    (_req, res) => void res.json({ title: 'Transfer' }),
  )
  return app
}

const requireLogin: RequestHandler = (req, res, next) => {
  if (req.isAuthenticated()) return next()
  res.status(401).json({ error: 'sign_in_required' })
}

function createPassport() {
  const passport = new Passport()
  passport.serializeUser((user, done) => done(null, (user as Account).username))
  passport.deserializeUser((username: string, done) => done(null, accountOf(username)))
  passport.use(
    new Strategy((username, password, done) =>
      done(null, passwords.get(username) === password ? accountOf(username) : false),
    ),
  )
  return passport
}

const accountOf = (username: string): Account => ({ username, email: `${username}@example.com` })

if (import.meta.main) {
  createApp({ service: embedded({ database: 'mfa.sqlite' }) }).listen(3000)
}
