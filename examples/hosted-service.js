/**
 * A separate service that several apps can share. Four environment variables name it:
 *
 *   npx second-factor init --database mfa.sqlite     prints them
 *   npx second-factor serve --database mfa.sqlite
 *
 * Paste them into another terminal, and start the example there: node examples/hosted-service.js
 */
import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'

import { login, logout } from './shared/login.js'
import { page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'

const app = express()
app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))

// Without `service`, mfa() uses the service named by the environment.
app.use(mfa({ appName: 'Hosted', user: (req) => req.session.user, provision: true, logout }))

app.use(login)
app.get('/', (req, res) => res.send(page(`Hello, ${req.session.user.name}`, signOutButton)))

start(app)
