import { describe, expect, it } from 'vitest'

import { frameworks, startOn } from '../support/frameworks.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

describe.each(frameworks)('signing in on %s', (framework) => {
  inFullRun('a user without a device sets one up, and is verified only once that device has approved', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const enrolling = await browser.visit('/account?tab=2')
    expect(enrolling.path).toBe('/mfa')
    expect(enrolling.text).toContain('Set up your device')
    const account = await app.activate(enrolling)
    expect((await browser.open('/account')).status).toBe(303)

    const waiting = await browser.visit('/mfa')
    expect(waiting.text).toContain('Approve the sign-in')
    await app.answer(account, 'approve', numberOn(waiting))
    expect((await browser.fetch('/account')).status).toBe(403)

    const done = await browser.submit('/mfa/complete')
    expect(done.headers['location']).toBe('/account')
    expect((await browser.fetch('/account')).body).toMatchObject({
      verified: true,
      user: { username: 'alice' },
      mfa: { verified: { factor: 'push', at: app.clock.now() } },
    })
  })

  inFullRun('a sign-in continues at the page requested first, with its query', async () => {
    const app = await startOn(framework)
    const firstBrowser = app.browser()
    const account = await app.verify(firstBrowser, 'alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const page = await browser.visit('/reports?year=2026')
    await app.answer(account, 'approve', numberOn(page))

    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/reports?year=2026')
  })

  inFullRun('a sign-in needs no JavaScript: the page continues by reloading', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    const reload = /content="\d+;url=([^"]+)"/.exec(page.text)?.[1] ?? ''
    expect((await browser.open(reload)).status).toBe(200)

    await app.answer(account, 'approve', numberOn(page))
    const answer = await browser.open(reload)

    expect(answer.headers['location']).toBe('/account')
    expect((await browser.fetch('/x')).body.verified).toBe(true)
  })

  inFullRun.each([
    ['denied', 'deny', 'You denied this sign-in', 'action="/mfa/send"'],
    ['reported as not theirs', 'report', 'Reported', 'href="/mfa?use=code"'],
  ] as const)('the page of a sign-in that was %s says so and offers a way on', async (_, decision, headline, way) => {
    const app = await startOn(framework)
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')

    await app.answer(account, decision)
    const page = await browser.visit('/mfa')

    expect(page.text).toContain(headline)
    expect(page.text).toContain(way)
    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/mfa')
    expect((await browser.fetch('/account')).status).toBe(403)
  })

  inFullRun('a wrong number ends the sign-in request, and a new request can be approved', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    const wrong = numberOn(page) === '10' ? '11' : '10'

    const answered = await app.answer(account, 'approve', wrong)
    expect(answered).toMatchObject({ state: 'denied', reason: 'wrong_number' })
    expect((await browser.visit('/mfa')).text).toContain('That wasn&#39;t the right number')

    await browser.submit('/mfa/send')
    const secondPage = await browser.visit('/mfa')
    await app.answer(account, 'approve', numberOn(secondPage))
    await browser.submit('/mfa/complete')
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  inFullRun('a sign-in request that is not answered times out, and can be sent again', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')

    await app.clock.advance(91)
    expect((await browser.visit('/mfa')).text).toContain('Time ran out')
    await expect(app.answer(account, 'approve', '10')).rejects.toThrow('nothing is pending')

    await browser.submit('/mfa/send')
    expect((await browser.visit('/mfa')).text).toContain('Approve the sign-in')
  })

  inFullRun('canceling a sign-in cancels the request on the device', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')

    await browser.submit('/mfa/cancel')

    expect((await browser.visit('/mfa')).text).toContain('The sign-in was canceled')
    expect((await app.device.requests(account)).requests).toEqual([])
  })

  inFullRun('a sign-in sends one request, however often and in how many tabs the page is loaded', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')

    await Promise.all(Array.from({ length: 10 }, () => browser.visit('/account')))

    expect((await app.device.requests(account)).requests).toHaveLength(1)
  })

  inFullRun('a sign-in sends one request when its first page is loaded ten times at once', async () => {
    const app = await startOn(framework)
    const account = await app.verify(app.browser(), 'alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.open('/account')

    await Promise.all(Array.from({ length: 10 }, () => browser.open('/mfa')))

    expect((await app.device.requests(account)).requests).toHaveLength(1)
  })

  inFullRun('a sign-in sends no second request within 15 seconds of the first', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')

    await browser.submit('/mfa/send')
    expect(numberOn(await browser.visit('/mfa'))).toBe(numberOn(page))
    await app.clock.advance(15)
    await browser.submit('/mfa/send')

    const { requests } = await app.device.requests(account)
    expect(requests).toHaveLength(1)
    expect(requests?.[0]?.createdAt).toBe(app.clock.now())
  })

  inFullRun('a sign-in request shows user, address and browser on the device, but never the number', async () => {
    const app = await startOn(framework)
    const { account, page } = await app.enroll(app.browser(), 'alice')

    const { requests } = await app.device.requests(account)

    expect(requests).toMatchObject([
      {
        user: { username: 'alice' },
        ipAddress: '127.0.0.1',
        attributes: [
          { key: 'Browser', value: 'Firefox' },
          { key: 'System', value: 'Linux' },
        ],
        numberLength: 2,
      },
    ])
    expect(requests?.[0]).not.toHaveProperty('number')
    expect(numberOn(page)).toMatch(/^\d\d$/)
  })

  it('a sign-in reports that the service does not respond, verifies no one, and continues when it is back', async () => {
    let isUp = false
    const errors: string[] = []
    const logger = { info() {}, warn() {}, error: (message: string) => void errors.push(message) }
    const { service } = await startOn(framework)
    const flaky = { ...service, connect: () => (isUp ? service.connect() : Promise.reject(new Error('disk full'))) }
    const app = await startOn(framework, { mfa: { service: flaky, logger } })
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const down = await browser.visit('/account')
    expect(down.status).toBe(503)
    expect(down.headers['retry-after']).toBe('5')
    expect(down.text).toContain('We can&#39;t verify you right now')
    expect(down.text).not.toContain('disk full')
    // At the start, and by the request.
    expect(errors).toEqual([expect.stringContaining('disk full'), expect.stringContaining('disk full')])

    isUp = true
    expect((await browser.visit('/account')).text).toContain('Set up your device')
  })
})

describeInFullRun.each(frameworks)('a step-up on %s', (framework) => {
  it('a step-up is required when the second step is too long ago, and returns to the page', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    const account = await app.verify(browser, 'alice')
    expect((await browser.open('/danger')).status).toBe(200)
    await app.clock.advance(300)

    const page = await browser.visit('/danger')
    expect(page.text).toContain('Confirm that it&#39;s you')
    expect((await browser.fetch('/account')).body.verified).toBe(true)
    await app.answer(account, 'approve', numberOn(page))

    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/danger')
    expect((await browser.open('/danger')).text).toBe('danger')
  })

  it('a script that needs a step-up gets JSON instead of a redirect', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    await app.verify(browser, 'alice')
    await app.clock.advance(300)

    const answer = await browser.fetch('/danger')

    expect(answer.status).toBe(403)
    expect(answer.body).toMatchObject({ error: 'mfa_required', challenge: '/mfa?purpose=step_up' })
  })
})

describeInFullRun('a passed second step', () => {
  it('a passed second step is valid for twelve hours, no longer', async () => {
    const app = await startWebApp({ session: { rolling: true } })
    const browser = app.browser()
    await app.verify(browser, 'alice')

    app.clock.skip(43_199)
    expect((await browser.fetch('/account')).body.verified).toBe(true)
    await app.clock.advance(1)
    expect((await browser.fetch('/account')).status).toBe(403)
  })
})
