import { expect, it } from 'vitest'

import { isolated } from '../../src/ground/printable.ts'
import { button, expectHeadline, link, openScreen, signedIn, startDesk } from './desk.ts'

it('an invitation that was begun is there again after another page and a reload, until it is sent or canceled', async () => {
  const desk = await startDesk()
  const { page } = await signedIn(desk)
  const name = page.getByLabel('Name', { exact: true })
  const open = async () => {
    await openScreen(page, `${desk.url}/invite`)
    await expectHeadline(page, 'Invite an administrator')
    return name.inputValue()
  }
  await open()
  await name.fill('Hal Helper')
  await page.getByLabel('E-mail', { exact: true }).fill('hal@example.com')
  await page.getByRole('radio', { name: /^Admin\b/ }).check()
  await page.getByLabel('Wiki').check()
  await link(page, 'People').click()
  await expectHeadline(page, 'People')
  const afterPage = await open()
  await page.reload()
  await expectHeadline(page, 'Invite an administrator')
  const isChosen = [
    await page.getByRole('radio', { name: /^Admin\b/ }).isChecked(),
    await page.getByLabel('Wiki').isChecked(),
  ]
  await button(page, 'Create the link').click()
  await expectHeadline(page, `The invitation for ${isolated('Hal Helper')} is ready`)
  await link(page, 'Done').click()
  const afterSending = await open()
  await name.fill('Ann Admin')
  await button(page, 'Cancel').click()
  await expectHeadline(page, 'Administrators')
  const afterCancel = await open()

  expect([afterPage, afterSending, afterCancel]).toEqual(['Hal Helper', '', ''])
  expect(isChosen).toEqual([true, true])
})
