import type { Page } from 'playwright-core'

import type { RunningService } from '../support/running-service.ts'
import { fromDesk } from './phone.ts'
import { giveBlankCamera } from './screen.ts'

/** Leads an authenticator without an account to its screens, in any language. @param look is called on each of them. */
export async function everyScreen(
  service: RunningService,
  page: Page,
  look: (screen: string) => Promise<void>,
): Promise<void> {
  const { code } = await service.enroll('alice')
  const main = page.locator('.card .filled')

  await look('add')
  await page.goto(`${service.url}/authenticator/#code=${code}`)
  await page.locator('.facts').waitFor()
  await look('preview')
  await main.click()
  await page.locator('.coded').waitFor()
  await look('home')
  await page.locator('.coded .link').click()
  await page.locator('.code').waitFor()
  await look('home with a code')
  await page.locator('.bar button').nth(0).click()
  await look('history')
  await page.locator('.bar button').nth(1).click()
  await page.locator('.part .outlined').waitFor()
  await look('settings')
  await page.locator('.part .outlined').click()
  await page.locator('.keypad').waitFor()
  await look('request to try out')
  await page.goBack()
  await page.locator('.coded .icon-button').click()
  await look('account')
  await page.locator('.outlined.danger').click()
  await look('remove')
  await page.locator('.actions .outlined').click()
  await page.goBack()
  await page.locator('.bar button').nth(1).click()
  const firstRequest = await service.ask('alice', fromDesk)
  await page.locator('.banner').waitFor()
  await look('banner')
  await page.locator('.banner button').click()
  await page.locator('.keypad').waitFor()
  await look('request')
  await page.locator('.facts-box button').click()
  await look('details of a request')
  await giveBlankCamera(page)
  await page.locator('.asked .icon-button').click()
  await page.locator('video.on').waitFor()
  await look('scanning the number')
  await page.locator('.asked .icon-button').click()
  const secondRequest = await service.ask('alice', fromDesk)
  await page.locator('.later').click()
  await page.locator('button.row').nth(1).waitFor()
  await look('requests')
  await page.locator('button.row').nth(1).click()
  await page.locator('input').fill(firstRequest.number === '47' ? '48' : '47')
  await main.click()
  await page.locator('.outcome').waitFor()
  await look('outcome')
  // The outcome closes by itself, and the other request waits in the list.
  await page.locator('button.row').click()
  await page.locator('.keypad').waitFor()
  await service.client.sessions.cancel(service.domainId, secondRequest.id)
  await page.locator('.outcome').waitFor()
  await look('ended')
  await page.locator('.card .outlined.wide').click()
  await service.ask('alice', fromDesk)
  await page.locator('.keypad').waitFor()
  await page.locator('.answer .outlined').click()
  await page.locator('.stacked').waitFor()
  await look('was it you')
  await page.locator('.stacked .danger').click()
  await page.locator('.outcome').waitFor()
  await look('reported')
}
