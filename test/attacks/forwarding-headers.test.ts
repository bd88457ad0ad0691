import { describe, expect, it } from 'vitest'

import { createBufferingProxy } from '../support/buffering-proxy.ts'
import { createBrowser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** Headers that any client can send, and only a trusted proxy may set. */
const spoofed = {
  'x-forwarded-for': '203.0.113.66',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '8443',
  'x-forwarded-prefix': '//evil.example',
  'x-original-url': '//evil.example',
  'x-rewrite-url': '//evil.example',
  forwarded: 'for=203.0.113.66;host=evil.example;proto=https',
}

describe('spoofed forwarding headers', () => {
  it('spoofed forwarding headers change neither the address on the device, nor links, nor redirects', async () => {
    const app = await startWebApp()
    const account = await app.verify(app.browser(), 'alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const gate = await browser.open('/account', spoofed)
    const page = await browser.open('/mfa', spoofed)
    const [request] = (await app.device.requests(account)).requests ?? []

    expect(gate.headers['location']).toBe('/mfa')
    expect(page.text).not.toMatch(/evil|203\.0\.113|https:/)
    expect(request?.ipAddress).toBe('127.0.0.1')
    await app.answer(account, 'approve', numberOn(page))
    expect((await browser.submit('/mfa/complete', {}, spoofed)).headers['location']).toBe('/account')
  })

  it('neither spoofed forwarding headers nor Host change the link to the authenticator, which contains a code', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.open('/account')

    const page = await browser.open('/mfa', { ...spoofed, host: 'evil.example' })

    expect(page.text).toContain('#code=')
    expect(page.text).not.toContain('evil')
    expect(/href="([^"]+)\/mfa\/authenticator\/#code/.exec(page.text)?.[1]).toBe(
      app.url.replace('127.0.0.1', 'localhost'),
    )
  })

  inFullRun('spoofed forwarding headers do not make another site trusted', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')
    const cookie = `connect.sid=${browser.cookie('connect.sid')}`

    const { status } = await fetch(`${app.url}/mfa/cancel`, {
      method: 'POST',
      headers: { ...spoofed, cookie, origin: 'https://evil.example' },
      redirect: 'manual',
    })

    expect(status).toBe(403)
    expect((await app.device.requests(account)).requests).toHaveLength(1)
  })

  inFullRun.each([
    ['no proxy', undefined, '127.0.0.1'],
    ['the one proxy there is', 1, '198.51.100.7'],
    ['proxies on this machine', 'loopback', '198.51.100.7'],
  ])('with trust in %s, the device shows the observed address and not the claimed one', async (_, trusted, address) => {
    const app = await startWebApp({ trustProxy: trusted })
    const account = await app.verify(app.browser(), 'alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.open('/account')

    await browser.open('/mfa', { 'x-forwarded-for': '203.0.113.66, 198.51.100.7' })

    expect((await app.device.requests(account)).requests?.[0]?.ipAddress).toBe(address)
  })

  it.each([
    ['203.0.113.66, 198.51.100.7:51234', '198.51.100.7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['fe80::7%eth0', 'fe80::7'],
    ['unknown', undefined],
    ['198.51.100.7, unknown', undefined],
  ])('the X-Forwarded-For value %j blocks nobody, and the device shows %j', async (forwarded, address) => {
    const app = await startWebApp({ trustProxy: 1 })
    const account = await app.verify(app.browser(), 'alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.open('/account')

    const page = await browser.open('/mfa', { 'x-forwarded-for': forwarded })

    expect([page.status, (await app.device.requests(account)).requests?.[0]?.ipAddress]).toEqual([200, address])
  })
})

describe('a prefix', () => {
  /** The app behind a proxy that takes `/portal` off, as its `publicUrl` says. */
  async function arrange() {
    let port = 0
    const proxy = await listen(createBufferingProxy({ prefix: '/portal', port: () => port }))
    const app = await startWebApp({ trustProxy: 'loopback', mfa: { publicUrl: `${proxy}/portal/` } })
    port = Number(new URL(app.url).port)
    return { app, proxy, browser: createBrowser(proxy) }
  }

  inFullRun('a prefix that a proxy removes is in every address for the browser', async () => {
    const { app, proxy, browser } = await arrange()
    await browser.submit('/portal/login', { username: 'alice', password: 'secret' })
    const account = await app.activate(await browser.visit('/portal/mfa'))

    const gate = await browser.open('/portal/reports?year=2026')
    const refused = await browser.fetch('/portal/api')
    const page = await browser.open('/portal/mfa')
    await app.answer(account, 'approve', numberOn(page))
    const done = await browser.submit('/portal/mfa/complete')

    expect(gate.headers['location']).toBe('/portal/mfa')
    expect(refused.body.challenge).toBe(`${proxy}/portal/mfa`)
    const paths = [...page.text.matchAll(/(?:href|src|action|url|data-base)="?=?([^"]*)"/g)].map(([, path]) => path)
    expect(paths.length).toBeGreaterThan(6)
    // The icon is part of the page.
    const addresses = paths.filter((path) => !path?.startsWith('data:'))
    expect(addresses.filter((path) => !path?.startsWith('/portal/') && !path?.startsWith(proxy))).toEqual([])
    expect(done.headers['location']).toBe('/portal/reports?year=2026')
    expect((await browser.open('/portal/mfa')).headers['location']).toBe('/portal/reports?year=2026')
  })

  inFullRun('a prefix that a proxy removes is in the link to the authenticator', async () => {
    const { proxy, browser } = await arrange()
    await browser.submit('/portal/login', { username: 'alice', password: 'secret' })

    const page = await browser.visit('/portal/mfa')

    expect(page.text).toContain(`href="${proxy}/portal/mfa/authenticator/#code=`)
  })

  it('the prefixes of a mount path and of a proxy add up', async () => {
    const { publicAddressOf } = await import('../../src/express/request/return-to.ts')

    expect(publicAddressOf('https://app.example/portal', '/admin/mfa')).toEqual({
      base: '/portal/admin/mfa',
      prefix: '/portal',
      host: 'app.example',
    })
    expect(publicAddressOf('https://app.example', '/mfa')).toEqual({ base: '/mfa', prefix: '', host: 'app.example' })
    expect(publicAddressOf(undefined, '/mfa')).toEqual({ base: '/mfa', prefix: '', host: undefined })
  })

  it.each(['https://app.example//evil.example', 'https://app.example/?x', 'https://app.example/#x'])(
    'mfa() refuses at start the publicUrl %j, whose prefix is not a plain path',
    async (publicUrl) => {
      await expect(startWebApp({ mfa: { publicUrl } })).rejects.toThrow(/publicUrl: must be/)
    },
  )
})
