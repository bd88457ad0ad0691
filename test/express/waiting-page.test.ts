import { startTestService } from 'second-factor/testing'
import { describe, expect, it } from 'vitest'

import { startWebApp } from '../support/web-app.ts'

const linkOn = ({ text }: { text: string }) =>
  / href="([^"]*)"[^>]*>Open the authenticator on this phone</.exec(text)?.[1]

/** Shows the number of Alice, whose device waits, with a service that speaks only 1.3. */
async function withOldService(authenticatorUrl: string | undefined) {
  const service = await startTestService()
  const app = await startWebApp({
    mfa: {
      clock: service.clock,
      service: { ...service, connect: async () => ({ ...(await service.connect()), version: '1.3' as const }) },
      authenticatorUrl,
    },
  })
  await service.addUser('alice')
  await service.enroll('alice')
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  const page = await browser.visit('/account')
  await service.close()
  return page
}

describe('the waiting page', () => {
  it('names the device that was asked', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { page } = await app.enroll(browser, 'alice')

    const sentence = 'We sent a request to <strong><bdi>Test device</bdi></strong>. Enter this number there:'
    expect(page.text).toContain(sentence)
    expect((await browser.visit('/mfa')).text).toContain(sentence)
  })

  it('calls it "your device" where the service does not say its name', async () => {
    const page = await withOldService(undefined)

    expect(page.text).toContain('We sent a request to your device. Approve it there.')
    expect(linkOn(page)).toBeUndefined()
  })

  it('writes the name as text: a device chooses it', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const code = /#code=([a-z0-9]{10})/.exec((await browser.visit('/account')).text)?.[1] ?? ''
    await app.device.activate(`${app.url}/mfa`, code, { name: '<img src=x>{device}' })

    const page = await browser.visit('/mfa')

    expect(page.text).toContain('<bdi>&lt;img src=x&gt;{device}</bdi>')
  })

  it('links to the request in the authenticator, and never with the number', async () => {
    const app = await startWebApp()
    const { account, page } = await app.enroll(app.browser(), 'alice')
    const [request] = (await app.device.requests(account)).requests ?? []

    const link = new URL(linkOn(page) ?? '')

    expect(link.pathname).toBe('/mfa/authenticator/')
    expect(link.search).toBe('')
    expect(link.hash).toBe(`#request=${request?.id}`)
  })

  it('links to the plain address of an authenticator that is not ours', async () => {
    expect(linkOn(await withOldService('https://phone.example/app'))).toBe('https://phone.example/app')
  })

  it('has a button that copies the number, which only a script shows', async () => {
    const app = await startWebApp()
    const { page } = await app.enroll(app.browser(), 'alice')

    expect(page.text).toMatch(/<button type="button"[^>]* id="copy"[^>]* hidden>Copy<\/button>/)
  })
})
