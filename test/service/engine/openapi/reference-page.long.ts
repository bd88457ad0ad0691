import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { axeViolations } from '../../../support/axe.ts'
import { sharedChromium } from '../../../support/shared-chromium.ts'
import { startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

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
  ] as const)(
    'the reference page is accessible, fits the window, and violates no policy: %s, %i wide',
    async (colorScheme, width) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
      const page = await context.newPage()
      const consoleMessages: string[] = []
      const requestedPaths: string[] = []
      page.on('console', (message) => consoleMessages.push(message.text()))
      page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))

      await page.goto(`${running.origin}/docs`)
      // In the dark, only the colors are others.
      const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined
      const violations = await axeViolations(page, { include, rules })
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      const styled = await page.evaluate(() => getComputedStyle(document.querySelector('article')!).borderRadius)
      await context.close()

      expect(violations).toEqual([])
      expect([overflow, styled]).toEqual([0, '12px'])
      expect(consoleMessages).toEqual([])
      expect(requestedPaths).toEqual(['/docs'])
    },
  )

  it('the reference page links from the list to each operation without a script', async () => {
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

  it('the reference page offers each request as a command for this service, and copies it', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(`${running.origin}/docs`)
    const article = page.locator('article[aria-labelledby="createSession"]')

    await article.getByRole('button', { name: 'Copy' }).click()
    await article.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    await context.close()

    expect(copied).toMatch(`curl -X POST '${running.origin}/api/domains/`)
    expect(copied).toMatch(/-H "Authorization: Service key=\\"\$MFA_API_KEY\\""/)
  })

  it('the reference page finds operations by their words', async () => {
    const page = await browser.newPage()
    await page.goto(`${running.origin}/docs`)

    await page.getByLabel('Search').fill('post bypass')

    const titles = await page.getByRole('article').getByRole('heading', { level: 3 }).allInnerTexts()
    const links = await page.getByRole('navigation').getByRole('listitem').allInnerTexts()
    await page.close()
    expect(titles).toContain('POST /users/{userId}/bypasscodes')
    expect(titles).not.toContain('POST /domains/{domainId}/sessions')
    expect(links).toEqual(titles)
  })
})

describe('the address of the service', () => {
  it('the address of the service leads to the authenticator and the reference', async () => {
    const page = await browser.newPage()
    const consoleMessages: string[] = []
    page.on('console', (message) => consoleMessages.push(message.text()))
    await page.goto(running.origin)

    const links = await page.getByRole('link').evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href))
    const answers = await Promise.all(links.map((link) => page.request.get(link)))
    const violations = await axeViolations(page)
    await page.close()

    expect(links.map((link) => new URL(link).pathname)).toEqual(['/authenticator/', '/docs'])
    expect(answers.map((answer) => answer.status())).toEqual([200, 200])
    expect(violations).toEqual([])
    expect(consoleMessages).toEqual([])
  })
})
