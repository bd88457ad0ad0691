/**
 * The smallest app with a second factor: the service runs inside the app, and stores its data in `mfa.sqlite`.
 *
 * Sign in, open the authenticator from the link on the page in another window, and approve.
 */
import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { login, logout } from './shared/login.js'
import { page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'

const app = express()
app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))

app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'Minimal',
    user: (req) => req.session.user,
    provision: true,
    logout,
  }),
)

app.use(login)
app.get('/', (req, res) => {
  const { name } = req.session.user
  res.send(page(`Hello, ${name}`, `<p>You passed by ${req.mfa.verified.factor}.</p>${signOutButton}`))
})

start(app)
