import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { mfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'

/** Users sign in with their passkey alone, on the app's own login page. */
export function createApp(options: MfaOptions = {}) {
  const app = express()
  const passport = new Passport()
  passport.serializeUser<Express.User>((user, done) => done(null, user))
  passport.deserializeUser<Express.User>((user, done) => done(null, user))

  app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false }))
  app.use(passport.session())
  app.use(mfa({ public: ['/login/*'], ...options }))

  // The script of the login page passes these to navigator.credentials.get().
  app.post('/login/passkey/options', async (req, res) => {
    res.json(await req.mfa?.passkeyOptions())
  })
  // And posts what that returned, as JSON.
  app.post('/login/passkey', express.json(), async (req, res, next) => {
    const passkey = await req.mfa?.verifyPasskey(req.body)
    if (!passkey) return res.status(401).json({ error: 'wrong_passkey' })
    // Look the user up by passkey.username in your own database.
    return req.login({ username: passkey.username }, (error: unknown) => {
      if (error) return next(error)
      return req.mfa?.acceptPasskey(passkey).then(() => res.json({ next: '/' }), next)
    })
  })
  app.get('/', (req, res) => res.send(req.mfa?.verified ? 'Welcome' : 'Sign in first'))
  return app
}
