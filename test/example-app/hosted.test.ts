import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { createDevice } from '../../src/device/device.ts'
import { createService } from '../../src/service/service.ts'
import { serveExampleApp } from '../support/example-app.ts'
import { createBrowser } from './browser.ts'

const alice = { username: 'alice', name: 'Alice', email: 'alice@example.com', password: 'correct horse' }

afterEach(() => vi.unstubAllEnvs())

/** A service of its own, as `second-factor init` and `serve` make one; answers its address and what the environment is to say. */
async function startService(): Promise<string> {
  const service = await createService({ database: ':memory:' })
  const { id: organizationId } = await service.administration.createOrganization('Example Inc.')
  const { id: domainId } = await service.administration.createDomain(organizationId, { name: 'Example' })
  const apiKey = await service.administration.createApiKey(organizationId)
  const server = createServer(service.listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await service.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  vi.stubEnv('MFA_BASE_URL', `${url}/api`)
  // What people open is nowhere else, as all of this runs on one machine.
  vi.stubEnv('MFA_AUTHENTICATOR_URL', url)
  vi.stubEnv('MFA_API_KEY', apiKey)
  vi.stubEnv('MFA_DOMAIN_ID', domainId)
  return url
}

describe('the example app with a service elsewhere', () => {
  it('the example app needs only environment variables for a service elsewhere, from device setup to sign-in', async () => {
    const url = await startService()
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    serveExampleApp(server, { publicUrl })
    const browser = createBrowser(publicUrl)
    const device = createDevice()

    await browser.submit('/sign-up', alice)
    const enrolling = await browser.submit('/sign-in', alice)
    const link = /id="link" href="([^"]+)"/.exec(enrolling.text)?.[1] ?? ''
    expect(link).toMatch(new RegExp(`^${url}/authenticator/#code=[a-z0-9]{10}$`))
    const account = await device.activate(url, link.slice(-10), { name: 'a device' })
    const waiting = await browser.open('/mfa')
    const [request] = (await device.requests(account)).requests ?? []
    const number = /id="number">(\d+)</.exec(waiting.text)?.[1] ?? ''
    await device.answer(account, request!, { decision: 'approve', number })
    await browser.refresh(await browser.open('/mfa'))

    expect((await browser.open('/account')).text).toContain('Approved on your device')
  })
})
