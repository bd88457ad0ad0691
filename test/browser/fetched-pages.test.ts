import { createRequire } from 'node:module'

import type { Express } from 'express'
import type { Page } from 'playwright-core'
import { requireMfa } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { describeInFullRun, isLongRun } from '../support/full-run.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()
const { resolve } = createRequire(import.meta.url)

/** An app whose pages load such a library, and in which `/danger` asks for a new second step. */
async function openApp(library: string, content: string) {
  const routes = (app: Express) => {
    app.post('/danger', requireMfa({ maxAge: 300 }), (_req, res) => res.redirect(303, '/page'))
    app.get('/library.js', (_req, res) => res.sendFile(resolve(library)))
    app.get('/page', (_req, res) => void res.send(`<!doctype html><script src="/library.js"></script>${content}`))
  }
  const app = await startWebApp({ routes })
  const user = app.browser()
  const account = await app.verify(user, 'alice')
  await app.clock.advance(400)
  const page = await keptPage(chromium)
  await page.context().addCookies(user.cookiesAt(app.url))
  await page.goto(`${app.url}/page?tab=2`)
  const pendingCount = async () => (await app.device.requests(account)).requests?.length ?? 0
  const approve = async () => app.answer(account, 'approve', numberOn({ text: await page.content() }))
  return { app, page, pendingCount, approve }
}

/** The page of the second step is a page of its own: nothing of the app is left around it. */
async function atChallenge(page: Page) {
  await page.waitForURL(/\/mfa$/)
  await page.locator('#number').waitFor()
  expect(await page.locator('#content').count()).toBe(0)
}

const versions = isLongRun ? ['htmx-4', 'htmx-2', 'htmx-1'] : ['htmx-4']

describe.each(versions.map((version) => `${version}/dist/htmx.min.js`))('%s', (library) => {
  it(`a button of ${library} opens the second step as a page, asks the device once, and returns to its page`, async () => {
    const content = '<main id="content"><button hx-get="/danger" hx-target="#content">Go</button></main>'
    const { app, page, pendingCount, approve } = await openApp(library, content)

    await page.getByRole('button', { name: 'Go' }).click()
    await atChallenge(page)
    expect(await pendingCount()).toBe(1)
    await approve()
    await page.waitForURL(`${app.url}/page?tab=2`)
    await page.getByRole('button', { name: 'Go' }).click()

    await page.getByText('danger').waitFor()
  })
})

const turbo = '@hotwired/turbo/dist/turbo.es2017-umd.js'

describeInFullRun('Turbo', () => {
  it('a link of Turbo opens the second step as a page, asks the device once, and returns to the linked page', async () => {
    const { app, page, pendingCount, approve } = await openApp(
      turbo,
      '<main id="content"><a href="/danger">Go</a></main>',
    )

    // Turbo fetches the page as soon as the pointer is over the link.
    const fetched = page.waitForResponse(
      (response) => response.url() === `${app.url}/mfa?purpose=step_up&returnTo=%2Fdanger`,
    )
    await page.getByRole('link', { name: 'Go' }).hover()
    await fetched
    expect(await pendingCount()).toBe(0)
    await page.getByRole('link', { name: 'Go' }).click()
    await atChallenge(page)
    expect(await pendingCount()).toBe(1)
    await approve()

    await page.waitForURL(`${app.url}/danger`)
    await page.getByText('danger').waitFor()
  })

  it('a frame of Turbo opens the second step as a page, and returns to the page around it', async () => {
    const frame = '<main id="content"><turbo-frame id="frame"><a href="/danger">Go</a></turbo-frame></main>'
    const { app, page, pendingCount, approve } = await openApp(turbo, frame)

    await page.getByRole('link', { name: 'Go' }).click()
    await atChallenge(page)
    expect(await pendingCount()).toBe(1)
    await approve()

    await page.waitForURL(`${app.url}/page?tab=2`)
  })

  it('a form of Turbo opens the second step as a page, and returns to the page of the form', async () => {
    const form = '<main id="content"><form method="post" action="/danger"><button>Go</button></form></main>'
    const { app, page, approve } = await openApp(turbo, form)

    await page.getByRole('button', { name: 'Go' }).click()
    await atChallenge(page)
    await approve()

    await page.waitForURL(`${app.url}/page?tab=2`)
  })
})
