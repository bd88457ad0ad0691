import type { MfaEvent } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** How many posts come at once: more than any limit there is. */
const many = 64

describe(`a budget raced by ${many} parallel posts`, () => {
  it('parallel posts cannot exceed the code budget: five are checked, and the fifth and all others pause', async () => {
    const events: MfaEvent[] = []
    const app = await startWebApp({ mfa: { onEvent: (event) => void events.push(event) } })
    const browser = app.browser()
    await app.enroll(browser, 'alice')
    const count = (type: MfaEvent['type']) => events.filter((event) => event.type === type).length

    await Promise.all(Array.from({ length: many }, () => browser.copy().submit('/mfa/code', { code: '000000' })))

    expect(count('code.wrong')).toBe(5)
    expect(count('code.paused')).toBe(many - 4)
    expect((await browser.visit('/mfa?use=code')).text).toContain('Codes work again in')
  })

  inFullRun('parallel posts from many web sessions leave three push requests pending, no more', async () => {
    const app = await startWebApp()
    const account = await app.verify(app.browser(), 'alice')
    const browsers = Array.from({ length: 8 }, () => app.browser())
    for (const browser of browsers) {
      await app.signIn(browser, 'alice')
      await browser.open('/account')
    }

    await Promise.all(
      Array.from({ length: many }, (_, index) => browsers[index % browsers.length]!.copy().submit('/mfa/send')),
    )

    expect((await app.device.requests(account)).requests).toHaveLength(3)
  })

  inFullRun(
    'parallel posts cannot redeem an approval twice: one browser with a copied cookie is verified',
    async () => {
      const app = await startWebApp()
      const browser = app.browser()
      const { account, page } = await app.enroll(browser, 'alice')
      await app.answer(account, 'approve', numberOn(page))
      const copies = Array.from({ length: many }, () => browser.copy())

      await Promise.all(copies.map((copy) => copy.submit('/mfa/complete')))
      const verified = await Promise.all(
        copies.map(async (copy) => (await copy.fetch('/account')).body.verified === true),
      )

      expect(verified.filter(Boolean)).toHaveLength(1)
    },
  )
})
