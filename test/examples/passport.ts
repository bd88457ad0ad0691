import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { Strategy as LocalStrategy } from 'passport-local'
import { mfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { MfaStrategy } from 'second-factor/passport'

const form = (action: string, fields: string) =>
  `<form method="post" action="${action}">${fields}<button>Go</button></form>`

/** The login opens the second step, and afterwards the page that the user wanted. */
export function createApp(options: MfaOptions = {}) {
  const app = express()
  const passport = new Passport()
  passport.use(new LocalStrategy((username, password, done) => done(null, password === 'secret' && { username })))
  passport.use(new MfaStrategy())
  passport.serializeUser<Express.User>((user, done) => done(null, user))
  passport.deserializeUser<Express.User>((user, done) => done(null, user))

  app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
  app.use(passport.session())
  // Users who have not passed the second step can reach the login, and sign in as another user.
  app.use(mfa({ public: ['/login'], ...options }))
  app.use(express.urlencoded({ extended: false }))

  app.get('/login', (_req, res) => res.send(form('/login', '<input name="username"><input name="password">')))
  app.post(
    '/login',
    passport.authenticate('local', { failureRedirect: '/login' }),
    passport.authenticate('mfa', { successRedirect: '/', failureRedirect: '/login' }),
  )
  app.get('/inside', passport.authenticate('mfa', { failureRedirect: '/login' }), (req, res) => res.json(req.authInfo))
  app.get('/', (req, res) => (req.user ? res.send('Welcome') : res.redirect('/login')))
  return app
}
