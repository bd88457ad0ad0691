import { describe, expect, it } from 'vitest'

import { fetchWithHost } from '../support/fetch-with-host.ts'
import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

/** A user with a device who has just signed in, and was not asked for anything yet. */
async function arrange() {
  const app = await startWebApp()
  const account = await app.verify(app.browser(), 'alice')
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  const countRequests = async () => (await app.device.requests(account)).requests?.length
  return { app, browser, countRequests }
}

describe('a prefetch or XHR that starts a push', () => {
  it.each([
    ['a page that is loaded ahead', { 'sec-purpose': 'prefetch' }],
    ['a page that is rendered ahead', { 'sec-purpose': 'prefetch;prerender' }],
    ['a page that an older browser loads ahead', { purpose: 'prefetch' }],
    ['a page that an older Firefox loads ahead', { 'x-moz': 'prefetch' }],
    ['a script', { 'sec-fetch-mode': 'cors', accept: '*/*' }],
    ['a script that asks for a page', { 'sec-fetch-mode': 'same-origin', accept: 'text/html' }],
    ['an image', { 'sec-fetch-mode': 'no-cors', accept: 'image/*' }],
    ['a frame', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    ['an embedded object', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'object' }],
  ])('%s sends no request to the device', async (_, headers) => {
    const { browser, countRequests } = await arrange()
    await browser.open('/account')

    const answer = await browser.open('/mfa', headers)
    await browser.open('/account', headers)

    expect([403, 503]).toContain(answer.status)
    expect(await countRequests()).toBe(0)
  })

  inFullRun('a script in a browser that only sends Accept starts no push', async () => {
    const { app, browser, countRequests } = await arrange()
    await browser.open('/account')
    const cookie = `connect.sid=${browser.cookie('connect.sid')}`

    // Node's `fetch` would send `Sec-Fetch-Mode`, as the browsers do that other tests are about.
    const answer = await fetchWithHost(`${app.url}/mfa`, { headers: { cookie, accept: '*/*' } })

    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ error: 'mfa_required', challenge: '/mfa' })
    expect(await countRequests()).toBe(0)
  })

  inFullRun('a refused script opens no challenge and starts no push, however often it asks', async () => {
    const { browser, countRequests } = await arrange()

    await Promise.all(Array.from({ length: 8 }, () => browser.fetch('/account')))

    expect(await countRequests()).toBe(0)
  })

  inFullRun('a user who opens the page starts a push', async () => {
    const { browser, countRequests } = await arrange()

    await browser.visit('/account')

    expect(await countRequests()).toBe(1)
  })
})

describe('a link of another site', () => {
  it('a link of another site decides neither the challenge of a verified user nor where they continue', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const account = await app.verify(browser, 'alice')
    const link = '/mfa?purpose=step_up&returnTo=/danger'

    const answer = await browser.open(link, { 'sec-fetch-site': 'cross-site' })

    expect(answer.headers['location']).toBe('/')
    expect((await app.device.requests(account)).requests).toEqual([])
    expect((await browser.open(link)).headers['location']).toBe('/mfa')
  })
})
