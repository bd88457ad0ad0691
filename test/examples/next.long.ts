import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import type { Page, Request } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'

import { systemClock } from '../../src/ground/clock.ts'
import { choosePhone, numberOn, signIn } from '../story/person.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { people } from '../support/web-app.ts'
import { installExample, npm } from './install-example.ts'
import { startExample } from './start-example.ts'

const chromium = await sharedChromium()
const folder = await installExample('next')
await npm(folder, 'run', 'build')
// As `npm start` does, but without https. Next passes actions on to itself at this port.
const env = {
  PORT: String(await freePort()),
  NODE_ENV: 'test',
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'movable-clock.ts')}`,
}
const example = await startExample(join(folder, 'server.js'), env, { shared: folder, until: afterAll })
const { device, activate, answer } = people(example.url, systemClock)

const isPrefetch = (request: Request) => request.headers()['next-router-prefetch'] !== undefined

describe('next', () => {
  it('next is behind the gate with its pages, what its router fetches, its actions and its API', async () => {
    const browser = example.browser()
    const rsc = { rsc: '1', accept: '*/*', 'sec-fetch-mode': 'cors' }
    expect((await browser.visit('/')).path).toBe('/login')
    await example.signIn(browser, 'bob')

    expect((await browser.open('/transfer')).headers['location']).toBe('/mfa')
    expect((await browser.open('/?_rsc=1', rsc)).status).toBe(403)
    expect((await browser.open('/?_rsc=1', { ...rsc, 'next-router-prefetch': '1' })).status).toBe(403)
    expect((await browser.submit('/', {}, { 'next-action': '0' })).headers['location']).toBe('/mfa')
    expect((await browser.fetch('/api/me')).status).toBe(403)
    expect((await browser.fetch('/_next/static/none.js')).status).toBe(404)
    await example.passSecondStep(browser)

    expect((await browser.fetch('/api/me')).body).toEqual({ factor: 'push' })
  })

  it('next leads users to the second step when its router opens a page or an action needs it, and never for a prefetch', async () => {
    const page = await keptPage(chromium)
    await page.goto(`${example.url}/login`)
    await signIn(page, 'alice', 'secret')
    await choosePhone(page)
    const account = await activate({ text: await page.content() })
    const approve = async () => {
      await page.locator('#number').waitFor()
      await answer(account, 'approve', await numberOn(page))
    }
    await approve()
    await page.getByRole('button', { name: 'Not now' }).click()
    await page.getByText('You passed by push.').waitFor()

    await example.moveClock()
    const refused = page.waitForResponse((response) => isPrefetch(response.request()) && response.status() === 403)
    await page.reload()
    await refused
    expect((await device.requests(account)).requests).toEqual([])
    expect(page.url()).toBe(`${example.url}/`)

    await page.getByRole('link', { name: 'Send money' }).click()
    await approve()
    await page.waitForURL(`${example.url}/transfer`)
    await send(page, '5')
    await page.getByText('Sent 5, confirmed by push.').waitFor()

    await example.moveClock()
    const sent = page.waitForRequest((request) => request.headers()['next-action'] !== undefined)
    await send(page, '6')
    const action = await sent
    await page.waitForURL(`${example.url}/mfa`)
    // Next finds the page by this spelling, and the guard in front of it does not.
    const actPastGuard = async () => {
      const headers = { 'next-action': action.headers()['next-action']!, accept: 'text/x-component' }
      const multipart = { 0: '["","$K1"]' }
      return (await page.request.post(`${example.url}/%74ransfer`, { headers, multipart })).text()
    }
    expect(await actPastGuard()).not.toContain('Sent')
    await approve()
    await page.waitForURL(`${example.url}/transfer`)
    await send(page, '7')
    await page.getByText('Sent 7, confirmed by push.').waitFor()
    expect(await actPastGuard()).toContain('Sent')
  })
})

async function send(page: Page, amount: string): Promise<void> {
  await page.getByLabel('Amount').fill(amount)
  await page.getByRole('button', { name: 'Send' }).click()
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
