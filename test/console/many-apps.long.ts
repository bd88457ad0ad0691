import { expect, it } from 'vitest'

import { isolated } from '../../src/ground/printable.ts'
import { button, type Desk, expectHeadline, openScreen, signedIn, startDesk } from './desk.ts'

const many = 40

async function deskWithApps(): Promise<Desk> {
  const desk = await startDesk()
  const [organization] = await desk.service.administration.organizations()
  for (let number = 1; number <= many; number++) {
    await desk.service.administration.createDomain(organization!.id, { name: `App ${String(number).padStart(2, '0')}` })
  }
  await desk.addPerson('alice', 'Alice Archer')
  return desk
}

it('the overview of many apps shows ten of them, and all of them on request', async () => {
  const desk = await deskWithApps()
  const { page } = await signedIn(desk)
  await openScreen(page, `${desk.url}/overview`)
  const rows = page.locator('.enrollment tbody tr')
  await rows.first().waitFor()
  const shownFirst = await rows.count()
  await page.getByText(`1–10 of ${many + 3}`).waitFor()
  await button(page, 'All apps').press('Enter')
  await page.getByText(`1–${many + 3} of ${many + 3}`).waitFor()
  expect(shownFirst).toBe(10)
  expect(await rows.count()).toBe(many + 3)
  expect(await button(page, 'All apps').evaluate((element) => element === document.activeElement)).toBe(true)
})

it('an owner finds the apps of an invitation by a search, and an app that was chosen before stays', async () => {
  const desk = await deskWithApps()
  const { page } = await signedIn(desk)
  await openScreen(page, `${desk.url}/invite`)
  await expectHeadline(page, 'Invite an administrator')
  const boxes = page.getByRole('checkbox')
  const search = page.getByRole('searchbox', { name: 'App' })
  const shownFirst = await boxes.count()
  await search.fill('app 37')
  await page.getByLabel('App 37').check()
  await search.fill('no such app')
  await search.press('Enter')
  await page.getByText('0 of 0').waitFor()
  await page.getByLabel('App 37').uncheck()
  await page.getByLabel('App 37').check()
  await search.fill('WIKI')
  await page.getByLabel('Wiki').check()
  await page.getByLabel('Name', { exact: true }).fill('Hal Helper')
  await page.getByLabel('E-mail', { exact: true }).fill('hal@example.com')
  const requested = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/invitations'),
  )
  await button(page, 'Create the link').click()
  const { domains } = (await requested).postDataJSON() as { domains: string[] }
  await expectHeadline(page, `The invitation for ${isolated('Hal Helper')} is ready`)
  const organization = (await desk.service.administration.organizations())[0]!
  const chosen = (await desk.service.administration.domains(organization.id)).filter(({ id }) => domains.includes(id))
  expect(shownFirst).toBe(12)
  expect(chosen.map(({ name }) => name).sort()).toEqual(['App 37', 'Wiki'])
})
