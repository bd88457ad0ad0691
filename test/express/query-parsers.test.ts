import { expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'

it.each([
  ['turned off', false],
  ['one that makes a URLSearchParams', (text: string) => new URLSearchParams(text)],
])('the pages of mfa() work with any query parser of the app: %s', async (_, parser) => {
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

inFullRun('a link to the challenge page may contain a return address with a query, as it is', async () => {
  const app = await startWebApp()
  const browser = app.browser()
  const account = await app.verify(browser, 'alice')
  app.clock.skip(400)

  const page = await browser.visit('/mfa?purpose=step_up&maxAge=300&returnTo=/danger?from=mail')
  await app.answer(account, 'approve', /id="number">(\d+)</.exec(page.text)?.[1])
  const completed = await browser.submit('/mfa/complete')

  expect(completed.headers['location']).toBe('/danger?from=mail')
})
