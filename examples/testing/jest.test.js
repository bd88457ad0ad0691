import request from 'supertest'
import { createSignIn, startTestService } from 'second-factor/testing'

import { createApp } from './app.ts'

let service
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

const login = (agent, username) => agent.post('/login').type('form').send({ username, password: 'secret' })

test('the account page needs the second step', async () => {
  const signIn = createSignIn({ service, login })
  const agent = request.agent(createApp({ service, clock: service.clock }))

  await signIn(agent, 'alice')
  expect((await agent.get('/account')).status).toBe(403)

  await signIn(agent, 'alice', { mfa: true })
  expect((await agent.get('/account')).text).toBe('Welcome')
})
