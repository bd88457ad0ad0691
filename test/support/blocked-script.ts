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
  const link = page.getByRole('link', { name: 'Reload this page' })

  return {
    link,
    /** Waits until the page offers to load again what it lacks, which takes it no time here, and accepts. */
    async loadAgain(): Promise<void> {
      expect(await link.isVisible()).toBe(false)
      await expect.poll(() => blocked, { timeout: waitTimeout }).toBeGreaterThan(0)
      // Again and again, because the wait begins anew where a part of the page comes and goes.
      await page.evaluate(() => {
        setInterval(() => document.getAnimations().forEach((animation) => animation.finish()), 20)
      })
      await link.waitFor()
      await page.unrouteAll()
      await link.click()
    },
  }
}
