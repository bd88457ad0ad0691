/**
 * A separate service that several apps can share. Three environment variables name it:
 *
 *   npx second-factor init --database mfa.sqlite     prints MFA_BASE_URL, MFA_API_KEY and MFA_DOMAIN_ID
 *   npx second-factor serve --database mfa.sqlite
 *   MFA_BASE_URL=… MFA_API_KEY=… MFA_DOMAIN_ID=… node examples/hosted-service.js
 *
 * If both run on your own machine, set `MFA_AUTHENTICATOR_URL` to where you open the authenticator: http://localhost:8787.
 */
import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'

import { login, logout } from './shared/login.js'
import { page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'

const app = express()
app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false }))

// Without `service`, mfa() uses the service named by the environment.
app.use(mfa({ appName: 'Hosted', user: (req) => req.session.user, provision: true, logout }))

app.use(login)
app.get('/', (req, res) => res.send(page(`Hello, ${req.session.user.name}`, signOutButton)))

start(app)
