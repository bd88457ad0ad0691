import { describe, expect, it } from 'vitest'

import {
  button,
  confirm,
  type Desk,
  expectHeadline,
  holdBack,
  inDialog,
  link,
  row,
  signedIn,
  startDesk,
  tryToLeave,
} from './desk.ts'

const many = 60

/** How long a slow network takes, milliseconds: the page asks each second. */
const slow = 1_500

async function deskWithMany(): Promise<Desk> {
  const desk = await startDesk()
  const rows = Array.from({ length: many }, (_, index) => {
    const username = `person${String(index).padStart(2, '0')}`
    return { username, name: `Person ${index}`, email: `${username}@example.com` }
  })
  await desk.client.domains.synchronizeUsers(desk.domainOf('Wiki'), rows)
  await desk.addPerson('zoe', 'Zoe Zimmer', ['Webmail'])
  return desk
}

describe('an action on many people', () => {
  it('a bulk action is chosen for everyone who matches, previewed, confirmed by typing, run over a reload, and reported', async () => {
    const desk = await deskWithMany()
    const { page } = await signedIn(desk, { role: 'admin', domains: ['Wiki', 'Webmail'] })
    const dialog = page.getByRole('dialog')

    await page.getByLabel('Select everyone on this page').check()
    await page.getByText('Selected: 50').waitFor()
    await button(page, 'Select everyone who matches').click()
    await page.getByText('Everyone who matches is selected.').waitFor()
    await button(page, 'Remove from an app').click()
    await dialog.getByLabel('App').selectOption('Wiki')
    await confirm(page, 'Preview')
    await dialog.getByText(new RegExp(`People to remove from .Wiki.: ${many}`)).waitFor()
    await dialog.getByText('Not in this app: 1').waitFor()
    const remove = dialog.getByRole('button', { name: 'Remove', exact: true })
    const disabledBefore = await remove.getAttribute('aria-disabled')
    await dialog.getByLabel(`Type ${many} to confirm`).fill(String(many))
    await remove.click()
    await expectHeadline(page, 'Remove people from an app')
    await page.reload()
    await page.getByText('Finished').waitFor()
    const report = await page.getByRole('link', { name: 'Download report' }).getAttribute('href')
    const text = await page.evaluate(async (path) => (await fetch(path)).text(), report!)
    await link(page, 'Bulk actions').click()
    await page.getByText(`${many} of ${many}`).waitFor()
    await page.goto(`${desk.url}/people`)
    await row(page, 'Zoe Zimmer').waitFor()

    expect(disabledBefore).toBe('true')
    expect(text.match(/,"done",/g)).toHaveLength(many)
    expect(
      await page
        .getByRole('main')
        .getByRole('link', { name: /^Person/ })
        .count(),
    ).toBe(0)
  })

  it('the progress of a bulk action is shown where answers take longer than the pause between two of them', async () => {
    const desk = await startDesk()
    await desk.addPerson('zoe', 'Zoe Zimmer', ['Webmail'])
    const { page } = await signedIn(desk, { role: 'admin', domains: ['Webmail'] })
    let answers = 0
    await page.route(/bulk-jobs\/[0-9a-f]+$/, async (route) => {
      answers += 1
      const isFirst = answers === 1
      const response = await route.fetch()
      const body = await response.text()
      if (!isFirst) await new Promise((resolve) => setTimeout(resolve, slow))
      await route.fulfill({ response, body: isFirst ? body.replace(/"state":"\w+"/, '"state":"running"') : body })
    })
    await page.getByLabel('Select everyone on this page').check()
    await button(page, 'Remove from an app').click()
    await confirm(page, 'Preview')
    await page.getByRole('dialog').getByLabel('Type 1 to confirm').fill('1')

    await inDialog(page, 'Remove').click()

    await page.getByText('Finished').waitFor()
  })

  it('a bulk action that is starting cannot be left, neither by Cancel nor by Escape, and its page opens then', async () => {
    const desk = await startDesk()
    await desk.addPerson('zoe', 'Zoe Zimmer', ['Webmail'])
    const { page } = await signedIn(desk, { role: 'admin', domains: ['Webmail'] })
    await page.getByLabel('Select everyone on this page').check()
    await button(page, 'Remove from an app').click()
    await confirm(page, 'Preview')
    await page.getByRole('dialog').getByLabel('Type 1 to confirm').fill('1')
    const letGo = await holdBack(page, /\/start$/)

    await inDialog(page, 'Remove').click()
    await tryToLeave(page)
    letGo()

    await expectHeadline(page, 'Remove people from an app')
  })
})

it('the Escape key closes no preview of a bulk action, which took time to make, and Cancel does', async () => {
  const desk = await deskWithMany()
  const { page } = await signedIn(desk, { role: 'admin', domains: ['Wiki', 'Webmail'] })
  await page.getByLabel('Select everyone on this page').check()
  await button(page, 'Remove from an app').click()
  await page.getByRole('dialog').getByLabel('App').selectOption('Wiki')
  await confirm(page, 'Preview')
  const number = page.getByRole('dialog').getByLabel('Type 50 to confirm')
  await number.fill('5')

  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape')
  await page.locator('dialog:modal').waitFor()
  const typed = await number.inputValue()
  await inDialog(page, 'Cancel').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  expect(typed).toBe('5')
})
