/** Web sessions in a cookie: there is no store, and no id that could change. */
import cookieSession from 'cookie-session'
import express from 'express'
import { mfa, requireMfa } from 'second-factor'
import { embedded } from 'second-factor/service'

const passwords = { alice: 'correct horse battery' }

export function createApp(options) {
  const app = express()
  app.use(cookieSession({ name: 'app', keys: ['keyboard cat'], httpOnly: true, sameSite: 'lax', maxAge: 43_200_000 }))
  app.use(mfa({ user: (req) => req.session.user, provision: true, logoutPath: '/logout', ...options }))
  app.use(express.urlencoded())

  app.get('/login', (req, res) => res.send(loginPage))
  app.post('/login', (req, res) => {
    const { username, password } = req.body
    if (!Object.hasOwn(passwords, username) || passwords[username] !== password) return res.redirect('/login')
    req.session = { user: { username, email: `${username}@example.com` } }
    res.redirect(303, '/')
  })
  app.post('/logout', (req, res) => {
    req.session = null
    res.redirect(303, '/login')
  })
  app.use((req, res, next) => {
    if (req.session.user) return next()
    res.redirect('/login')
  })

  app.get('/', (req, res) => res.send(page('Home')))
  app.get('/reports', (req, res) => res.send(page('Reports')))
  app.get('/transfer', requireMfa({ maxAge: 300 }), (req, res) => res.send(page('Transfer')))
  return app
}

const html = (title, body) =>
  `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>${title}</title><h1>${title}</h1>${body}`

const page = (title) => html(title, '<form method="post" action="/logout"><button>Sign out</button></form>')

const loginPage = html(
  'Sign in',
  `<form method="post" action="/login">
  <label>Username <input name="username"></label>
  <label>Password <input name="password" type="password"></label>
  <button>Sign in</button></form>`,
)

if (import.meta.main) {
  createApp({ service: embedded({ database: 'mfa.sqlite' }) }).listen(3000)
}
