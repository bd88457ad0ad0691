/**
 * Behind a proxy that shows the app under `https://example.com/portal` and passes `/portal/reports` on as `/reports`.
 * What people's browsers are told carries the prefix, here as in mfa(), which takes it from `publicUrl`.
 */
import express from 'express'
import session from 'express-session'
import { mfa, requireMfa } from 'second-factor'
import { embedded } from 'second-factor/service'

const passwords = { alice: 'correct horse battery' }

export function createApp({ publicUrl, ...options }) {
  const { pathname: prefix, protocol } = new URL(publicUrl)
  const app = express()
  app.set('trust proxy', 'loopback')
  app.use(
    session({
      secret: 'keyboard cat',
      resave: false,
      saveUninitialized: false,
      cookie: { secure: protocol === 'https:', sameSite: 'lax' },
    }),
  )
  app.use(mfa({ publicUrl, user: (req) => req.session.user, provision: true, logoutPath: '/logout', ...options }))
  app.use(express.urlencoded())

  app.get('/login', (req, res) => res.send(loginPage(prefix)))
  app.post('/login', (req, res, next) => {
    const { username, password } = req.body
    if (!Object.hasOwn(passwords, username) || passwords[username] !== password) return res.redirect(`${prefix}/login`)
    req.session.regenerate((error) => {
      if (error) return next(error)
      req.session.user = { username, email: `${username}@example.com` }
      res.redirect(303, `${prefix}/`)
    })
  })
  app.post('/logout', (req, res, next) => {
    req.session.destroy((error) => (error ? next(error) : res.redirect(303, `${prefix}/login`)))
  })
  app.use((req, res, next) => {
    if (req.session.user) return next()
    res.redirect(`${prefix}/login`)
  })

  app.get('/', (req, res) => res.send(page(prefix, 'Home')))
  app.get('/reports', (req, res) => res.send(page(prefix, 'Reports')))
  app.get('/transfer', requireMfa({ maxAge: 300 }), (req, res) => res.send(page(prefix, 'Transfer')))
  return app
}

const html = (title, body) =>
  `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>${title}</title><h1>${title}</h1>${body}`

const page = (prefix, title) =>
  html(title, `<form method="post" action="${prefix}/logout"><button>Sign out</button></form>`)

const loginPage = (prefix) =>
  html(
    'Sign in',
    `<form method="post" action="${prefix}/login">
    <label>Username <input name="username"></label>
    <label>Password <input name="password" type="password"></label>
    <button>Sign in</button></form>`,
  )

if (import.meta.main) {
  const publicUrl = 'https://example.com/portal'
  createApp({ publicUrl, service: embedded({ database: 'mfa.sqlite' }) }).listen(3000)
}
