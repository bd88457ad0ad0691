import { describe, expect, it, onTestFinished } from 'vitest'

import { axeViolations } from '../support/axe.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

describe('the page for developers in a browser', () => {
  it.each([
    ['light', 320],
    ['dark', 1280],
  ] as const)('the debug page is accessible and fits in a browser: %s, %i pixels', async (colorScheme, width) => {
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

    expect(await axeViolations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    // What is wrong comes first.
    const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts()
    expect(headings).toEqual(['Warnings and errors', 'Now', 'Last requests', 'Last events', 'Options in force'])
  })
})
