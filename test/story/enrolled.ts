import type { BrowserContextOptions, Page } from 'playwright-core'

import { phoneOptions } from '../authenticator/phone.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startExampleApp } from '../support/example-app.ts'
import { activate, password } from './person.ts'

const chromium = await sharedChromium()

/** Two people's worth of browsers: one for the app, one that stands for the phone. */
export async function arrange(web: BrowserContextOptions = {}) {
  const url = await startExampleApp()
  const [page, phone] = [
    await keptPage(chromium, web),
    await keptPage(chromium, { ...phoneOptions, reducedMotion: 'reduce' }),
  ]
  return { url, phone, page }
}

/** A new account, as the main path makes it on its pages, and its password. */
async function enter(page: Page, url: string): Promise<void> {
  const post = (path: string, form: Record<string, string>) =>
    page.request.post(url + path, { form, headers: { 'sec-fetch-site': 'same-origin' }, maxRedirects: 0 })
  const account = { username: 'alice', password }
  await post('/sign-up', { ...account, name: 'alice', email: 'alice@example.com' })
  await post('/sign-in', account)
  await page.goto(`${url}/account`)
}

/** From nothing to the open request of a person who has just set up a device. */
export async function enrolled(web?: BrowserContextOptions) {
  const arranged = await arrange(web)
  const { page, phone, url } = arranged
  await enter(page, url)
  const authenticator = await activate(phone, page)
  if (web?.javaScriptEnabled === false) await reload(page)
  await page.locator('#number').waitFor()
  return { ...arranged, authenticator }
}

/** As the page does by itself after some seconds. */
export async function reload(page: Page): Promise<void> {
  const refresh = await page.locator('meta[http-equiv=refresh]').getAttribute('content')
  const [, address = ''] = /^\d+;url=(.+)/.exec(refresh ?? '') ?? []
  await page.goto(new URL(address, page.url()).href)
}
