import { startTestService } from 'second-factor/testing'
import request from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'

import type { UsernamelessOptions } from '../../src/contract/webauthn.ts'
import { random128 } from '../support/device-signer.ts'
import { listen } from '../support/listen.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import { createApp } from './passkey-login.ts'

describe('the example with a login by passkey', () => {
  it('the example with a login by passkey signs the user in with one touch', async () => {
    const service = await startTestService()
    onTestFinished(() => service.close())
    const messages: string[] = []
    const log = (message: string) => void messages.push(message)
    const app = createApp({ service, clock: service.clock, logger: { info() {}, warn: log, error: log } })
    const url = (await listen(app)).replace('127.0.0.1', 'localhost')
    const agent = request.agent(url)
    const authenticator = createAuthenticator({ origin: url })
    const { id } = await service.addUser('alice')
    const challenge = random128()
    const { passkeys } = service.client
    const rp = { id: 'localhost', name: 'App', origins: [url] }
    const options = await passkeys.startRegistration(service.domainId, id, { rp, challenge, first: true })
    const registration = { challenge, first: true, name: 'Laptop', response: authenticator.make(options) }
    await passkeys.register(service.domainId, id, registration)

    const started = await agent.post('/login/passkey/options')
    const login = await agent.post('/login/passkey').send(authenticator.use(started.body as UsernamelessOptions))

    expect(login.body).toEqual({ isIn: true })
    expect((await agent.get('/')).text).toBe('Welcome')
    expect(messages).toEqual([])
  })
})
