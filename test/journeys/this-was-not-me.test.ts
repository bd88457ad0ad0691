import { describe, expect, it, onTestFinished } from 'vitest'

import { startOwnApp } from '../express/own-factors.ts'
import { axeViolations } from '../support/axe.ts'
import { keptPage } from '../support/kept-page.ts'
import { startMailServer } from '../support/mail-server.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { inFullRun } from '../support/full-run.ts'

const chromium = await sharedChromium()
/** Where the authenticator of the app is said to be; here it is the app itself. */
const authenticatorUrl = 'https://phones.example/mfa'

/** A person who has made recovery codes, of which a mail tells, and the link in it. */
async function arrange() {
  const mail = await startMailServer()
  onTestFinished(mail.close)
  const smtp = { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' }
  const app = await startOwnApp({ authenticatorUrl }, {}, undefined, undefined, { smtp })
  const { browser, account } = await app.withDevice()
  await app.makeCodes(browser)
  const findMail = () => mail.mails.find(({ text }) => text.startsWith('New recovery codes were made'))
  while (!findMail()) await mail.arrival()
  const text = findMail()!.text
  const link = /https:\/\/phones\.example(\/mfa\/not-me\/\S+)/.exec(text)?.[1]
  expect(link).toBeDefined()
  return { app, browser, account, text, link: app.url + link }
}

describe('a person who reads of a change that was not theirs', () => {
  it('a person reports a change that was not theirs from the mail, without a password, in one press', async () => {
    const { app, browser, text, link } = await arrange()
    const page = await keptPage(chromium, { viewport: { width: 390, height: 844 }, javaScriptEnabled: false })

    // What the mail says is what the page asks about.
    expect(text).toContain('By: you')
    await page.goto(link)
    await page.getByText('New recovery codes were made at Test').waitFor()
    expect((await browser.fetch('/account')).body.verified).toBe(true)
    await page.getByRole('button', { name: "This wasn't me" }).click()
    await page.getByRole('heading', { name: 'Your administrator was told' }).waitFor()
    await app.clock.advance(60)

    // The web session of whoever did it is over, and no request reaches the phone.
    expect((await browser.visit('/account')).text).toContain('You can send the next request in 14 minutes.')
    expect((await app.client.users.getByUsername('alice')).factors).toContain('bypass')
    await page.reload()
    expect(await page.getByRole('button').count()).toBe(0)
    expect(await page.getByRole('heading').innerText()).toBe('Your administrator was told')
  })

  inFullRun(
    'the page for a change that was not theirs is accessible in light and dark, and fits a small phone',
    async () => {
      const { link } = await arrange()
      const violations: string[] = []
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await keptPage(chromium, { viewport: { width: 320, height: 568 }, colorScheme })
        await page.goto(link)
        violations.push(...(await axeViolations(page)))
        const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
        if (wide) violations.push('wider than the screen')
      }

      expect(violations).toEqual([])
    },
  )
})
