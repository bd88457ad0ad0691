import type { Page } from 'playwright-core'

import type { Words } from '../../src/console/texts/en.ts'
import { button, type Desk, openScreen } from './desk.ts'

/** Goes through the screens of the hardware tokens, and calls back on each. The people Alice and Carol must exist. */
export async function lookAtStock(
  desk: Desk,
  page: Page,
  { stock }: Words,
  look: (screen: string) => Promise<void>,
): Promise<void> {
  const dialog = page.getByRole('dialog')
  const seed = '3132333435363738393031323334353637383930'
  const kinds = ['TOTP', 'HOTP', 'TOTP', 'TOTP', 'TOTP', 'TOTP']
  const rows = ['serial,seed,type', ...kinds.map((kind, index) => `SN-70012${index},${seed},${kind}`)]
  const faults = ['SN-700130,12,TOTP', `SN-700120,${seed},TOTP`, `SN-700131,${seed},Yubico OTP`]
  const buffer = Buffer.from([...rows, ...faults].join('\n'))
  await openScreen(page, `${desk.url}/stock`)
  await page.getByText(stock.importFirst).waitFor()
  await look('no hardware tokens')
  await openScreen(page, `${desk.url}/import`)
  await page.locator('.drop').waitFor()
  await look('importing hardware tokens')
  await page.locator('input[type=file]').setInputFiles({ name: 'tokens.csv', mimeType: 'text/csv', buffer })
  await page.locator('.import-report').waitFor()
  await look('what an import would do')
  await page.getByRole('radio').first().check()
  await page.locator('.buttons button').click()
  await page.locator('.data-list').waitFor()
  const carol = (await desk.client.users.getByUsername('carol')).id
  const [token] = await desk.client.hardware.list()
  await desk.client.hardware.assign(carol, token!.id)
  await page.reload()
  await page.getByText('Carol Caller').waitFor()
  await look('hardware tokens')
  await page.getByRole('button', { name: 'SN-700121' }).click()
  await dialog.waitFor()
  await look('a hardware token')
  await button(page, stock.assign).click()
  await dialog.getByRole('textbox').fill('alice')
  await dialog.getByRole('link').waitFor()
  await look('whom a hardware token is for')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'SN-700121' }).click()
  await button(page, stock.delete).click()
  await dialog.getByText(stock.deleteSentence).waitFor()
  await look('deleting a hardware token')
  await openScreen(page, `${desk.url}/person?id=${carol}`)
  await page.getByRole('button', { name: new RegExp(`^${stock.resynchronize.button}`) }).click()
  await dialog.getByLabel(stock.nextCode).waitFor()
  await look('synchronizing a hardware token')
  await page.keyboard.press('Escape')
}
