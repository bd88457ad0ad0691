/**
 * A step-up: the password is enough for most pages, and one route requires a second step within the last five minutes.
 *
 * Sign in and send the money. Only then the app asks for the second step.
 */
import express from 'express'
import session from 'express-session'
import { mfa, requireMfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { login, logout } from './shared/login.js'
import { page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'

const app = express()
app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))

app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'Bank',
    user: (req) => req.session.user,
    provision: true,
    gate: false, // only routes with requireMfa() are protected
    logout,
  }),
)

app.use(login)
app.get('/', (req, res) => {
  res.send(page('Your account', `<p><a href="/transfer">Send money</a></p>${signOutButton}`))
})

// The page with the form is guarded as well, so that users pass the second step before they fill in the form.
const recently = requireMfa({ maxAge: 300 })
app.get('/transfer', recently, (req, res) => {
  res.send(page('Send money', '<form method="post"><button>Send 100 €</button></form>'))
})
app.post('/transfer', recently, (req, res) => {
  res.send(page('Sent', `<p>Confirmed by ${req.mfa.verified.factor}.</p><p><a href="/">Back</a></p>`))
})

start(app)
