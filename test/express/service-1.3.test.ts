import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import session from 'express-session'
import { startTestService } from 'second-factor/testing'
import type { MfaOptions } from 'second-factor'
import { describe, expect, it, onTestFinished } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { serveConnection } from '../support/serve-connection.ts'
import { startWebApp } from '../support/web-app.ts'

/** Our own service with 1.4 switched off: what passes here asks for 1.3 and may not be held. */
async function startOldService() {
  const service = await startTestService()
  const connection = await service.connect()
  const proxy = createServer((req, res) => {
    delete req.headers.prefer
    void serveConnection(connection, { req, res }, { accept: 'application/vnd.service.v1+json' })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    proxy.closeAllConnections()
    proxy.close()
    await service.close()
  })
  const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/api`
  return { service, hosted: { baseUrl, apiKey: connection.apiKey, domainId: connection.domainId } }
}

async function startApp(mfa: Partial<MfaOptions> = {}, store = new session.MemoryStore()) {
  const { service, hosted } = await startOldService()
  const app = await startWebApp({ session: { store }, mfa: { service: hosted, clock: service.clock, ...mfa } })
  const raw = (store as unknown as { sessions: Record<string, string> }).sessions
  return { app, service, raw }
}

describe('a service that speaks 1.3 only', () => {
  inFullRun('a service that speaks only 1.3 gets a push without a number, whose approval verifies', async () => {
    const { app, service } = await startApp()
    const device = await service.enroll('alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const page = await browser.visit('/account')
    expect(page.text).toContain('Approve it there.')
    expect(page.text).not.toContain('id="number"')
    await device.approve()

    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/account')
    expect((await browser.fetch('/account')).body.mfa.verified).toMatchObject({
      at: service.clock.now(),
      factor: 'push',
      userKey: 'username:alice',
    })
  })

  inFullRun(
    'the app redeems approvals of a 1.3 service once: a second web session gets nothing from the same one',
    async () => {
      const { app, service, raw } = await startApp()
      const device = await service.enroll('alice')
      const [firstBrowser, otherBrowser] = [app.browser(), app.browser()]
      for (const browser of [firstBrowser, otherBrowser]) {
        await app.signIn(browser, 'alice')
        await browser.visit('/account')
      }
      const idOf = (browser: typeof firstBrowser) =>
        decodeURIComponent(browser.cookie('connect.sid') ?? '')
          .slice(2)
          .split('.')[0] ?? ''
      const stored = (browser: typeof firstBrowser) => JSON.parse(raw[idOf(browser)] ?? '{}')
      const [firstState, otherState] = [stored(firstBrowser), stored(otherBrowser)]
      // As if the challenge belonged to the other browser as well.
      const [{ binding }] = otherState.mfa.challenges
      const challenges = [{ ...firstState.mfa.challenges[0], binding }]
      raw[idOf(otherBrowser)] = JSON.stringify({ ...otherState, mfa: { ...firstState.mfa, challenges } })
      await device.approve()
      await device.approve()

      await Promise.all([firstBrowser, otherBrowser].map((browser) => browser.submit('/mfa/complete')))

      const verified = await Promise.all(
        [firstBrowser, otherBrowser].map(async (browser) => (await browser.fetch('/account')).status),
      )
      expect(verified.toSorted((a, b) => a - b)).toEqual([200, 403])
    },
  )

  inFullRun('a service that speaks only 1.3 reports every denial alike, and so does the page', async () => {
    const { app, service } = await startApp()
    const device = await service.enroll('alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.visit('/account')

    await device.deny()

    expect((await browser.visit('/mfa')).text).toContain('The sign-in wasn&#39;t approved')
    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/mfa')
  })

  inFullRun('a service that speaks only 1.3 accepts codes, and the app reports the factor', async () => {
    const { app, service } = await startApp()
    await service.enroll('alice')
    const { id } = await service.client.users.getByUsername('alice')
    const { code = '' } = await service.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.visit('/account')

    await browser.submit('/mfa/code', { code })

    expect((await browser.fetch('/account')).body.mfa.verified.factor).toBe('bypass')
  })

  it.each([[{}], [{ email: 'nowhere' }]])(
    'a 1.3 service gets an undeliverable address for a new user without one, who may still sign in: %j',
    async (fields) => {
      const user: MfaOptions['user'] = (req) => req.user && { username: 'alice', ...fields }
      const { app, service } = await startApp({ user, mayEnroll: () => true })
      const browser = app.browser()
      await app.signIn(browser, 'alice')

      const { text } = await browser.visit('/account')

      expect(text).toContain('id="code"')
      expect((await service.client.users.getByUsername('alice')).email).toMatch(/^[0-9a-f]{16}@no-address\.invalid$/)
    },
  )

  inFullRun(
    'a 1.3 service cannot say who never had a device: nobody may set one up unless the app allows it',
    async () => {
      const { app, service } = await startApp()
      await service.addUser('alice')
      const browser = app.browser()
      await app.signIn(browser, 'alice')

      const page = await browser.visit('/account')

      expect(page.text).not.toContain('class="code"')
      expect(page.text).toContain('Enter a code')
    },
  )

  inFullRun(
    'with a 1.3 service, the page shows the activation code with the authenticator’s link, if the app allows that',
    async () => {
      const { app, service } = await startApp({
        mayEnroll: (_req, user) => user.username === 'alice',
        authenticatorUrl: 'https://store.example/authenticator',
      })
      await service.addUser('alice')
      const browser = app.browser()
      await app.signIn(browser, 'alice')

      const page = await browser.visit('/account')

      expect(page.text).toMatch(/id="code">[a-z0-9]{5} [a-z0-9]{5}</)
      expect(page.text).toContain('href="https://store.example/authenticator"')
      expect(page.text).not.toContain('#code=')
    },
  )

  it('a 1.3 service does not say who issued a code: the page shows only one that the app issued itself', async () => {
    const { app, service } = await startApp({ mayEnroll: () => true })
    const codeOn = ({ text }: { text: string }) => /id="code">([a-z0-9 ]{11})</.exec(text)?.[1]
    await service.addUser('alice')
    await service.addUser('bob')
    const { domainId } = await service.connect()
    await service.client.tokens.issue(domainId, (await service.client.users.getByUsername('bob')).id)
    const [alice, bob] = [app.browser(), app.browser()]
    await app.signIn(alice, 'alice')
    await app.signIn(bob, 'bob')

    const own = [await alice.visit('/account'), await alice.visit('/mfa')].map(codeOn)
    await app.clock.advance(1000)
    own.push(codeOn(await alice.visit('/account')))
    const handedOver = await bob.visit('/account')

    expect(own[0]).toMatch(/^[a-z0-9]{5} [a-z0-9]{5}$/)
    expect(own).toEqual([own[0], own[0], own[0]])
    expect(codeOn(handedOver)).toBeUndefined()
    expect(handedOver.text).toContain('Type the activation code that your administrator gave you')
  })

  inFullRun('with a 1.3 service, selfEnrollment: false lets nobody set up a first factor', async () => {
    const { app, service } = await startApp({ mayEnroll: () => true, selfEnrollment: false })
    await service.addUser('alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    expect((await browser.visit('/account')).text).not.toContain('class="code"')
  })
})
