/**
 * An Express app with express-session and Passport. With a database in the first argument, `mfa()` guards it, with an embedded
 * service on this database; without one, it has no second step. With the address of Redis, web sessions are there.
 */
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { mfa, requireMfa } from 'second-factor'
import { createClient } from 'second-factor/client'
import { MfaStrategy } from 'second-factor/passport'
import { embedded } from 'second-factor/service'

import { addCodeUsers } from '../loads/second-steps.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import { listen, ready } from './listen.ts'

export interface WebAppGiven {
  readonly url: string
  /** The seeds of the users' hardware tokens. */
  readonly seeds: readonly string[]
}

const [database, users = '0', redis] = process.argv.slice(2)
const clock = createMovedClock()
const service = database === undefined ? undefined : embedded({ database, clock })

passport.serializeUser((user, done) => done(null, (user as { username: string }).username))
passport.deserializeUser((username: string, done) => done(null, { username, email: 'person@example.com' }))
const form = express.urlencoded({ extended: false })

const app = express()
app.post('/bench/clock', (_req, res) => {
  clock.move(30)
  res.end(String(clock.now()))
})
const store = redis === undefined ? new session.MemoryStore() : await openRedisStore(redis)
app.use(session({ store, secret: 'for a benchmark', resave: false, saveUninitialized: false }))
app.use(passport.session())
app.post('/login', form, (req, res, next) => {
  const { username } = req.body as { username: string }
  req.logIn({ username }, (error) => (error ? next(error) : res.sendStatus(200)))
})
// The cost of a gate and a guard that do nothing, beside the same web sessions and a route that they do not see.
const nothing: express.RequestHandler = (_req, _res, next) => next()
app.get('/ungated', nothing, nothing, (_req, res) => res.send('Hello'))
app.get('/before-gate', (_req, res) => res.send('Hello'))
const [guards, secondSteps] = service === undefined ? [[], []] : [[requireMfa()], [passport.authenticate('mfa')]]
if (service !== undefined) {
  passport.use(new MfaStrategy())
  app.use(
    mfa({
      service,
      clock,
      user: (req) => (req.user as { username: string; email: string } | undefined) ?? null,
      publicUrl: 'https://app.example',
      public: ['/second-step'],
      factors: ['otp', 'bypass'],
      recoveryCodes: false,
      logout: (req, res, next) => (req as express.Request).logout((error) => (error ? next(error) : res.end())),
      logger: { info() {}, warn() {}, error: (message) => void process.stderr.write(`${message}\n`) },
    }),
  )
}
// Without a second step as well: a route that is passed on the way to the page costs time.
app.post('/second-step', form, ...secondSteps, (_req, res) => res.json({ state: 'approved' }))
app.get('/page', ...guards, (_req, res) => res.send('Hello'))

const { url, close } = await listen(app)
ready({ url, ...(await addUsers()) } satisfies WebAppGiven, () => {
  close()
  return service?.close()
})

async function addUsers(): Promise<{ seeds: readonly string[] }> {
  if (service === undefined) return { seeds: [] }
  const { baseUrl, apiKey, domainId, fetch } = await service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })
  return { seeds: await addCodeUsers({ client, domainId }, Number(users)) }
}

async function openRedisStore(address: string): Promise<session.Store> {
  const [{ RedisStore }, redisClient] = await Promise.all([import('connect-redis'), import('redis')])
  return new RedisStore({ client: await redisClient.createClient({ url: address }).connect() })
}
