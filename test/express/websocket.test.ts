import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

import express from 'express'
import session from 'express-session'
import { isVerified, mfa } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

import { serializeState } from '../../src/express/session/stored-state.ts'
import { createBrowser } from '../support/browser.ts'

type WithSession = IncomingMessage & { session?: { username?: string } }

/** An app with a WebSocket for who passed the second step. */
async function arrange() {
  const service = await startTestService()
  const readWebSession = session({ secret: 'test', resave: false, saveUninitialized: false })
  const app = express()
  app.use(readWebSession)
  app.post('/login/:username', (req, res) => {
    Object.assign(req.session, { username: req.params.username })
    res.sendStatus(204)
  })
  const userOf = (req: WithSession) =>
    req.session?.username === undefined ? undefined : { username: req.session.username }
  app.use(mfa({ service, clock: service.clock, user: (req) => userOf(req as WithSession) }))
  app.use((_req, res) => void res.send('reached'))
  const server = createServer(app)
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (req: WithSession, socket, head) => {
    readWebSession(req as express.Request, {} as express.Response, () => {
      if (isVerified(req, userOf(req)))
        sockets.handleUpgrade(req, socket, head, (webSocket) => webSocket.send('welcome'))
      else socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    sockets.close()
    server.closeAllConnections()
    server.close()
    await service.close()
  })
  const { port } = server.address() as AddressInfo
  return { service, port, browser: createBrowser(`http://127.0.0.1:${port}`) }
}

/** What a page of this web session gets when it opens the WebSocket. */
function open(port: number, cookie: string | undefined): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers: cookie === undefined ? {} : { cookie } })
    socket.on('message', (data: Buffer) => {
      resolve(data.toString())
      socket.close()
    })
    socket.on('error', (error) => resolve(error.message))
  })
}

describe('isVerified() at the upgrade to a WebSocket', () => {
  it('accepts verified users only', async () => {
    const { service, port, browser } = await arrange()
    const device = await service.enroll('alice')
    const cookie = () => `connect.sid=${browser.cookie('connect.sid')}`
    await browser.submit('/login/alice')

    expect(await open(port, undefined)).toContain('403')
    expect(await open(port, cookie())).toContain('403')
    await browser.visit('/')
    await device.approve()
    await browser.submit('/mfa/complete')

    expect(await open(port, cookie())).toBe('welcome')
  })

  it('is bound to the user: the record of another user does not count', async () => {
    const at = Math.floor(Date.now() / 1000)
    const verified = { at, factor: 'push', purpose: 'sign_in', userKey: 'username:alice' } as const
    const req = { session: { mfa: serializeState({ verified }) } }

    expect(isVerified(req as unknown as IncomingMessage, { username: 'alice' })).toBe(true)
    expect(isVerified(req as unknown as IncomingMessage, { username: 'bob' })).toBe(false)
    expect(isVerified(req as unknown as IncomingMessage)).toBe(false)
  })
})
