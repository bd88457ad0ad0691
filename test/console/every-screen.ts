import type { Page } from 'playwright-core'

import type { LanguageTag } from '../../src/contract/languages.ts'
import type { Words } from '../../src/console/texts/en.ts'
import { languages } from '../../src/console/words/languages.ts'
import { isolated } from '../../src/ground/printable.ts'
import {
  button,
  confirm,
  type Desk,
  expectHeadline,
  link,
  openScreen,
  register,
  registered,
  row,
  signedIn,
} from './desk.ts'
import { addPhone } from './phone.ts'
import { lookAtStock } from './stock-screens.ts'

export async function wordsOf(code: LanguageTag): Promise<Words> {
  const language = languages.find((each) => each.code === code)
  if (!language) throw new TypeError(`there are no texts for ${code}`)
  return language.load()
}

/** Goes through all screens, and calls back on each. */
export async function everyScreen(
  desk: Desk,
  page: Page,
  words: Words,
  look: (screen: string) => Promise<void>,
): Promise<void> {
  const invitation = await desk.invite({ name: 'Olivia Owner', email: 'olivia@example.com', role: 'owner' })
  await registered(desk, {
    name: 'Hal Helper',
    email: 'hal.helper@example.com',
    role: 'helpdesk',
    domains: ['Webmail'],
  })
  await registered(desk, { name: 'Ann Admin', email: 'ann@example.com', role: 'admin', domains: ['Wiki', 'Webmail'] })
  await registered(desk, { name: 'Rex Revoked', email: 'rex@example.com', role: 'auditor' })

  await desk.addPerson('alice', 'Alice Archer')
  await desk.addPerson('carol', 'Carol Caller')
  await desk.addPerson('bob', 'Bob Baker', ['Wiki', 'Webmail'])
  await desk.lock('alice')

  await page.goto(desk.url)
  await expectHeadline(page, words.signInTitle)
  await look('sign in')
  await page.goto(`${desk.url}/invitation#${'x'.repeat(43)}`)
  await expectHeadline(page, words.invitationOverTitle)
  await look('an invitation that is over')
  await page.goto(`${desk.url}/none`)
  await page.goto(invitation)
  await expectHeadline(page, words.welcome(isolated('Olivia Owner')))
  await look('an invitation')
  await register(page, invitation)
  await page.locator('.figures').waitFor()
  await page.locator('details summary').click()
  await look('overview')
  await page.goto(`${desk.url}/overview?domain=${desk.domainOf('Wiki')}&by=factor`)
  await page.locator('.bars').waitFor()
  await look('sign-ins by method')
  await page.goto(`${desk.url}/overview?domain=${desk.domainOf('Empty')}`)
  await page.getByText(words.overview.noPeople).waitFor()
  await look('overview of a new service')
  await openScreen(page, `${desk.url}/people`)
  await row(page, 'Alice Archer').waitFor()
  await look('people')
  await lookAtBulkActions(page, words, look)
  await openScreen(page, `${desk.url}/people`)
  await row(page, 'Alice Archer').click()
  await button(page, words.actions.unlock.button).waitFor()
  await look('a person')
  await button(page, words.actions.createCode.button).click()
  await page.getByRole('dialog').waitFor()
  await look('an action')
  await confirm(page, words.actions.createCode.button)
  await page.locator('.big-code').waitFor()
  await look('a code')
  await button(page, words.done).click()
  await button(page, `${words.mail.send.button}: Wiki`).click()
  await page.getByRole('dialog').waitFor()
  await look('an enrollment mail')
  await confirm(page, words.mail.send.button)
  await page.getByText(words.mail.send.done(isolated('Alice Archer'))).waitFor()
  await button(page, `${words.mail.link.button}: Wiki`).click()
  await confirm(page, words.mail.link.button)
  await page.locator('dialog .qr-code').waitFor()
  await look('a link for enrollment')
  await button(page, words.done).click()
  await button(page, words.mail.email.button).click()
  await page.getByRole('dialog').waitFor()
  await look('a new e-mail address')
  await page.keyboard.press('Escape')
  await verifyCaller(desk, page, words, look)
  await openScreen(page, `${desk.url}/people?q=zzzz`)
  await page.getByText(words.noneFound).waitFor()
  await look('no one found')
  await openScreen(page, `${desk.url}/consents`)
  await page.getByText(words.noConsents).waitFor()
  await look('no requests')
  await askForConsent(desk)
  await page.reload()
  await button(page, words.giveConsent).waitFor()
  await look('a request')
  await lookAtStock(desk, page, words, look)
  await lookAtApps(desk, page, words, look)
  await lookAtAudit(desk, page, words, look)
  await openScreen(page, `${desk.url}/administrators`)
  await row(page, 'Rex Revoked').click()
  await button(page, words.revoke).click()
  await page.getByRole('dialog').waitFor()
  await look('a question')
  await page.getByRole('dialog').getByRole('button', { name: words.revoke }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('.toast').waitFor()
  await look('an administrator without access')
  await desk.invite({ name: 'Ivy Invited', email: 'ivy@example.com', role: 'helpdesk', domains: ['Wiki'] })
  await openScreen(page, `${desk.url}/administrators`)
  await page.getByText('Ivy Invited').waitFor()
  await page.locator('summary').click()
  await look('administrators')
  const menu = button(page, words.menu)
  if (await menu.isVisible()) {
    await menu.click()
    await look('the menu')
  }
  await row(page, 'Hal Helper').click()
  await page.locator('form').first().waitFor()
  await look('an administrator')
  await openScreen(page, `${desk.url}/administrators`)
  await link(page, words.invite).click()
  await expectHeadline(page, words.inviteTitle)
  await page.getByLabel(words.name, { exact: true }).fill('Hana Sato')
  await page.getByLabel(words.email, { exact: true }).fill('hana@example.com')
  await button(page, words.createInvitation).click()
  await page.getByText(words.chooseDomains).nth(1).waitFor()
  await look('a form with a problem')
  await page.getByRole('checkbox').first().check()
  await button(page, words.createInvitation).click()
  await page.locator('.qr-code').waitFor()
  await look('the link of an invitation')
  await openScreen(page, `${desk.url}/account`)
  await page.locator('.row').waitFor()
  await look('the own account')
  await openScreen(page, `${desk.url}/none`)
  await expectHeadline(page, words.unknownPage)
  await look('an unknown page')
  await page.route('**/api/**', (route) => route.abort())
  await page.getByRole('link', { name: words.toStart }).click()
  await page.locator('.notice-bar').waitFor()
  await look('a service that does not answer')
}

async function lookAtBulkActions(
  page: Page,
  { bulk, cancel, done }: Words,
  look: (screen: string) => Promise<void>,
): Promise<void> {
  const dialog = page.getByRole('dialog')
  await page.locator('tbody .pick input').nth(2).check()
  await page.locator('.selection-bar').waitFor()
  await look('chosen people')
  await button(page, bulk.actions.remove_member.button).click()
  await dialog.waitFor()
  await look('preparing a bulk action')
  await confirm(page, bulk.preview)
  await dialog
    .locator('input')
    .or(dialog.getByRole('button', { name: done }))
    .first()
    .waitFor()
  await look('the preview of a bulk action')
  await dialog
    .getByRole('button', { name: cancel })
    .or(dialog.getByRole('button', { name: done }))
    .click()
  await button(page, bulk.actions.unlock.button).click()
  await confirm(page, bulk.preview)
  await dialog.getByRole('button', { name: bulk.actions.unlock.start, exact: true }).click()
  await page.getByText(bulk.states.done).waitFor()
  await look('a bulk action')
  await link(page, bulk.jobs).click()
  await page.locator('.data-list').waitFor()
  await look('bulk actions')
}

async function lookAtApps(
  desk: Desk,
  page: Page,
  { apps, done }: Words,
  look: (screen: string) => Promise<void>,
): Promise<void> {
  const dialog = page.getByRole('dialog')
  await openScreen(page, `${desk.url}/apps`)
  await page.locator('.keys .data-list').waitFor()
  await look('apps')
  await button(page, apps.add).click()
  await dialog.waitFor()
  await look('adding an app')
  await page.keyboard.press('Escape')
  await row(page, 'Wiki').click()
  await page.getByLabel(apps.policies.require).check()
  await look('an app')
  await button(page, apps.createKey).click()
  await dialog.waitFor()
  await look('creating a key')
  await dialog.getByRole('button', { name: apps.createKey }).click()
  await dialog.locator('pre').waitFor()
  await look('a new key')
  await button(page, done).click()
}

async function lookAtAudit(
  desk: Desk,
  page: Page,
  { audit }: Words,
  look: (screen: string) => Promise<void>,
): Promise<void> {
  // Entries are shown when they are two seconds old.
  await desk.clock.advance(3)
  await openScreen(page, `${desk.url}/audit`)
  await page.locator('tbody .row-link').first().waitFor()
  await page.locator('summary').click()
  await look('the audit trail')
  await page.locator('tbody .row-link').nth(2).click()
  await page.getByRole('dialog').waitFor()
  await look('an entry of the audit trail')
  await openScreen(page, `${desk.url}/audit?event=keys.rotated&actor=root`)
  await page.getByText(audit.noneFound).waitFor()
  await look('no entries')
}

/** A person on the phone, who turns out to be someone else. */
async function verifyCaller(
  desk: Desk,
  page: Page,
  words: Words,
  look: (screen: string) => Promise<void>,
): Promise<void> {
  const { id } = await desk.client.users.getByUsername('carol')
  const phone = await addPhone(desk, id)
  await page.goto(`${desk.url}/person?id=${id}`)
  await button(page, words.caller.verify).click()
  const number = await page.locator('.big-code').innerText()
  await look('the number to read out')
  await phone.answer('confirm', number)
  await page.getByText(words.caller.confirmed).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await look('a verified caller')
  await desk.clock.advance(11 * 60)
  await page.reload()
  await button(page, words.caller.verify).click()
  await page.locator('.big-code').waitFor()
  await phone.answer('report')
  await page.getByRole('dialog', { name: words.caller.endCall }).waitFor()
  await look('a caller who is someone else')
  await button(page, words.done).click()
  await look('a person who said no')
}

/** As a member of the help desk does. */
async function askForConsent(desk: Desk): Promise<void> {
  const { page } = await signedIn(desk, {
    name: 'Dora Desk',
    email: 'dora@example.com',
    role: 'helpdesk',
    domains: ['Wiki'],
  })
  await row(page, 'Alice Archer').click()
  await button(page, 'Reset').click()
  await confirm(page, 'Reset')
  await button(page, 'Ask').click()
  await page.getByText('Waiting for consent').waitFor()
}
