import { AxeBuilder } from '@axe-core/playwright'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { launchChromium } from '../support/chromium.ts'
import { startWebApp } from '../support/web-app.ts'

let chromium: Browser
beforeAll(async () => void (chromium = await launchChromium()))
afterAll(() => chromium.close())

describe('the page for developers in a browser', () => {
  it.each([
    ['light', 320],
    ['dark', 1280],
  ] as const)('is accessible and fits: %s, %i pixels', async (colorScheme, width) => {
    const app = await startWebApp({ mfa: { debug: true } })
    const person = app.browser()
    await app.signIn(person, 'alice')
    await person.open(`/reports/${'a-very-long-name/'.repeat(12)}`)
    await person.visit('/account')
    await person.fetch('/api')
    const context = await chromium.newContext({ colorScheme, viewport: { width, height: 900 } })
    onTestFinished(() => context.close())
    await context.addCookies([{ name: 'connect.sid', value: person.cookie('connect.sid') ?? '', url: app.url }])
    const page = await context.newPage()

    await page.goto(`${app.url}/mfa/debug`)

    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(await page.getByRole('heading', { name: 'Last requests' }).isVisible()).toBe(true)
  })
})
