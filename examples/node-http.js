/**
 * A server of node:http, without a framework, behind a second factor. An Express app in front has the web session, the login and `mfa()`,
 * and what they let through goes to the handler of the server.
 */
import { createServer } from 'node:http'

import express from 'express'
import session from 'express-session'
import { mfa, requireMfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { login, logout } from './shared/login.js'
import { page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'

const door = express()
door.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
door.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'node:http',
    user: (req) => req.session.user,
    provision: true,
    logout,
  }),
)
door.use(login)
door.use('/transfer', requireMfa({ maxAge: 300 }))
door.use((req, res) => {
  const { name } = req.session.user
  res.setHeader('Content-Type', 'text/html; charset=utf-8')
  res.end(page(`Hello, ${name}`, `<p>You passed by ${req.mfa.verified.factor}.</p>${signOutButton}`))
})

start(createServer(door))
