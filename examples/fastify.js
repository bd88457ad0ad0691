/**
 * A Fastify app behind a second factor. An Express app in front has the web session, the login and `mfa()`; @fastify/express passes on
 * what they let through. Fastify's own handlers read `request.raw.mfa`, and `requireMfa()` protects a path before they see it.
 */
import fastifyExpress from '@fastify/express'
import express from 'express'
import session from 'express-session'
import createFastify from 'fastify'
import { mfa, requireMfa, verifiedMfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { login, logout } from './shared/login.js'
import { page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'

const door = express()
door.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false }))
door.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'Fastify',
    user: (req) => req.session.user,
    provision: true,
    logout,
  }),
)
door.use(login)
door.use('/transfer', requireMfa({ maxAge: 300 }))

// The pages of a waiting sign-in hold connections open.
const app = createFastify({ forceCloseConnections: true })
await app.register(fastifyExpress)
app.use(door)
app.get('/', (request, reply) => {
  const { name } = request.raw.session.user
  reply.type('text/html')
  return page(`Hello, ${name}`, `<p>You passed by ${request.raw.mfa.verified.factor}.</p>${signOutButton}`)
})
app.get('/transfer', (request, reply) => {
  // Fastify may find this route by another spelling of its path than Express.
  verifiedMfa(request.raw, { maxAge: 300 })
  reply.type('text/html')
  return page('Transferred', '')
})

await app.ready()
start({ listen: (port, host, listening) => app.server.listen(port, host, listening) })
