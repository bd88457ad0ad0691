/**
 * AdminJS behind a second factor. Its `buildAuthenticatedRouter()` has a login and a web session of its own, so the web session and `mfa()`
 * stand in front of it: AdminJS uses the web session that it finds.
 */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

import { buildAuthenticatedRouter } from '@adminjs/express'
import AdminJS from 'adminjs'
import express from 'express'
import session from 'express-session'
import { mfa, requireMfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { Notes } from './notes.js'

const [secret, cookieName] = ['keyboard cat', 'adminjs']
const sessionOptions = { resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }
const admin = new AdminJS({ rootPath: '/admin', resources: [new Notes()], assets: { scripts: ['/second-step.js'] } })

const app = express()
// Leads users on when AdminJS was refused what it asked its API for.
app.use('/second-factor', express.static(dirname(fileURLToPath(import.meta.resolve('second-factor/browser')))))
app.get('/second-step.js', (req, res) =>
  res.type('js').send("import('/second-factor/index.js').then(({ followSecondStep }) => followSecondStep())"),
)

app.use(session({ ...sessionOptions, secret, name: cookieName }))
app.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'AdminJS',
    user: ({ session: { adminUser } }) => adminUser && { username: adminUser.email, email: adminUser.email },
    provision: true,
    public: ['/admin/login', '/admin/frontend/assets/*'],
    logoutPath: '/admin/logout',
    logoutMethod: 'GET',
  }),
)
// Each change needs a second step of the last five minutes. AdminJS deletes with HEAD as well, so all that is no GET counts as a change.
const recently = requireMfa({ maxAge: 300 })
app.use('/admin/api', (req, res, next) => (req.method === 'GET' ? next() : recently(req, res, next)))

const authenticate = (email, password) => (password === 'secret' ? { email } : null)
const login = { authenticate, cookieName, cookiePassword: secret }
app.use('/admin', buildAuthenticatedRouter(admin, login, undefined, sessionOptions))
const server = app.listen(process.env.PORT ?? 3000, 'localhost', () => {
  console.log(
    `This example listens on http://localhost:${server.address().port}\nOpen /admin, and sign in with any e-mail address and the password "secret".`,
  )
})
