import { Secret, TOTP } from 'otpauth'
import { embedded } from 'second-factor/service'
import type { EmbeddedService } from 'second-factor/service'
import { describe, expect, it } from 'vitest'

import { addMember } from '../support/added-member.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import { createWatchedClock, quickHash } from '../service/start-service.ts'

const seed = '3132333435363738393031323334353637383930'

/** An app, and the calls that it has sent to its service: each without ids. */
async function startCountedApp(afterCall: (call: string) => Promise<unknown> = () => Promise.resolve()) {
  const clock = createWatchedClock()
  const service = embedded({ database: ':memory:', clock, pinHashCost: quickHash })
  const calls: string[] = []
  const app = await startWebApp({ mfa: { service: counted(service, calls, afterCall), clock } })
  return { app, calls, service }
}

function counted(
  service: EmbeddedService,
  calls: string[],
  afterCall: (call: string) => Promise<unknown>,
): EmbeddedService {
  async function connect(...facts: Parameters<EmbeddedService['connect']>) {
    const connection = await service.connect(...facts)
    const send: typeof fetch = async (input, init) => {
      const { method, url } = new Request(input, init)
      const call = `${method} ${new URL(url).pathname.replaceAll(/\/[0-9a-f-]{32,}/g, '')}`
      calls.push(call)
      const response = await (connection.fetch ?? fetch)(input, init)
      await afterCall(call)
      return response
    }
    return { ...connection, fetch: send }
  }
  return { ...service, connect }
}

describe('the calls of a sign-in', () => {
  it('a sign-in by the code of a hardware token takes three calls, and asks for no device', async () => {
    const { app, calls, service } = await startCountedApp()
    const { client, id } = await addMember(service, 'bob')
    const token = await client.hardware.create({ serialNumber: 'S1', type: 'TOTP6', timeStep: 30, seed })
    await client.hardware.assign(id, token.id)
    const browser = app.browser()
    await browser.submit('/login', { username: 'bob', password: 'secret' })
    calls.length = 0

    await browser.visit('/mfa')
    const generator = new TOTP({ secret: Secret.fromHex(seed), digits: 6, period: 30 })
    await browser.submit('/mfa/code', {
      code: generator.generate({ timestamp: app.clock.now() * 1000 }),
    })

    expect(calls).toEqual(['GET /api/users', 'POST /api/domains/users/pauses', 'POST /api/domains/sessions'])
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  inFullRun('the page of a sign-in by the device reads the user once, and sends the request', async () => {
    const { app, calls } = await startCountedApp()
    await app.verify(app.browser(), 'alice')
    const browser = app.browser()
    await browser.submit('/login', { username: 'alice', password: 'secret' })
    calls.length = 0

    const page = await browser.visit('/mfa')

    expect(numberOn(page)).toMatch(/^\d\d$/)
    expect(calls).toEqual(['GET /api/users', 'POST /api/domains/sessions'])
  })

  inFullRun('a page that offers a first device again reads the user once, and tries no request', async () => {
    const { app, calls } = await startCountedApp()
    const browser = app.browser()
    await browser.submit('/login', { username: 'carol', password: 'secret' })
    await browser.visit('/mfa')
    calls.length = 0

    const page = await browser.visit('/mfa')

    expect(page.text).toMatch(/#code=[a-z0-9]{10}/)
    expect(calls.filter((call) => call === 'GET /api/users')).toHaveLength(1)
    expect(calls).not.toContain('POST /api/domains/sessions')
  })

  inFullRun('a user who is removed from the domain while the page is made is told so', async () => {
    let remove = () => Promise.resolve()
    const { app, service } = await startCountedApp((call) => (call === 'GET /api/users' ? remove() : Promise.resolve()))
    const { client, id, domainId } = await addMember(service, 'dave')
    const browser = app.browser()
    await browser.submit('/login', { username: 'dave', password: 'secret' })
    remove = async () => {
      remove = () => Promise.resolve()
      await client.domains.removeUser(domainId, id)
    }

    const page = await browser.visit('/mfa')

    expect(page.text).toContain('You can&#39;t sign in here yet')
  })
})
