import { describe, expect, it } from 'vitest'

import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

describe('a user who sends too many requests', () => {
  it('a user who sends too many requests is told how long to wait, and is offered other ways', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')
    await app.answer(account, 'deny')
    for (let attempt = 0; attempt < 4; attempt++) {
      await browser.submit('/mfa/send')
      await app.answer(account, 'deny')
    }

    await browser.submit('/mfa/send')
    const page = await browser.visit('/mfa')

    expect(page.text).toContain('Wait a moment')
    expect(page.text).toContain('You can send the next request in 10 minutes.')
    expect(page.text).toContain('<a class="button" href="/mfa?use=other">Other ways to sign in</a>')
    await app.clock.advance(600)
    await browser.submit('/mfa/send')
    expect((await browser.visit('/mfa')).text).toContain('Approve the sign-in')
  })

  inFullRun('a new web session does not get around the wait for the next request', async () => {
    const app = await startWebApp()
    const { account } = await app.enroll(app.browser(), 'alice')
    await app.answer(account, 'report')
    const thief = app.browser()
    await app.signIn(thief, 'alice')

    const page = await thief.visit('/account')

    expect(page.text).toContain('Wait a moment')
    expect((await app.device.requests(account)).requests).toEqual([])
  })
})

describeInFullRun('an attacker who guesses codes', () => {
  it('codes are paused after five wrong tries, and the device can still approve', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    for (const triesLeft of [4, 3, 2]) {
      await browser.submit('/mfa/code', { code: '000000' })
      expect((await browser.visit('/mfa?use=code')).text).toContain(`${triesLeft} tries left.`)
    }
    await browser.submit('/mfa/code', { code: '000000' })
    const last = await browser.visit('/mfa?use=code')

    await browser.submit('/mfa/code', { code: '000000' })

    const paused = await browser.visit('/mfa?use=code')
    expect(last.text).toContain('One more wrong code pauses codes for 15 minutes</h1>')
    expect(paused.text).toContain('Too many tries</h1>')
    // As long as this sign-in would last: the next one has tries of its own.
    expect(paused.text).toContain('Codes work again in 15 minutes.')
    expect(paused.text).toContain('You can still approve on your device.')
    await app.answer(account, 'approve', numberOn(page))
    await browser.submit('/mfa/complete')
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })
})
