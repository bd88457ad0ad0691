import { MemoryStore } from 'express-session'
import { describe, expect, it } from 'vitest'

import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** The address that a page of a challenge loads again by itself, where there is no script. */
const reloadOf = (page: { text: string }) => /content="\d+;url=([^"]+)"/.exec(page.text)?.[1] ?? ''

describe('two tabs', () => {
  inFullRun('two tabs continue at the same page when the second follows the first', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await app.answer(account, 'approve', numberOn(page))

    const firstAnswer = await browser.submit('/mfa/complete')
    const secondAnswer = await browser.submit('/mfa/complete')

    expect([firstAnswer.headers['location'], secondAnswer.headers['location']]).toEqual(['/account', '/account'])
    expect((await browser.open('/mfa')).headers['location']).toBe('/account')
  })

  it('when two tabs complete at once, the new session id arrives before the other tab continues', async () => {
    const store = new MemoryStore()
    const happened: string[] = []
    const app = await startWebApp({ session: { store }, mfa: { onEvent: ({ type }) => void happened.push(type) } })
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await app.answer(account, 'approve', numberOn(page))
    const saved = Promise.withResolvers<void>()
    const save = store.set.bind(store)
    store.set = (...args) => void saved.promise.then(() => save(...args))

    const arrived: (string | undefined)[] = []
    const completing = [browser, browser.copy()].map(async (tab) => {
      arrived.push((await tab.submit('/mfa/complete')).headers['location'])
    })
    await expect.poll(() => happened).toContain('challenge.refused')
    await fetch(`${app.url}/mfa/assets/style.css`)
    const early = [...arrived]
    saved.resolve()
    await Promise.all(completing)

    expect(early).toEqual([])
    expect(arrived).toEqual(['/account', '/mfa?spent'])
  })

  inFullRun('two tabs show the same number and share one request', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')

    const secondPage = await browser.visit('/reports')

    expect(numberOn(secondPage)).toBe(numberOn(page))
    expect((await app.device.requests(account)).requests).toHaveLength(1)
  })

  inFullRun('tabs that send again at the same moment send one request', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')
    await app.clock.advance(15)

    await Promise.all(Array.from({ length: 8 }, () => browser.copy().submit('/mfa/send')))

    expect((await app.device.requests(account)).requests).toHaveLength(1)
  })
})

describe('a stale tab', () => {
  it('a stale tab does not complete the challenge after its own', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await app.clock.advance(901)
    const next = await browser.visit('/account')
    await browser.submit('/mfa/send')
    await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))

    expect(reloadOf(page)).not.toBe(reloadOf(next))
    expect((await browser.open(reloadOf(page))).headers['location']).toBeUndefined()
    expect((await browser.fetch('/account')).status).toBe(403)
  })

  inFullRun.each(['/mfa/send', '/mfa/cancel', '/mfa/code', '/mfa/email'])(
    'a stale tab of a passed challenge requests nothing with %s, and goes where the other tab went',
    async (path) => {
      const app = await startWebApp()
      const browser = app.browser()
      const account = await app.verify(browser, 'alice')

      const answer = await browser.submit(path, { code: '123456' })

      expect(answer.headers['location']).toBe('/account')
      expect((await app.device.requests(account)).requests).toEqual([])
      expect((await browser.fetch('/account')).body.verified).toBe(true)
    },
  )

  inFullRun('a stale tab of a signed-out user completes nothing for the next user', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await app.answer(account, 'approve', numberOn(page))
    await browser.submit('/logout')
    await app.signIn(browser, 'bob')

    await browser.open(reloadOf(page))
    await browser.submit('/mfa/complete')

    expect((await browser.fetch('/account')).status).toBe(403)
  })
})

describeInFullRun('the back button', () => {
  it('going back to a passed challenge continues to the app, and sends no request', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const account = await app.verify(browser, 'alice')

    const answer = await browser.open('/mfa')

    expect(answer.headers['location']).toBe('/account')
    expect((await app.device.requests(account)).requests).toEqual([])
  })
})
