/**
 * A login without a password: users get a link by e-mail. The second step follows, as after a password.
 *
 * This example prints the e-mail in the terminal.
 */
import { randomBytes } from 'node:crypto'

import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { logout } from './shared/login.js'
import { page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'
import { findUser } from './shared/users.js'

const links = new Map()
const emailForm =
  '<form method="post"><label>Username <input name="username"></label><button>Send a link</button></form>'

const app = express()
app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'Magic link',
    user: (req) => req.session.user,
    provision: true,
    logout,
  }),
)

app.get('/login', (req, res) => res.send(page('Sign in', emailForm)))
app.post('/login', express.urlencoded({ extended: false }), (req, res) => {
  const user = findUser(req.body.username)
  const token = randomBytes(16).toString('base64url')
  links.set(token, { user, until: Date.now() + 600_000 })
  if (user) console.log(`Mail to ${user.email}: http://${req.get('Host')}/login/${token}`)
  res.send(page('Look into your inbox', ''))
})
app.get('/login/:token', (req, res, next) => {
  const { user, until } = links.get(req.params.token) ?? {}
  links.delete(req.params.token)
  if (!user || until < Date.now()) return res.redirect('/login')
  req.session.regenerate((error) => {
    if (error) return next(error)
    req.session.user = user
    res.redirect('/')
  })
})
app.post('/logout', logout)

app.use((req, res, next) => (req.session.user ? next() : res.redirect('/login')))
app.get('/', (req, res) => res.send(page(`Hello, ${req.session.user.name}`, signOutButton)))

start(app, 'Sign in as alice; the link is printed here.')
