import cors from 'cors'
import type { Express } from 'express'
import express from 'express'
import type { Page } from 'playwright-core'
import { requireMfa } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { inFullRun, isLongRun } from '../support/full-run.ts'
import { keptPage } from '../support/kept-page.ts'
import { listen } from '../support/listen.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

/** A page that calls such an API as it likes, and never of a second step. */
const pageOf = (api: string) => `<!doctype html><main id="content"></main><script type="module">
  import { followSecondStep } from '${api}/browser.js'
  const undo = followSecondStep({ origins: ['${api}'] })
  Object.assign(globalThis, { undo, ready: true })
</script>`

/** An API in which `/danger` asks for a new second step, and its page: at its own origin, or at another one. */
async function openPage(where: 'its own origin' | 'a listed origin' | 'another origin') {
  let api = ''
  const elsewhere = await listen((_req, res) => res.setHeader('Content-Type', 'text/html').end(pageOf(api)))
  const routes = (app: Express) => {
    app.get('/page', (_req, res) => void res.type('html').send(pageOf(api)))
    app.get('/list', requireMfa({ maxAge: 300 }), (_req, res) => void res.json({ list: 7 }))
  }
  const before = [
    cors({ origin: elsewhere, credentials: true }),
    express.static(`${root}/dist/browser`, { index: false }),
    (req: express.Request, res: express.Response, next: express.NextFunction) =>
      req.path === '/browser.js' ? res.sendFile(`${root}/dist/browser/index.js`) : next(),
  ]
  const returnOrigins = where === 'a listed origin' ? [elsewhere] : []
  const app = await startWebApp({ routes, before, mfa: { returnOrigins } })
  api = app.url
  const user = app.browser()
  const account = await app.verify(user, 'alice')
  await app.clock.advance(400)
  const page = await keptPage(chromium)
  await page.context().addCookies(user.cookiesAt(app.url))
  const address = where === 'its own origin' ? `${app.url}/page?tab=2#list` : `${elsewhere}/page?tab=2#list`
  await page.goto(address)
  await page.waitForFunction(() => 'ready' in globalThis)
  const approve = async () => {
    await page.locator('#number').waitFor()
    await app.answer(account, 'approve', numberOn({ text: await page.content() }))
  }
  return { page, address, api, approve }
}

const viaFetch = (page: Page, url: string) =>
  page.evaluate(async (to) => (await (await fetch(to, { credentials: 'include' })).json()) as unknown, url)

const viaRequest = (page: Page, url: string, responseType: XMLHttpRequestResponseType) =>
  page.evaluate(
    ([to, type]) => {
      const request = new XMLHttpRequest()
      request.open('GET', to)
      request.withCredentials = true
      request.responseType = type
      request.send()
    },
    [url, responseType] as const,
  )

const allTypes = ['', 'document', 'text', 'json', 'arraybuffer', 'blob'] as const
const responseTypes = isLongRun ? allTypes : allTypes.slice(0, 2)

describe('followSecondStep()', () => {
  inFullRun.each(['its own origin', 'a listed origin'] as const)(
    'a page at %s that calls fetch() is led over the second step, and back',
    async (where) => {
      const { page, address, api, approve } = await openPage(where)

      const first = viaFetch(page, `${api}/list`).catch(() => 'left')
      await approve()
      await page.waitForURL(address)
      await page.waitForFunction(() => 'ready' in globalThis)

      expect(await first).toBe('left')
      expect(await viaFetch(page, `${api}/list`)).toEqual({ list: 7 })
    },
  )

  inFullRun.each(responseTypes)(
    'a page whose XMLHttpRequest has the responseType "%s" is led over the second step, and back',
    async (responseType) => {
      const { page, address, api, approve } = await openPage('its own origin')

      await viaRequest(page, `${api}/list`, responseType)
      await approve()

      await page.waitForURL(address)
    },
  )

  inFullRun(
    'a page at an origin that the API does not list cannot ask for a new second step, and is led to the API',
    async () => {
      const { page, api } = await openPage('another origin')

      void viaFetch(page, `${api}/list`).catch(() => {})

      await page.waitForURL((url) => url.origin === api && url.pathname === '/')
    },
  )

  it('followSecondStep() can be undone', async () => {
    const { page } = await openPage('its own origin')

    const areOriginal = await page.evaluate(() => {
      const { undo } = globalThis as unknown as { undo: () => void }
      const isNative = (each: unknown) => String(each).includes('[native code]')
      const before = [fetch, Reflect.get(XMLHttpRequest.prototype, 'send') as unknown].map(isNative)
      undo()
      return [before, [fetch, Reflect.get(XMLHttpRequest.prototype, 'send') as unknown].map(isNative)]
    })

    expect(areOriginal).toEqual([
      [false, false],
      [true, true],
    ])
  })
})
