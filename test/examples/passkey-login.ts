import express from 'express'
import type { Request } from 'express'
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

  app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
  app.use(passport.session())
  app.use(mfa({ public: ['/login/*'], ...options }))

  // The script of the login page passes these to navigator.credentials.get().
  app.post('/login/passkey/options', (req, res, next) => {
    req.mfa?.passkeyOptions().then((publicKey) => res.json(publicKey), next)
  })
  // And posts what that returned, as JSON.
  app.post('/login/passkey', express.json(), (req, res, next) => {
    logInByPasskey(req).then((isIn) => res.status(isIn ? 200 : 401).json({ isIn }), next)
  })
  app.get('/', (req, res) => res.send(req.mfa?.verified ? 'Welcome' : 'Sign in first'))
  return app
}

async function logInByPasskey(req: Request): Promise<boolean> {
  const passkey = await req.mfa?.verifyPasskey(req.body)
  if (!passkey) return false
  // Look the user up by passkey.username in your own database.
  await logIn(req, { username: passkey.username })
  return (await req.mfa?.acceptPasskey(passkey)) !== undefined
}

function logIn(req: Request, user: Express.User): Promise<void> {
  return new Promise((resolve, reject) => {
    req.login(user, (error: Error | undefined) => (error ? reject(error) : resolve()))
  })
}
