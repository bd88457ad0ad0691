import type { Locator, Page } from 'playwright-core'

import type { RunningService } from '../support/running-service.ts'

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

/** Denies a request, and says that it was a mistake. */
export async function deny(page: Page): Promise<void> {
  await button(page, 'Deny').click()
  await button(page, 'Yes, a mistake').click()
}

/** Asks alice, and approves with what the field of this label wants. @returns the id of the session. */
export async function approveWith(service: RunningService, page: Page, label: string, secret: string): Promise<string> {
  const { id } = await service.ask('alice')
  await page.getByLabel(label).fill(secret)
  await button(page, 'Approve').click()
  await headline(page, 'Approved')
  return id
}

/** Waits until it is there to be seen. */
export const appears = (locator: Locator): Promise<boolean> => locator.waitFor().then(() => true)
export const headline = (page: Page, name: string): Promise<boolean> =>
  appears(page.getByRole('heading', { level: 1, name }))

/** Reads from the document. After `page.evaluate`, which may change it, the next test loads the app again. */
export const read = <T>(page: Page, script: () => T): Promise<Awaited<T>> =>
  page.mainFrame().evaluate(script) as Promise<Awaited<T>>

/** Stops the timers and frames of a page with a clock: what is true now was done before the page was drawn. */
export const freeze = async (page: Page) => page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000)

/** As if another app was in front; the other way round with false. Chromium does not hide pages by itself here. */
export async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true })
    Object.defineProperty(document, 'visibilityState', { value: value ? 'hidden' : 'visible', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, hidden)
}

/** A camera that sees nothing: enough for what is around its picture. */
export async function giveBlankCamera(page: Page): Promise<void> {
  await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    const pen = canvas.getContext('2d')!
    // A stream has a picture only while something is drawn.
    setInterval(() => pen.fillRect(0, 0, 300, 150), 50)
    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream()
  })
}
