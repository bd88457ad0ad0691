import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { Strategy as LocalStrategy } from 'passport-local'
import { mfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { MfaStrategy } from 'second-factor/passport'
import type { MfaFailure } from 'second-factor/passport'

/** After the login, the app's own form asks for a code. */
export function createApp(options: MfaOptions = {}) {
  const app = express()
  const passport = new Passport()
  passport.use(new LocalStrategy((username, password, done) => done(null, password === 'secret' && { username })))
  passport.use(new MfaStrategy())
  passport.serializeUser<Express.User>((user, done) => done(null, user))
  passport.deserializeUser<Express.User>((user, done) => done(null, user))

  app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
  app.use(passport.session())
  // The gate does not protect these, so users who have not passed can post their code.
  app.use(mfa({ public: ['/login', '/second-step', '/api/second-step'], ...options }))
  app.use(express.urlencoded({ extended: false }), express.json())

  app.post('/login', passport.authenticate('local', { successRedirect: '/second-step', failureRedirect: '/login' }))
  app.get('/second-step', (req, res) => {
    const { messages = [] } = req.session as { messages?: string[] }
    res.send(`<p>${messages.at(-1) ?? ''}</p><form method="post"><input name="code"><button>Verify</button></form>`)
  })
  app.post(
    '/second-step',
    passport.authenticate('mfa', {
      successReturnToOrRedirect: '/',
      failureRedirect: '/second-step',
      failureMessage: true,
    }),
  )
  app.post('/api/second-step', (req, res, next) => {
    passport.authenticate('mfa', (error: unknown, user: unknown, info?: MfaFailure) => {
      if (error) return next(error) // status 503 with Retry-After if the service does not answer
      return user ? res.json({ verified: true }) : res.status(401).json(info)
    })(req, res, next)
  })
  app.get('/', (req, res) => res.send(req.mfa?.verified ? 'Welcome' : 'Sign in first'))
  return app
}
