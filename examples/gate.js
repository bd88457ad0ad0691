/**
 * A gate for an app that has a login but no second step: nginx or Apache asks it about each request (docs/doors.md).
 *
 *   MFA_BASE_URL, MFA_API_KEY, MFA_DOMAIN_ID   the service
 *   PUBLIC_URL       the address of the app as browsers see it, such as https://wiki.example
 *   GATE_KEY         a secret that only the proxy knows: openssl rand -hex 32
 *   SESSION_SECRET   signs the session cookie: openssl rand -hex 32
 *   USER_HEADER      the header in which the proxy names the user (X-Remote-User)
 *   PROXY_ADDRESS    the address of the proxy (127.0.0.1)
 *   SELF_ENROLLMENT  "off": people without a factor need an activation code of an administrator ("on")
 */
import { hash, timingSafeEqual } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'

import { SqliteSessions } from './shared/sqlite-sessions.js'
import { start } from './shared/start.js'

const { PUBLIC_URL, GATE_KEY, SESSION_SECRET, SESSIONS = 'sessions.sqlite' } = process.env
const { USER_HEADER = 'X-Remote-User', PROXY_ADDRESS = '127.0.0.1', SELF_ENROLLMENT = 'on' } = process.env
for (const [name, value] of Object.entries({ PUBLIC_URL, GATE_KEY, SESSION_SECRET }))
  if (!value || (name !== 'PUBLIC_URL' && value.length < 32)) throw new Error(`${name} is missing or too short.`)
if (!['on', 'off'].includes(SELF_ENROLLMENT)) throw new Error('SELF_ENROLLMENT is neither "on" nor "off".')
const [keyHash, secure] = [hash('sha256', GATE_KEY, 'buffer'), PUBLIC_URL.startsWith('https:')]

const app = express()
app.disable('x-powered-by').set('trust proxy', PROXY_ADDRESS)

// Everybody on this machine could send the user's name; only the proxy has the key.
app.use((req, res, next) => {
  const isProxy = req.socket.remoteAddress?.replace(/^::ffff:/, '') === PROXY_ADDRESS
  const key = hash('sha256', req.get('x-gate-key') ?? '', 'buffer')
  if (!isProxy || !timingSafeEqual(key, keyHash)) return res.status(403).send('Only the proxy may ask.')
  if (!req.get(USER_HEADER)) return res.status(401).send('The proxy names no user.')
  next()
})

app.use(
  session({
    name: secure ? '__Host-gate' : 'gate',
    store: new SqliteSessions(SESSIONS),
    secret: SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure, maxAge: 12 * 3600 * 1000 },
  }),
)
const user = (req) => ({ username: req.get(USER_HEADER) })
const ended = (error) => (error ? 'Your second step has not ended. Try again.' : 'Your second step has ended.')
const logout = (req, res) => req.session.destroy((error) => res.status(error ? 500 : 200).send(ended(error)))
const paths = { public: ['/gate/check'], logoutPath: '/gate/logout' }
app.use(mfa({ user, publicUrl: PUBLIC_URL, ...paths, logout, selfEnrollment: SELF_ENROLLMENT === 'on' }))

// What the proxy asks. 403: the proxy sends the request here once more, and mfa() leads the browser to the challenge.
app.get('/gate/check', (req, res) => res.sendStatus(req.mfa?.verified ? 204 : 403))
app.post('/gate/logout', logout)
app.use((req, res) => res.status(404).send('The proxy sends only requests without a second step here.'))
// The proxies connect to 127.0.0.1, and "localhost" may be ::1 alone.
start(app, 'Ask it from nginx or Apache.', '127.0.0.1')
