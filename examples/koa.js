/**
 * A Koa app behind a second factor. An Express app in front has the web session, the login and `mfa()`; koa-connect passes on what they
 * let through. Koa's own handlers read `ctx.req.mfa`, and `requireMfa()` protects a path before they see it.
 */
import express from 'express'
import session from 'express-session'
import Koa from 'koa'
import connect from 'koa-connect'
import { mfa, requireMfa, verifiedMfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { login, logout } from './shared/login.js'
import { page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'

const door = express()
door.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
door.use(
  mfa({
    service: embedded({ database: 'mfa.sqlite' }),
    appName: 'Koa',
    user: (req) => req.session.user,
    provision: true,
    logout,
  }),
)
door.use(login)
door.use('/transfer', requireMfa({ maxAge: 300 }))

const app = new Koa()
app.use(connect(door))
app.use((ctx) => {
  if (ctx.path === '/transfer') verifiedMfa(ctx.req, { maxAge: 300 })
  const { name } = ctx.req.session.user
  ctx.body = page(`Hello, ${name}`, `<p>You passed by ${ctx.req.mfa.verified.factor}.</p>${signOutButton}`)
})

start(app)
