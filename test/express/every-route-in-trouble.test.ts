import type { RequestListener } from 'node:http'

import request from 'supertest'
import { describe, expect, it } from 'vitest'

import type { Browser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startServiceWithDoor } from '../support/service-door.ts'
import { startWebApp } from '../support/web-app.ts'

const refusal =
  (status: number, code: string, headers = {}): RequestListener =>
  (_req, res) => {
    res.writeHead(status, { 'content-type': 'application/vnd.service.v1+json', ...headers })
    res.end(JSON.stringify({ errors: [{ code, message: 'secret detail' }] }))
  }

const troubles: readonly (readonly [string, RequestListener, error: string, retryAfter: string])[] = [
  ['is down', (req) => void req.socket.destroy(), 'unavailable', '5'],
  ['is slow', () => {}, 'slow', '5'],
  ['talks rubbish', (_req, res) => void res.end('<html>welcome</html>'), 'unavailable', '5'],
  ['refuses the key', refusal(401, 'api.error.unauthorized'), 'misconfigured', '5'],
  ['fails', refusal(500, 'api.error.internal'), 'unavailable', '5'],
]

/** All routes that call the service for a user who waits for a device. */
const routes = [
  ['GET', ''],
  ['POST', '/send'],
  ['POST', '/cancel'],
  ['POST', '/code'],
  ['POST', '/email'],
  // Last, because it waits for the decision: by now the client fails fast while the service is slow.
  ['POST', '/complete'],
] as const

/** For a user who may change factors. */
const ownRoutes = [
  ['GET', '/devices'],
  ['GET', '/devices/app'],
  ['GET', '/devices/device'],
  ['POST', '/devices/device'],
  ['GET', '/devices/codes'],
  ['POST', '/devices/codes'],
  ['POST', '/devices/remove'],
] as const

/** @param timeout Of each call, milliseconds: short where a call is to run into it. */
async function arrange(timeout = 10_000) {
  const { door, service } = await startServiceWithDoor()
  const factors = ['push', 'otp', 'bypass', 'email'] as const
  const app = await startWebApp({ mfa: { service, timeout, factors: [...factors] } })
  return { app, door, browser: app.browser() }
}

function ask(url: string, browser: Browser, method: 'GET' | 'POST', path: string, accept: string) {
  const call = method === 'GET' ? request(url).get(`/mfa${path}`) : request(url).post(`/mfa${path}`)
  // A navigation in all but what it accepts, so that pages for scripts are asked for as well.
  return call
    .type('form')
    .send(method === 'POST' ? { code: '123456', kind: 'device', password: '' } : undefined)
    .set({ cookie: browser.cookies(), accept })
    .set({ 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' })
}

describe.each(troubles)('while the service %s', (_, instead, error, retryAfter) => {
  it('every route of the challenge reports a failing service, as a page and as JSON, with Retry-After', async () => {
    const { app, door, browser } = await arrange(error === 'slow' ? 1_000 : undefined)
    await app.enroll(browser, 'alice')
    door.instead = instead

    for (const [method, path] of routes) {
      const page = await ask(app.url, browser, method, path, 'text/html')
      const data = await ask(app.url, browser, method, path, 'application/json')

      expect([path, page.status, page.headers['retry-after']]).toEqual([path, 503, retryAfter])
      expect([path, data.status, data.body.error]).toEqual([path, 503, error])
      expect(page.text + data.text).not.toContain('secret detail')
    }
    expect((await browser.fetch('/account')).status).toBe(403)
  })

  inFullRun('every route of self-service reports a failing service, and the web session stays verified', async () => {
    const { app, door, browser } = await arrange(error === 'slow' ? 1_000 : undefined)
    await app.verify(browser, 'alice')
    door.instead = instead

    for (const [method, path] of ownRoutes) {
      const page = await ask(app.url, browser, method, path, 'text/html')

      expect([path, page.status, page.headers['retry-after']]).toEqual([path, 503, retryAfter])
    }
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })
})

describeInFullRun('while the service is down', () => {
  inFullRun(
    'while the service is down, the held status reports it, and the event stream breaks, so that the page reloads',
    async () => {
      const { app, door, browser } = await arrange()
      await app.enroll(browser, 'alice')
      door.instead = (req) => void req.socket.destroy()

      const held = await ask(app.url, browser, 'GET', '/status', 'application/json')

      expect([held.status, held.body.error, held.headers['retry-after']]).toEqual([503, 'unavailable', '5'])
      await expect(ask(app.url, browser, 'GET', '/events', 'text/event-stream')).rejects.toThrow('aborted')
    },
  )

  it('the page of a busy service sets Retry-After', async () => {
    const { app, door, browser } = await arrange()
    await app.enroll(browser, 'alice')
    door.instead = refusal(429, 'api.error.toomanyrequests', { 'retry-after': '7' })

    const page = await ask(app.url, browser, 'GET', '', 'text/html')

    expect([page.status, page.headers['retry-after']]).toEqual([503, '7'])
  })
})
