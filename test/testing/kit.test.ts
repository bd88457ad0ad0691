import express from 'express'
import session from 'express-session'
import request from 'supertest'
import { mfa, requireMfa } from 'second-factor'
import { passSecondStep, startTestService } from 'second-factor/testing'
import type { TestService } from 'second-factor/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** Somebody's app, as its own tests start it. */
function createApp(service: TestService) {
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
  app.post('/login/:username', (req, res) => {
    Object.assign(req.session, { username: req.params.username })
    res.sendStatus(204)
  })
  const user = (req: { session?: unknown }) => {
    const { username } = req.session as { username?: string }
    return username === undefined ? null : { username }
  }
  app.use(mfa({ service, clock: service.clock, user }))
  app.get('/danger', requireMfa({ maxAge: 60 }), (_req, res) => void res.send('danger'))
  app.use((req, res) => void res.send(`hello ${String(req.mfa?.verified?.factor)}`))
  return app
}

describe('the kit for tests of an app', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startTestService()
  })
  afterEach(() => service.close())

  it('signs an agent in with everything, in a few lines', async () => {
    const agent = request.agent(createApp(service))
    const device = await service.enrol('alice')

    await agent.post('/login/alice')
    await passSecondStep(agent, device)

    expect((await agent.get('/')).text).toBe('hello push')
  })

  it('moves time for both halves', async () => {
    const agent = request.agent(createApp(service))
    const device = await service.enrol('alice')
    await agent.post('/login/alice')
    await passSecondStep(agent, device)

    await service.clock.advance(60)

    expect((await agent.get('/danger')).status).toBe(403)
  })

  it('denies and reports like people', async () => {
    const agent = request.agent(createApp(service))
    const device = await service.enrol('alice')
    await agent.post('/login/alice')

    await agent.get('/mfa')
    await device.deny()
    expect((await agent.get('/mfa')).text).toContain('The sign-in was denied')
    await agent.post('/mfa/send').set('Sec-Fetch-Site', 'same-origin')
    await device.report()

    expect((await agent.get('/mfa')).text).toContain('Reported')
  })

  it('says what is wrong: nothing to approve, nobody signed in, the wrong device', async () => {
    const agent = request.agent(createApp(service))
    const [alice, bob] = [await service.enrol('alice'), await service.enrol('bob')]

    await expect(alice.approve()).rejects.toThrow('Nothing is pending for alice')
    await expect(passSecondStep(agent, alice)).rejects.toThrow('The challenge answered 401: Sign in first')
    await agent.post('/login/alice')
    await expect(passSecondStep(agent, bob)).rejects.toThrow('Nothing is pending for bob')
  })
})
