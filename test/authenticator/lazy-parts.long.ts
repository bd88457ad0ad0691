import { expect, it } from 'vitest'

import { phones } from './phone.ts'
import { button, headline } from './screen.ts'

const phone = await phones()

it('a part of a screen whose script did not load is offered again by a reload, below what is there', async () => {
  const { page } = await phone.joined()
  await page.route('**/assets/reach-*.js', (route) => route.abort())
  const reload = page.getByRole('button', { name: 'Reload this page' })
  const shownBefore = await reload.isVisible()

  await button(page, 'Settings').click()
  await headline(page, 'Settings')
  await reload.waitFor()
  await page.unrouteAll()
  await reload.click()
  await button(page, 'Settings').click()
  await page.getByRole('heading', { name: 'Does it reach me?' }).waitFor()

  expect(shownBefore).toBe(false)
  expect(await reload.isVisible()).toBe(false)
})
