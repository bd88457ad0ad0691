/**
 * A WebSocket for users who have passed the second step. An upgrade does not pass through Express, so the example reads
 * the web session and calls `verifyUpgrade()` itself. The socket closes when the verification has ended.
 */
import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'
import { WebSocketServer } from 'ws'

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
  appName: 'WebSocket',
  user: userOf,
  provision: true,
  logout,
})
app.use(second)
app.use(login)
app.get('/', (req, res) => {
  const script = 'new WebSocket("/").onmessage = ({ data }) => { document.querySelector("p").textContent = data }'
  res.send(page('WebSocket', `<p>Connecting</p>${signOutButton}<script>${script}</script>`))
})

const server = start(app)
const sockets = new WebSocketServer({ noServer: true })
server.on('upgrade', (req, socket, head) => {
  readWebSession(req, {}, async () => {
    const upgrade = await second.verifyUpgrade(req, req.session && userOf(req))
    if (!upgrade) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    sockets.handleUpgrade(req, socket, head, (webSocket) => {
      const stop = upgrade.onEnd(() => webSocket.close(4403, 'mfa_required'))
      webSocket.once('close', stop)
      webSocket.send(`Welcome, ${userOf(req).name}`)
    })
  })
})
