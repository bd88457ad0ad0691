import type { AddressInfo } from 'node:net'

import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'
import { describe, expect, it, onTestFinished } from 'vitest'

import { quickHash } from '../service/start-service.ts'
import { startFastifyApp } from '../support/frameworks.ts'
import { exchange } from '../support/raw-http.ts'

/** An app without Passport, which would refuse such requests itself. */
async function startExpressApp() {
  const service = embedded({ database: ':memory:', pinHashCost: quickHash })
  const trouble: string[] = []
  const logger = { info() {}, warn() {}, error: (message: string) => void trouble.push(message) }
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
  app.use(mfa({ service, logger, user: () => ({ username: 'alice' }), provision: true }))
  app.use((_req, res) => void res.send('alice'))
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(async () => {
    server.close()
    await service.close()
  })
  await new Promise((resolve) => server.once('listening', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, trouble }
}

const apps = [
  ['Express', startExpressApp],
  ['@fastify/session', () => startFastifyApp('@fastify/session')],
] as const

describe.each(apps)('a request whose target is no path, on %s', (_name, start) => {
  it.each(['OPTIONS *', 'GET *', 'GET http://other.example/account', 'GET http://other.example/mfa/assets/style.css'])(
    'a request for %s reaches nothing behind the gate, and is no error of the app',
    async (line) => {
      const { url, trouble } = await start()
      const head = `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: text/html\r\n`

      const { status, body } = await exchange(Number(new URL(url).port), `${head}\r\n`)

      expect(status).toBeLessThan(500)
      expect(body).not.toContain('alice')
      expect(trouble).toEqual([])
    },
  )
})
