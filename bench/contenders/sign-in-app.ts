/**
 * An Express app with express-session, a login form and `mfa()`, whose embedded service is on the SQLite file in the first
 * argument. The second argument is how many users have a hardware token; `mfa()` creates all others. The password is not
 * checked: how long that takes is up to the app.
 */
import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { createClient } from 'second-factor/client'
import { embedded } from 'second-factor/service'

import { addCodeUsers } from '../loads/second-steps.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import { listen, ready } from './listen.ts'

export interface SignInAppGiven {
  readonly url: string
  /** The seeds of the users with a hardware token. */
  readonly seeds: readonly string[]
}

declare module 'express-session' {
  interface SessionData {
    username: string
  }
}

const [database = '', users = '0'] = process.argv.slice(2)
const clock = createMovedClock()
const service = embedded({ database, clock })
const loginPage =
  '<!doctype html><title>Sign in</title><form method="post"><input name="username"><input name="password" type="password"><button>Sign in</button></form>'

const app = express()
app.post('/bench/clock', (_req, res) => {
  clock.move(30)
  res.end(String(clock.now()))
})
app.use(session({ secret: 'for a benchmark', resave: false, saveUninitialized: false }))
app.get('/login', (_req, res) => res.send(loginPage))
app.post('/login', express.urlencoded({ extended: false }), (req, res, next) => {
  const { username } = req.body as { username: string }
  req.session.regenerate((error) => {
    if (error) return next(error)
    req.session.username = username
    res.redirect(303, '/account')
  })
})
app.use(
  mfa({
    service,
    clock,
    user: ({ session: { username } }: express.Request) =>
      username === undefined ? null : { username, email: 'person@example.com' },
    provision: true,
    publicUrl: 'https://app.example',
    remember: { days: 30 },
    logger: { info() {}, warn() {}, error: (message) => void process.stderr.write(`${message}\n`) },
  }),
)
app.get('/account', (_req, res) => res.send('<!doctype html><title>Your account</title><h1>Your account</h1>'))

const { url, close } = await listen(app)
const { baseUrl, apiKey, domainId, fetch } = await service.connect()
const seeds = await addCodeUsers({ client: createClient({ baseUrl, apiKey, fetch }), domainId }, Number(users))
ready({ url, seeds } satisfies SignInAppGiven, () => {
  close()
  return service.close()
})
