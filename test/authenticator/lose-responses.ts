import type { Page } from 'playwright-core'

/** Lets answers arrive, and loses the responses. */
export async function loseResponses(page: Page): Promise<void> {
  await page.route('**/answer', async (route) => {
    await route.fetch()
    await route.abort()
  })
}
