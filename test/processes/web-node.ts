/** One of several web nodes of an app: its web sessions are in PostgreSQL, its service is elsewhere. */
import type { AddressInfo } from 'node:net'

import connectPgSimple from 'connect-pg-simple'
import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { Strategy } from 'passport-local'
import { Pool } from 'pg'
import { isVerified, mfa } from 'second-factor'

const { SESSIONS = '', PUBLIC_URL = '' } = process.env

const passport = new Passport()
passport.serializeUser((user, done) => done(null, (user as { username: string }).username))
passport.deserializeUser((username: string, done) => done(null, { username }))
passport.use(
  new Strategy((username, password, done) => (password === 'secret' ? done(null, { username }) : done(null, false))),
)

const pool = new Pool({ connectionString: SESSIONS, connectionTimeoutMillis: 3_000, query_timeout: 3_000 })
pool.on('error', () => {})
const PostgresStore = connectPgSimple(session)

const app = express()
app.use(
  session({
    store: new PostgresStore({ pool, pruneSessionInterval: false, errorLog: () => {} }),
    secret: 'test',
    resave: false,
    saveUninitialized: false,
  }),
)
app.use(passport.session())
// Its service is the one that MFA_BASE_URL, MFA_API_KEY and MFA_DOMAIN_ID name.
app.use(mfa({ publicUrl: PUBLIC_URL, recoveryCodes: false, logger: console }))
app.post('/login', express.urlencoded({ extended: false }), passport.authenticate('local'), (_req, res) =>
  res.redirect(303, '/account'),
)
app.get('/account', (req, res) => {
  res.json({ user: req.user, verified: isVerified(req) })
})

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
