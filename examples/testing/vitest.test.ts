import request from 'supertest'
import { createSignIn, startTestService } from 'second-factor/testing'
import type { TestService } from 'second-factor/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { createApp } from './app.ts'

type TestAgent = ReturnType<typeof request.agent>

describe('the account page', () => {
  let service: TestService
  let agent: TestAgent

  beforeEach(async () => {
    service = await startTestService()
    agent = request.agent(createApp({ service, clock: service.clock }))
  })
  afterEach(() => service.close())

  async function signIn(username: string, options?: { mfa: boolean }) {
    const login = (on: TestAgent, name: string) =>
      on.post('/login').type('form').send({ username: name, password: 'secret' })
    await createSignIn({ service, login })(agent, username, options)
  }

  it('the account page is closed after the password alone', async () => {
    await signIn('alice')

    expect((await agent.get('/account')).status).toBe(403)
  })

  it('the account page is open after the second step', async () => {
    await signIn('alice', { mfa: true })

    expect((await agent.get('/account')).text).toBe('Welcome')
  })

  it('a transfer asks for the second step again after five minutes', async () => {
    await signIn('alice', { mfa: true })
    expect((await agent.post('/transfer')).text).toBe('Sent')

    await service.clock.advance(300)

    expect((await agent.post('/transfer')).body).toMatchObject({ error: 'mfa_required' })
  })

  it('the account page stays closed when the user denies the request', async () => {
    const device = await service.enroll('alice')
    await signIn('alice')
    await agent.get('/mfa').redirects(1)

    await device.deny()

    expect((await agent.get('/mfa')).text).toContain('You denied this sign-in')
    expect((await agent.get('/account')).status).toBe(403)
  })
})
