/**
 * Codes instead of push: users type the code of an authenticator app, such as Google Authenticator or 1Password, or of a
 * hardware token.
 *
 * Sign in, scan the QR code with such an app, and type its codes.
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
    appName: 'Codes only',
    user: (req) => req.session.user,
    provision: true,
    factors: ['otp', 'bypass'], // without 'push'; 'bypass' stands for recovery codes
    logout,
  }),
)

app.use(login)
app.get('/', (req, res) => {
  res.send(page(`Hello, ${req.session.user.name}`, `<p><a href="/mfa/devices">Your codes</a></p>${signOutButton}`))
})

start(app)
