/**
 * An API with bearer tokens. Users sign in to the app, pass the second step there, and only then get a token, which records
 * it in its claim `amr` (RFC 8176). The API rejects tokens without this claim.
 *
 * Sign in, press the button, and call the API as shown on the page.
 */
import { randomBytes } from 'node:crypto'

import express from 'express'
import session from 'express-session'
import { jwtVerify, SignJWT } from 'jose'
import { mfa, requireMfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { login, logout } from './shared/login.js'
import { page } from './shared/page.js'
import { start } from './shared/start.js'

const key = randomBytes(32)
const app = express()

// The API comes before mfa(), because its callers have no web session that the gate could check.
app.use('/api', async (req, res, next) => {
  try {
    const { payload } = await jwtVerify(req.get('Authorization')?.replace(/^Bearer /, '') ?? '', key)
    if (!payload.amr?.includes('mfa')) return res.status(403).json({ error: 'mfa_required' })
    req.username = payload.sub
    next()
  } catch {
    res.status(401).set('WWW-Authenticate', 'Bearer').json({ error: 'invalid_token' })
  }
})
app.get('/api/reports', (req, res) => res.json({ reports: [], of: req.username }))

app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'API',
    user: (req) => req.session.user,
    provision: true,
    logout,
  }),
)
app.use(login)
app.get('/', (req, res) =>
  res.send(page('API', '<form method="post" action="/token"><button>Get a token</button></form>')),
)
app.post('/token', requireMfa({ maxAge: 300 }), async (req, res) => {
  const { at } = req.mfa.verified
  const token = new SignJWT({ amr: ['pwd', 'mfa'], auth_time: at }).setSubject(req.session.user.username)
  const signed = await token.setProtectedHeader({ alg: 'HS256' }).setIssuedAt().setExpirationTime('15m').sign(key)
  res.send(
    page('Your token', `<pre>curl -H "Authorization: Bearer ${signed}" http://${req.get('Host')}/api/reports</pre>`),
  )
})

start(app)
