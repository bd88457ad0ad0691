/**
 * Socket.IO for users who have passed the second step. It reads the web session with `io.engine.use()`, and calls
 * `verifyUpgrade()` for each connection, which ends with the verification.
 */
import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'
import { Server } from 'socket.io'

import { login, logout } from './shared/login.js'
import { page, signOutButton } from './shared/page.js'
import { start } from './shared/start.js'

const readWebSession = session({
  secret: 'keyboard cat',
  resave: false,
  saveUninitialized: false,
  cookie: { sameSite: 'lax' },
})
const userOf = (req) => req.session.user

const app = express()
app.use(readWebSession)
const second = mfa({
  service: embedded({ database: 'mfa.sqlite' }),
  appName: 'Socket.IO',
  user: userOf,
  provision: true,
  logout,
})
app.use(second)
app.use(login)
app.get('/', (req, res) => {
  const script = 'io().on("welcome", (name) => { document.querySelector("p").textContent = "Welcome, " + name })'
  const scripts = `<script src="/socket.io/socket.io.js"></script><script>${script}</script>`
  res.send(page('Socket.IO', `<p>Connecting</p>${signOutButton}${scripts}`))
})

const io = new Server(start(app))
io.engine.use(readWebSession)
io.use(async ({ request, data }, next) => {
  data.upgrade = await second.verifyUpgrade(request, request.session && userOf(request))
  next(data.upgrade ? undefined : new Error('mfa_required'))
})
io.on('connection', (socket) => {
  const stop = socket.data.upgrade.onEnd(() => socket.disconnect(true))
  socket.once('disconnect', stop)
  socket.emit('welcome', userOf(socket.request).name)
})
