import fastifyExpress from '@fastify/express'
import express from 'express'
import session from 'express-session'
import createFastify from 'fastify'
import { mfa, verifiedMfa } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'

it('an Express app in front of Fastify, by @fastify/express, lets only verified users reach its handlers', async () => {
  const service = await startTestService()
  const door = express()
  door.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
  door.use(mfa({ service, clock: service.clock, user: () => ({ username: 'alice' }) }))
  const app = createFastify({ forceCloseConnections: true })
  await app.register(fastifyExpress)
  app.use(door)
  app.get('/', ({ raw }) => verifiedMfa(raw).factor)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    await app.close()
    await service.close()
  })
  const device = await service.enroll('alice')
  const browser = createBrowser(url)

  expect((await browser.fetch('/')).status).toBe(403)
  await browser.visit('/')
  await device.approve()
  await browser.submit('/mfa/complete')

  expect((await browser.open('/')).text).toBe('push')
})
