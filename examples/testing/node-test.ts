import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import request from 'supertest'
import { passSecondStep, startTestService } from 'second-factor/testing'
import type { TestService } from 'second-factor/testing'

import { createApp } from './app.ts'

describe('the account page', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.close())

  it('the account page is closed before the second step and open after it', async () => {
    const agent = request.agent(createApp({ service, clock: service.clock }))
    const device = await service.enroll('alice')
    await agent.post('/login').type('form').send({ username: 'alice', password: 'secret' })
    assert.equal((await agent.get('/account')).status, 403)

    await passSecondStep(agent, device)

    assert.equal((await agent.get('/account')).text, 'Welcome')
  })

  it('the account page is open to a user who typed a code', async () => {
    const agent = request.agent(createApp({ service, clock: service.clock }))
    const code = await service.code('alice')
    await agent.post('/login').type('form').send({ username: 'alice', password: 'secret' })

    await agent.post('/mfa/code').set('Sec-Fetch-Site', 'same-origin').type('form').send({ code })

    assert.equal((await agent.get('/account')).text, 'Welcome')
  })
})
