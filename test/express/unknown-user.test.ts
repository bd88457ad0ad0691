import { describe, expect, it } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'
import { startService } from '../service/start-service.ts'

/** All routes below the challenge path that act for a user who has not passed, in the order in which they can be tried. */
const routes = [
  '/code',
  '/email',
  '/passkey/options',
  '/passkey',
  '/passkey/code',
  '/browser',
  '/enroll/app',
  '/enroll/passkey/options',
  '/enroll/passkey',
  '/complete',
  '/cancel',
  '/send',
] as const

/** What a form or a script of these pages may send. */
const fields = { code: '123456', response: '{}', signature: 'AAAA', challenge: '0'.repeat(32) }

async function start(provision: boolean) {
  const service = await startService()
  const { origin, apiKey, domain, clock } = service
  const connection = { baseUrl: `${origin}/api`, apiKey, domainId: domain.id }
  const factors = ['passkey', 'push', 'otp', 'email', 'bypass'] as const
  const app = await startWebApp({ mfa: { service: connection, clock, provision, factors: [...factors] } })
  const url = app.url.replace('127.0.0.1', 'localhost')
  return { app, service, browser: createBrowser(url) }
}

/** @returns the routes that answer as if the service had failed. */
async function failing(browser: Browser): Promise<readonly string[]> {
  const failed: string[] = []
  for (const route of routes) {
    const { status, text } = await browser.submit(`/mfa${route}`, fields)
    if (status >= 500) failed.push(`${route} ${status} ${text.slice(0, 200)}`)
  }
  return failed
}

describe('a user whom the service does not know', () => {
  it.each([true, false])('an unknown user who opens no page gets no failure (provision: %s)', async (provision) => {
    const { app, browser } = await start(provision)
    await app.signIn(browser, 'alice')

    expect(await failing(browser)).toEqual([])
    expect(app.trouble).toEqual([])
  })

  inFullRun('an unknown user who enters a code is told how to set up a device', async () => {
    const { app, browser } = await start(true)
    await app.signIn(browser, 'alice')

    const page = await browser.submit('/mfa/code', { code: '123456' })

    expect([page.status, page.headers['location']]).toEqual([303, '/mfa'])
    expect((await browser.visit('/mfa')).text).toContain('#code=')
  })

  it('a user who was deleted while a page was open gets no failure', async () => {
    const { app, browser, service } = await start(true)
    await app.signIn(browser, 'alice')
    await browser.visit('/account')
    const { json } = await service.call('GET', '/users?username=alice')
    await service.call('DELETE', `/users/${json.id}`)

    expect(await failing(browser)).toEqual([])
    expect((await browser.fetch('/account')).status).toBe(403)
  })
})
