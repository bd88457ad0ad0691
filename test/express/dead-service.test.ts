import { describe, expect, it } from 'vitest'

import type { Browser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { startServiceWithDoor } from '../support/service-door.ts'
import { startWebApp } from '../support/web-app.ts'

/** Long enough for a busy machine while the service still answers, ms. */
const timeout = 500

/** Connections are taken, and nothing ever comes back. */
const silence = () => {}

/** An app that knew the service well before it fell silent. */
async function arrange() {
  const { door, service } = await startServiceWithDoor()
  const app = await startWebApp({ mfa: { service, timeout, maxConcurrency: 20 } })
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  expect((await browser.visit('/account')).status).toBe(200)
  Object.assign(door, { instead: silence, asked: 0 })
  return { app, door, browser }
}

/** One of many people who need an answer of their own. */
const enterCode = (browser: Browser) => browser.copy().submit('/mfa/code', { code: '123456' })

describe('a service that stops answering', () => {
  it('a service that stops answering does not block the app: 100 users get answers, and few calls are made', async () => {
    const { app, door, browser } = await arrange()

    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const { status, headers } = await enterCode(browser)
        return { status, retryAfter: headers['retry-after'] }
      }),
    )

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
    expect(answers.every(({ retryAfter }) => Number(retryAfter) > 0)).toBe(true)
    // The first four that give up make room for four others. After the fifth, no call is admitted.
    expect(door.asked).toBeLessThanOrEqual(24)
    expect((await app.browser().fetch('/')).status).toBe(200)
  })

  it('the app stops waiting for a silent service: the next users get Retry-After at once, and no call is made', async () => {
    const { door, browser } = await arrange()
    await Promise.all(Array.from({ length: 10 }, () => enterCode(browser)))
    const { asked: callsBefore } = door

    const [page, data] = [await browser.open('/mfa'), await browser.fetch('/mfa/status')]

    expect([page.status, page.headers['retry-after']]).toEqual([503, '5'])
    expect(data.body.error).toBe('slow')
    expect(door.asked).toBe(callsBefore)
  })

  inFullRun(
    'the app detects automatically that a service answers again: one call tries for all after five seconds',
    async () => {
      const { app, door, browser } = await arrange()
      await Promise.all(Array.from({ length: 10 }, () => enterCode(browser)))
      await app.clock.advance(5)
      Object.assign(door, { asked: 0 })

      await Promise.all(Array.from({ length: 10 }, () => enterCode(browser)))
      expect(door.asked).toBe(1)

      door.instead = undefined
      await app.clock.advance(5)
      expect((await browser.open('/mfa')).status).toBe(200)
      expect((await Promise.all([browser.open('/mfa'), browser.open('/mfa')])).map(({ status }) => status)).toEqual([
        200, 200,
      ])
    },
  )
})
