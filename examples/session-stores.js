/**
 * Web sessions that survive a restart and are shared by several processes: in PostgreSQL, or in Redis.
 *
 *   DATABASE_URL=postgres://… node examples/session-stores.js
 *   REDIS_URL=redis://localhost:6379 node examples/session-stores.js
 */
import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { login, logout } from './shared/login.js'
import { page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'

async function openPostgresStore(connectionString) {
  const { default: connectPgSimple } = await import('connect-pg-simple')
  const { Pool } = await import('pg')
  const PostgresStore = connectPgSimple(session)
  const pool = new Pool({ connectionString })
  // Without a listener, a lost connection ends the process. The next query opens another one.
  pool.on('error', (error) => console.error(`PostgreSQL: ${error.message}`))
  return new PostgresStore({ pool, createTableIfMissing: true })
}

async function openRedisStore(url) {
  const { RedisStore } = await import('connect-redis')
  const { createClient } = await import('redis')
  const client = createClient({ url })
  // Without a listener, a lost connection ends the process. The client connects again by itself.
  client.on('error', (error) => console.error(`Redis: ${error.message}`))
  return new RedisStore({ client: await client.connect() })
}

const { DATABASE_URL, REDIS_URL } = process.env
const store = REDIS_URL ? await openRedisStore(REDIS_URL) : await openPostgresStore(DATABASE_URL)

const app = express()
app.use(
  session({ store, secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }),
)

app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }), // or DATABASE_URL: the service can store its data there as well
    appName: 'Stores',
    user: (req) => req.session.user,
    provision: true,
    logout,
  }),
)

app.use(login)
app.get('/', (req, res) => res.send(page(`Hello, ${req.session.user.name}`, signOutButton)))

start(app)
