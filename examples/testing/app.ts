import express from 'express'
import session from 'express-session'
import { mfa, requireMfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'

/** Only tests pass `options`: their own service and clock. */
export function createApp(options: MfaOptions = {}) {
  const app = express()
  app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
  app.use(express.urlencoded({ extended: false }))
  app.post('/login', (req, res) => {
    if (req.body.password !== 'secret') return res.sendStatus(401)
    Object.assign(req.session, { username: req.body.username })
    return res.redirect(303, '/account')
  })
  app.use(mfa({ user: (req) => userOf(req.session), ...options }))
  app.get('/account', (_req, res) => res.send('Welcome'))
  app.post('/transfer', requireMfa({ maxAge: 300 }), (_req, res) => res.send('Sent'))
  return app
}

function userOf(webSession: unknown) {
  const { username } = webSession as { username?: string }
  return username === undefined ? undefined : { username }
}
