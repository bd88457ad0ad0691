import { createClient } from 'second-factor/client'
import { describe, expect, it } from 'vitest'

import { codeAt, stepAt } from '../../src/service/features/codes/totp.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import type { WebAppOptions } from '../support/web-app.ts'

/** The attacker knows only alice's password, and tries to keep her from signing in. */
const cookie = 'mfa-browser'

const isIn = async (browser: Browser) => (await browser.fetch('/account')).body.verified === true

/** Alice has a device and a hardware token, has passed in a browser, and has signed out there. */
async function arrange(options: WebAppOptions = {}) {
  const app = await startWebApp(options)
  const home = app.browser()
  const account = await app.verify(home, 'alice')
  const { baseUrl, apiKey, fetch } = await app.service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })
  const seed = '31'.repeat(20)
  const { id } = await client.hardware.create({ serialNumber: 'one', type: 'TOTP6', timeStep: 30, seed })
  await client.hardware.assign((await client.users.getByUsername('alice')).id, id)
  const code = () => codeAt({ seed, digits: 6 }, stepAt(app.clock.now(), 30))
  // Her factors have changed, so she passes again in her browser.
  await home.open('/logout')
  await app.signIn(home, 'alice')
  await app.answer(account, 'approve', numberOn(await home.visit('/account')))
  await home.submit('/mfa/complete')
  if (!(await isIn(home))) throw new Error('alice has to be in')
  await home.open('/logout')

  async function enter(browser: Browser, username = 'alice') {
    await app.signIn(browser, username)
    return browser
  }
  /** A new browser, with this cookie if one is given. */
  const browserWith = (value?: string) => createBrowser(app.url, new Map(value === undefined ? [] : [[cookie, value]]))
  /** Uses up all wrong codes and all requests that a browser is allowed. */
  async function spend(value?: string) {
    for (let round = 0; round < 3; round += 1) {
      const thief = await enter(browserWith(value))
      for (let guess = 0; guess < 4; guess += 1) await thief.submit('/mfa/code', { code: '000000' })
    }
    for (let round = 0; round < 6; round += 1) {
      const thief = await enter(browserWith(value))
      await thief.visit('/account')
      await thief.submit('/mfa/cancel')
    }
  }
  const byCode = async (browser: Browser) => {
    await enter(browser)
    await browser.submit('/mfa/code', { code: code() })
    return isIn(browser)
  }
  const byPush = async (browser: Browser) => {
    await enter(browser)
    const page = await browser.visit('/account')
    if (!page.text.includes('id="number"')) return false
    await app.answer(account, 'approve', numberOn(page))
    await browser.submit('/mfa/complete')
    return isIn(browser)
  }
  return { ...app, home, account, code, enter, browserWith, spend, byCode, byPush }
}

describe('using up all tries of another user', () => {
  it('using up all tries of another user locks neither codes nor the device in the owner’s known browser', async () => {
    const app = await arrange()

    await app.spend()

    const elsewhere = [await app.byCode(app.browserWith()), await app.byPush(app.browserWith())]
    const atHome = await app.byCode(app.home)
    await app.home.open('/logout')
    expect(elsewhere).toEqual([false, false])
    expect([atHome, await app.byPush(app.home)]).toEqual([true, true])
  })

  inFullRun('an invented cookie or another user’s cookie uses up no tries of the owner’s known browsers', async () => {
    const app = await arrange()
    const mallory = app.browser()
    await app.verify(mallory, 'mallory')

    for (const value of [mallory.cookie(cookie), 'A'.repeat(22), 'none']) await app.spend(value)

    expect(await app.byCode(app.home)).toBe(true)
  })

  inFullRun('an attacker gains no tries from a cookie that was planted in the owner’s browser', async () => {
    const app = await arrange()
    const mallory = app.browser()
    await app.verify(mallory, 'mallory')
    const planted = mallory.cookie(cookie) ?? ''
    const victim = app.browserWith(planted)
    await app.byPush(victim)
    await app.spend()

    expect(victim.cookie(cookie)).not.toBe(planted)
    expect([await app.byCode(app.browserWith(planted)), await app.byPush(app.browserWith(planted))]).toEqual([
      false,
      false,
    ])
  })

  it('a known browser is not a factor and does not pass the gate', async () => {
    const app = await arrange({ mfa: { remember: { days: 30 } } })

    const thief = await app.enter(app.browserWith(app.home.cookie(cookie)))

    expect([await isIn(thief), (await thief.fetch('/x')).status]).toEqual([false, 403])
  })
})
