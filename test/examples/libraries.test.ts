import { join } from 'node:path'

import type { Express } from 'express'
import { rolldown } from 'rolldown'
import { requireMfa } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { root } from '../../scripts/run.ts'
import { inFullRun } from '../support/full-run.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

const bundles = new Map<string, Promise<string>>()

/** A page of this library with all that it imports, as one script. */
function bundle(name: string): Promise<string> {
  const known = bundles.get(name) ?? createBundle(join(import.meta.dirname, 'libraries', name))
  bundles.set(name, known)
  return known
}

async function createBundle(input: string): Promise<string> {
  const alias = { 'second-factor/browser': join(root, 'src/browser/index.ts') }
  const define = { 'process.env.NODE_ENV': '"production"' }
  // In an app, its own files are no part of this package, which says of itself that importing does nothing.
  const treeshake = { moduleSideEffects: () => true }
  const transform = { define }
  const built = await rolldown({
    input,
    resolve: { alias },
    transform,
    treeshake,
    platform: 'browser',
    logLevel: 'silent',
  })
  const { output } = await built.generate({ codeSplitting: false })
  return output[0].code
}

/** A page of this library, and its API, in which a list and a payment ask for a new second step. */
async function openPage(script: string, query: string) {
  const called: string[] = []
  const code = await bundle(script)
  const routes = (app: Express) => {
    app.get(
      '/page',
      (_req, res) => void res.type('html').send('<!doctype html><body><script type="module" src="/page.js"></script>'),
    )
    app.get('/page.js', (_req, res) => void res.type('js').send(code))
    app.use(['/list', '/pay'], (req, _res, next) => {
      called.push(req.originalUrl)
      next()
    })
    app.get('/list', requireMfa({ maxAge: 300 }), (_req, res) => void res.json({ list: 7 }))
    app.post('/pay', requireMfa({ maxAge: 300 }), (_req, res) => void res.json({ paid: 5 }))
  }
  const app = await startWebApp({ routes })
  const user = app.browser()
  const account = await app.verify(user, 'alice')
  await app.clock.advance(400)
  const page = await keptPage(chromium)
  await page.context().addCookies(user.cookiesAt(app.url))
  const address = `${app.url}/page${query}`
  await page.goto(address)
  const approve = async () => {
    await page.locator('#number').waitFor()
    await app.answer(account, 'approve', numberOn({ text: await page.content() }))
    await page.waitForURL(address)
  }
  return { page, approve, called, clock: app.clock }
}

describe('with-any-library.js', () => {
  inFullRun.each([
    ['React Query', 'react-query.js', '', null],
    ['Angular with fetch()', 'angular.js', '?fetch', null],
    ['Angular with XMLHttpRequest', 'angular.js', '?xhr', '403'],
  ])(
    'with-any-library.js leads a page of %s over the second step and back, and nothing is called twice',
    async (_, script, query, shown) => {
      const { page, approve, called, clock } = await openPage(script, query)

      await approve()
      await page.getByRole('heading', { name: 'List of 7' }).waitFor()
      expect(called).toEqual(['/list', '/list'])

      await clock.advance(400)
      await page.getByRole('button', { name: 'Pay' }).click()
      await approve()
      await page.getByRole('heading', { name: 'List of 7' }).waitFor()
      expect(called).toEqual(['/list', '/list', '/pay', '/list'])
      await page.getByRole('button', { name: 'Pay' }).click()
      await page.getByText('Paid 5').waitFor()

      expect(await page.evaluate(() => sessionStorage.getItem('shown error'))).toBe(shown)
    },
  )

  it('with-any-library.js leads nobody away for what the router of Next.js reads, which may be a prefetch', async () => {
    const { page, approve, clock } = await openPage('react-query.js', '')
    await approve()
    await page.getByRole('heading', { name: 'List of 7' }).waitFor()
    await clock.advance(400)

    const status = await page.evaluate(async () => (await fetch('/list', { headers: { RSC: '1' } })).status)

    expect([status, new URL(page.url()).pathname]).toEqual([403, '/page'])
  })
})
