import type { Page } from 'playwright-core'

import type { RunningService } from '../support/running-service.ts'

/** Leads a phone with one account from its home screen to the code of a move. @returns the fragment that a new phone opens. */
export async function beginMove(page: Page): Promise<string> {
  await page.locator('.coded .icon-button').click()
  return showMove(page, page.locator('.part .outlined').click())
}

/** Waits for the code of a move. */
export async function showMove(page: Page, pressed: Promise<void>): Promise<string> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/device/move') && response.ok()),
    pressed,
  ])
  await page.locator('img.qr-code').waitFor()
  return `#move=${((await answer.json()) as { code: string }).code}`
}

/** The number that both phones show. */
export const compared = (page: Page): Promise<string> => page.locator('.move-number').innerText()

/**
 * Leads two phones through a move in a domain with a PIN, in any language. The old one has the account already.
 * @param look is called on each screen.
 */
export async function everyMoveScreen(
  service: RunningService,
  { old, fresh }: { readonly old: Page; readonly fresh: Page },
  look: (screen: string, page: Page) => Promise<void>,
): Promise<void> {
  const { url } = service
  const pin = async (page: Page) => {
    await page.locator('input[name=pin]').fill('2580')
    await page.locator('form .filled').click()
  }
  await old.locator('.coded .icon-button').click()
  await look('account', old)
  await old.locator('.part .outlined').click()
  await old.locator('input[name=pin]').waitFor()
  await look('PIN before a move', old)
  const link = await showMove(old, pin(old))
  await look('code of a move', old)
  await fresh.goto(`${url}/authenticator/${link}`)
  await fresh.locator('.facts').waitFor()
  await look('account to move', fresh)
  await old.locator('.status').waitFor()
  await look('code was scanned', old)
  await fresh.locator('.actions .filled').click()
  await fresh.locator('input[name=pin]').waitFor()
  await look('PIN on the new phone', fresh)
  await pin(fresh)
  await fresh.locator('.move-number').waitFor()
  await look('waits for the old phone', fresh)
  await old.locator('.move-number').waitFor()
  await look('confirms the move', old)
  await old.locator('.actions .filled').click()
  await old.locator('.outcome').waitFor()
  await look('moved', old)
  await fresh.locator('.coded').waitFor()
  await fresh.goto(`${url}/authenticator/#move=${'A'.repeat(22)}`)
  await fresh.locator('.problem span').waitFor()
  await look('code of a move that does not work', fresh)
}

/** Adds the account of an opened link, with the PIN of `everyMoveScreen`. */
export async function addWithPin(page: Page): Promise<void> {
  await page.locator('.actions .filled').click()
  await page.locator('input[name=pin]').fill('2580')
  await page.locator('input[name=again]').fill('2580')
  await page.locator('form .filled').click()
  await page.locator('.coded').waitFor()
}
