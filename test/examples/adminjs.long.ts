import { join } from 'node:path'

import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'

import { systemClock } from '../../src/ground/clock.ts'
import { choosePhone, numberOn } from '../story/person.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { people } from '../support/web-app.ts'
import { installExample } from './install-example.ts'
import { startExample } from './start-example.ts'

const chromium = await sharedChromium()
const folder = await installExample('adminjs')
const env = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'movable-clock.ts')}` }
const example = await startExample(join(folder, 'server.js'), env, { shared: folder, until: afterAll })
const { activate, answer } = people(example.url, systemClock)
const [notes, api] = [`${example.url}/admin/resources/notes`, `${example.url}/admin/api/resources/notes`]

describe('adminjs', () => {
  it('adminjs shows nothing before the second step, and asks for a fresh one before a change', async () => {
    const page = await keptPage(chromium)
    // It loads a font from elsewhere.
    await page.route(/^https:/, (route) => route.abort())
    await page.goto(notes)
    await logIn(page)
    expect((await page.request.get(`${api}/actions/list`)).status()).toBe(403)
    await choosePhone(page)
    const account = await activate({ text: await page.content() })
    const approve = async () => {
      await page.locator('#number').waitFor()
      await answer(account, 'approve', await numberOn(page))
    }
    await approve()
    await page.getByRole('button', { name: 'Not now' }).click()
    await page.waitForURL(`${example.url}/admin`)
    await page.goto(notes)
    await page.getByText('Water the plants').waitFor()

    await example.moveClock()
    for (const method of ['POST', 'HEAD', 'PUT']) {
      expect((await page.request.fetch(`${api}/records/1/delete`, { method })).status()).toBe(403)
    }
    await page.goto(`${notes}/records/1/edit`)
    await save(page, 'Water them')
    await approve()
    await page.waitForURL(`${notes}/records/1/edit`)
    await save(page, 'Water them')
    await page.getByText('Water them').waitFor()

    await page.goto(`${example.url}/admin/logout`)
    await page.waitForURL(`${example.url}/admin/login`)
  })
})

async function logIn(page: Page): Promise<void> {
  await page.locator('input[name=email]').fill('alice@example.com')
  await page.locator('input[name=password]').fill('secret')
  await page.locator('input[name=password]').press('Enter')
  await page.waitForURL(`${example.url}/mfa`)
}

async function save(page: Page, text: string): Promise<void> {
  await page.locator('#text').fill(text)
  await page.getByRole('button', { name: 'Save' }).click()
}
