/** A Fastify app behind a second factor. The plugin `mfa` goes after the web session, and gates all routes. */
import cookie from '@fastify/cookie'
import formBody from '@fastify/formbody'
import session from '@fastify/session'
import createFastify from 'fastify'
import { mfa, requireMfa } from 'second-factor/fastify'
import { embedded } from 'second-factor/service'

import { loginForm, page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'
import { checkPassword } from './shared/users.js'

const logout = async (request, reply) => {
  await request.session.destroy()
  return reply.redirect('/login', 303)
}

// The pages of a waiting sign-in hold connections open.
const app = createFastify()
await app.register(formBody)
await app.register(cookie)
await app.register(session, {
  secret: 'keyboard cat keyboard cat keyboard cat',
  cookie: { secure: 'auto', sameSite: 'lax' },
  rolling: false,
  saveUninitialized: false,
})
await app.register(mfa, {
  service: embedded({ database: 'mfa.sqlite' }),
  appName: 'Fastify',
  user: (request) => request.session.user,
  provision: true,
  logout,
})

app.get('/login', (request, reply) => reply.type('text/html').send(page('Sign in', loginForm)))
app.post('/login', async (request, reply) => {
  const user = checkPassword(request.body.username, request.body.password)
  if (!user) return reply.redirect('/login', 303)
  await request.session.regenerate()
  request.session.user = user
  return reply.redirect('/', 303)
})
app.post('/logout', logout)

app.get('/', (request, reply) => {
  if (!request.session.user) return reply.redirect('/login')
  const passed = `<p>You passed by ${request.mfa.verified.factor}.</p>`
  return reply.type('text/html').send(page(`Hello, ${request.session.user.name}`, passed + signOutButton))
})
app.all('/transfer', { preHandler: requireMfa({ maxAge: 300 }) }, (request, reply) =>
  reply.type('text/html').send(page('Transferred', '')),
)

await app.ready()
start({ listen: (port, host, listening) => app.server.listen(port, host, listening) })
