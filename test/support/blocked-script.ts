import type { Page } from 'playwright-core'
import { expect } from 'vitest'

import { waitTimeout } from './wait-timeout.ts'

/** Keeps the scripts from a page whose names begin so, until `loadAgain` is called. Call it before the page is opened. */
export async function blockScript(page: Page, name: string) {
  let blocked = 0
  await page.route(`**/assets/${name}*.js`, (route) => {
    blocked += 1
    return route.abort()
  })
  const button = page.getByRole('button', { name: 'Reload this page' })

  return {
    button,
    /**
     * Waits until the page offers to load again what it lacks, which takes it no time here, and accepts.
     * @param inVain Whether the scripts are kept from it once more.
     */
    async loadAgain({ inVain = false } = {}): Promise<void> {
      expect(await button.isVisible()).toBe(false)
      await expect.poll(() => blocked, { timeout: waitTimeout }).toBeGreaterThan(0)
      // Again and again, because the wait begins anew where a part of the page comes and goes.
      await page.evaluate(() => {
        setInterval(() => document.getAnimations().forEach((animation) => animation.finish()), 20)
      })
      await button.waitFor()
      if (!inVain) await page.unrouteAll()
      blocked = 0
      await button.click()
      // The old document is still there for a moment.
      await expect.poll(() => button.isVisible(), { timeout: waitTimeout }).toBe(false)
    },
  }
}
