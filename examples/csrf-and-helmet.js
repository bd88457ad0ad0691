/**
 * CSRF protection and security headers. CSRF protection comes after `mfa()`: the pages of `mfa()` and the authenticator
 * have their own protection and do not carry the app's token. `helmet()` may come first.
 */
import csurf from 'csurf'
import express from 'express'
import session from 'express-session'
import helmet from 'helmet'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { logout } from './shared/login.js'
import { page } from './shared/page.js'
import { start } from './shared/start.js'
import { checkPassword } from './shared/users.js'

const app = express()
app.use(helmet())
app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))

app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'Protected',
    user: (req) => req.session.user,
    provision: true,
    logout, // mfa() calls it directly, so its pages need no token to sign out
  }),
)

app.use(express.urlencoded({ extended: false }))
app.use(csurf()) // lusca.csrf() goes in the same place

const form = (req, action, fields) =>
  `<form method="post" action="${action}"><input type="hidden" name="_csrf" value="${req.csrfToken()}">${fields}</form>`

const fields =
  '<input name="username" aria-label="Username"><input name="password" type="password" aria-label="Password"><button>Sign in</button>'
app.get('/login', (req, res) => res.send(page('Sign in', form(req, '/login', fields))))
app.post('/login', (req, res, next) => {
  const user = checkPassword(req.body.username, req.body.password)
  if (!user) return res.redirect(303, '/login')
  req.session.regenerate((error) => {
    if (error) return next(error)
    req.session.user = user
    res.redirect(303, '/')
  })
})
app.post('/logout', logout)

app.use((req, res, next) => (req.session.user ? next() : res.redirect('/login')))
app.get('/', (req, res) => {
  res.send(page(`Hello, ${req.session.user.name}`, form(req, '/logout', '<button>Sign out</button>')))
})

start(app)
