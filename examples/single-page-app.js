/**
 * A single-page app and its API. The API answers 403 until the user passes the second step. `leadToSecondStep()` in the
 * page opens the challenge, and afterwards the user returns to the same view.
 */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { start } from './shared/start.js'
import { checkPassword } from './shared/users.js'

const logout = (req, res, next) => {
  req.session.destroy((error) => (error ? next(error) : res.redirect(303, '/')))
}

const app = express()
app.use(express.static(join(import.meta.dirname, 'single-page-app')))
// Without a bundler, the import map in index.html points to this address.
app.use('/second-factor', express.static(dirname(fileURLToPath(import.meta.resolve('second-factor/browser')))))
app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))

app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'Single page',
    user: (req) => req.session.user,
    provision: true,
    logout,
  }),
)

app.use(express.json())
app.post('/api/login', (req, res, next) => {
  const user = checkPassword(req.body.username, req.body.password)
  if (!user) return res.status(401).json({ error: 'wrong_password' })
  req.session.regenerate((error) => {
    if (error) return next(error)
    req.session.user = user
    res.json({})
  })
})
app.post('/api/logout', logout)
app.use('/api', (req, res, next) => (req.session.user ? next() : res.status(401).json({ error: 'sign_in_first' })))
app.get('/api/me', (req, res) => res.json(req.session.user))
app.get('/api/reports', (req, res) => res.json({ title: 'Reports', of: req.session.user.name }))
app.get('/api/orders', (req, res) => res.json({ title: 'Orders', of: req.session.user.name }))

start(app)
