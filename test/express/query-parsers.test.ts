import { expect, it } from 'vitest'

import { startWebApp } from '../support/web-app.ts'

it.each([
  ['turned off', false],
  ['one that makes a URLSearchParams', (text: string) => new URLSearchParams(text)],
])('the pages of mfa() work whatever query parser the app has: %s', async (_, parser) => {
  const app = await startWebApp({ routes: (routes) => void routes.set('query parser', parser) })
  const browser = app.browser()
  const { account, page } = await app.enroll(browser, 'alice')

  const codePage = await browser.visit('/mfa?use=code')
  await app.answer(account, 'approve', /id="number">(\d+)</.exec(page.text)?.[1])
  const reload = /http-equiv="refresh" content="\d+;\s*url=([^"]+)"/i.exec(page.text)?.[1]?.replaceAll('&amp;', '&')
  const completed = await browser.open(reload ?? '/no-reload')

  expect(codePage.text).toContain('name="code"')
  expect(completed.headers['location']).toBe('/account')
})
