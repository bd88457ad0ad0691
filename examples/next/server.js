/**
 * Next.js behind a second factor: a custom server with Express in front, which has the web session, the login and `mfa()`. The gate sees
 * every request before Next does: pages, what its router fetches and prefetches, server actions, route handlers and images.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

import express from 'express'
import session from 'express-session'
import next from 'next'
import { mfa, requireMfa } from 'second-factor'
import { embedded } from 'second-factor/service'

const loginForm = `<form method="post"><input name="username" aria-label="Username"><input name="password" type="password"
  aria-label="Password"><button>Sign in</button></form>`

// Read by second-step.js, of which Next bundles a copy of its own.
const requests = (globalThis.requests = new AsyncLocalStorage())

const port = process.env.PORT ?? 3000
const nextApp = next({ dev: process.env.NODE_ENV === 'development', hostname: 'localhost', port })
const handle = nextApp.getRequestHandler()
await nextApp.prepare()

const app = express()
app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'Next',
    publicUrl: process.env.PUBLIC_URL, // in production
    user: (req) => req.session.user,
    provision: true,
    public: ['/login', '/_next/static/*'],
    logoutPath: '/logout',
  }),
)

// Stands for your login.
app.get('/login', (req, res) => res.send(loginForm))
app.post('/login', express.urlencoded({ extended: false }), (req, res, done) => {
  if (req.body.password !== 'secret') return res.redirect(303, '/login')
  req.session.regenerate((error) => {
    if (error) return done(error)
    req.session.user = { username: req.body.username }
    res.redirect(303, '/')
  })
})
app.post('/logout', (req, res, done) =>
  req.session.destroy((error) => (error ? done(error) : res.redirect(303, '/login'))),
)
app.use((req, res, done) => (req.session.user ? done() : res.redirect('/login')))

app.use('/transfer', requireMfa({ maxAge: 300 }))
app.use((req, res) => requests.run(req, () => handle(req, res)))
const server = app.listen(port, 'localhost', () => {
  console.log(`This example listens on http://localhost:${server.address().port}`)
})
