import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { axeViolations } from '../../support/axe.ts'
import { sharedChromium } from '../../support/shared-chromium.ts'
import { startService } from '../start-service.ts'
import type { Running } from '../start-service.ts'

const browser = await sharedChromium()
let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

/** One operation represents all: they share a template, and checking each of them takes long. */
const include = [
  'header',
  'main > section:first-child',
  'nav h2:first-child',
  'article[aria-labelledby="createSession"]',
]

describe('the reference page in a browser', () => {
  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)('is accessible, fits the window, and violates no policy: %s, %i wide', async (colorScheme, width) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
    const page = await context.newPage()
    const said: string[] = []
    const asked: string[] = []
    page.on('console', (message) => said.push(message.text()))
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))

    await page.goto(`${running.origin}/docs`)
    const violations = await axeViolations(page, { include })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    const styled = await page.evaluate(() => getComputedStyle(document.querySelector('article')!).borderRadius)
    await context.close()

    expect(violations).toEqual([])
    expect([overflow, styled]).toEqual([0, '12px'])
    expect(said).toEqual([])
    expect(asked).toEqual(['/docs'])
  })

  it('links from the list to each operation without a script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()

    await page.goto(`${running.origin}/docs`)
    await page
      .getByRole('navigation')
      .getByRole('link', { name: 'POST /domains/{domainId}/sessions', exact: true })
      .click()
    const heading = page.getByRole('heading', { name: 'POST /domains/{domainId}/sessions', exact: true })
    const box = await heading.boundingBox()
    await context.close()

    expect(new URL(page.url()).hash).toBe('#createSession')
    expect(box?.y).toBeLessThan(200)
  })
})
