import { describe, expect, it } from 'vitest'

import { isolated } from '../../src/ground/printable.ts'
import {
  button,
  confirm,
  type Desk,
  expectHeadline,
  holdBack,
  link,
  registered,
  row,
  signedIn,
  startDesk,
} from './desk.ts'

const agent = { name: 'Hal Helper', email: 'hal@example.com', role: 'helpdesk', domains: ['Wiki'] } as const
const admin = { name: 'Ann Admin', email: 'ann@example.com', role: 'admin', domains: ['Wiki'] } as const

async function deskWithPeople(): Promise<Desk> {
  const desk = await startDesk()
  await desk.addPerson('alice', 'Alice Archer')
  await desk.addPerson('bob', 'Bob Baker', ['Wiki', 'Webmail'])
  await desk.addPerson('carol', 'Carol Cook', ['Webmail'])
  return desk
}

describe('people', () => {
  it('people are searched from anywhere by keyboard: slash, the name and Enter, or the down arrow for several matches', async () => {
    const desk = await deskWithPeople()
    const { page } = await signedIn(desk, agent)
    await page.goto(`${desk.url}/account`)
    await expectHeadline(page, 'Your account')

    await page.keyboard.press('/')
    await page.getByRole('searchbox', { name: 'Search people' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('e')
    await page.keyboard.press('Enter')
    await row(page, 'Alice Archer').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('baker')
    await page.keyboard.press('ArrowDown')
    await row(page, 'Bob Baker').and(page.locator(':focus')).waitFor()
    const aliceRows = await row(page, 'Alice Archer').count()
    await page.keyboard.press('/')
    await page.keyboard.type('archer')
    await page.keyboard.press('Enter')

    await expectHeadline(page, 'Alice Archer')
    expect(aliceRows).toBe(0)
  })

  it('the list of people is filtered, the filter survives a reload, and the back button takes it back', async () => {
    const desk = await deskWithPeople()
    await desk.client.bypassCodes.create((await desk.client.users.getByUsername('bob')).id, {
      usesAllowed: 1,
      expirationTime: 60,
    })
    const { page } = await signedIn(desk, agent)
    await row(page, 'Alice Archer').waitFor()

    const filter = page.getByRole('combobox', { name: 'Filter' })
    await filter.selectOption('Has a recovery code')
    await row(page, 'Alice Archer').waitFor({ state: 'detached' })
    await page.reload()
    await row(page, 'Bob Baker').waitFor()
    const filtered = await row(page, 'Alice Archer').count()
    await page.goBack()
    await row(page, 'Alice Archer').waitFor()

    expect(filtered).toBe(0)
    expect(await filter.inputValue()).toBe('')
  })

  it('the list of people is no wider than its place on a tablet, in English and French', async () => {
    const desk = await deskWithPeople()
    const { id } = await desk.client.users.getByUsername('bob')
    await desk.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
    const hidden: number[] = []
    for (const locale of ['en', 'fr']) {
      const { page } = await signedIn(desk, { ...admin, name: locale, domains: ['Wiki', 'Webmail'] }, { locale })
      await row(page, 'Bob Baker').waitFor()
      for (const width of [768, 900, 1023, 1024, 1180]) {
        await page.setViewportSize({ width, height: 800 })
        hidden.push(await page.locator('.list-card').evaluate((list) => list.scrollWidth - list.clientWidth))
      }
    }

    expect(hidden).toEqual(Array(10).fill(0))
  })

  it('an address behind the last page says that no one was found there, and leads back to people', async () => {
    const desk = await deskWithPeople()
    const { page } = await signedIn(desk, agent)

    await page.goto(`${desk.url}/people?from=951`)
    await page.getByText('No one found.').waitFor()
    await link(page, 'Previous page').click()

    await row(page, 'Alice Archer').waitFor()
  })

  it('the list of people is counted for screen readers whenever it changes', async () => {
    const desk = await deskWithPeople()
    const { page } = await signedIn(desk, agent)
    await page.getByRole('status').getByText('1–2 of 2').waitFor()

    await page.getByRole('searchbox').fill('archer')

    await page.getByRole('status').getByText('1–1 of 1').waitFor()
  })

  it('a search for people shows the results of the last letters, however late earlier answers come', async () => {
    const desk = await deskWithPeople()
    const { page } = await signedIn(desk, agent)
    await row(page, 'Alice Archer').waitFor()
    await page.route('**/people?q=bob', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 700))
      await route.continue()
    })

    await page.getByRole('searchbox').fill('bob')
    await page.waitForURL('**?q=bob')
    await page.getByRole('searchbox').fill('alice')
    await page.waitForURL('**?q=alice')
    await page.waitForResponse('**/people?q=bob')

    await row(page, 'Bob Baker').waitFor({ state: 'detached' })
    expect(await row(page, 'Alice Archer').count()).toBe(1)
  })
})

describe('requests', () => {
  it('the console looks for consent requests without keeping the session of an absent administrator alive', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk, admin)
    await page.clock.install()
    await link(page, 'Requests').click()
    await page.getByText('No requests.').waitFor()
    const askAgain = () => Promise.all([page.waitForResponse('**/consents'), page.clock.runFor(10_000)])

    await desk.clock.advance(20 * 60)
    await askAgain()
    await desk.clock.advance(11 * 60)
    await askAgain()

    await expectHeadline(page, 'Sign in to the console')
  })
})

describe('a person', () => {
  it('a person gets a recovery code from an admin, which is shown once', async () => {
    const desk = await deskWithPeople()
    const { page } = await signedIn(desk, admin)

    await row(page, 'Alice Archer').click()
    await button(page, 'Create a recovery code').click()
    await confirm(page, 'Create a recovery code')
    await page.getByRole('dialog', { name: `Recovery code for ${isolated('Alice Archer')}` }).waitFor()
    const shownCode = await page.locator('.big-code').innerText()
    await button(page, 'Done').click()
    await page.getByText('1 code left.').waitFor()
    await page.locator('.big-code').waitFor({ state: 'detached' })

    expect(shownCode).toMatch(/^\d{3} \d{3} \d{3}$/)
    expect(await page.content()).not.toContain(shownCode)
    const session = await desk.client.sessions.create(desk.domainOf('Wiki'), {
      user: { username: 'alice' },
      bypasscode: shownCode.replaceAll(' ', ''),
    })
    expect(session.state).toBe('approved')
  })

  it('a new recovery code is shown, too, where the administrator has gone back meanwhile', async () => {
    const desk = await deskWithPeople()
    const { page } = await signedIn(desk, admin)
    await row(page, 'Alice Archer').click()
    const letGo = await holdBack(page, /\/bypass-codes$/)

    await button(page, 'Create a recovery code').click()
    await confirm(page, 'Create a recovery code')
    await page.locator('dialog button[type=submit][aria-disabled=true]').waitFor()
    await page.goBack()
    await expectHeadline(page, 'People')
    letGo()

    await page.getByRole('dialog', { name: `Recovery code for ${isolated('Alice Archer')}` }).waitFor()
    expect(await page.locator('.big-code').innerText()).toMatch(/^\d{3} \d{3} \d{3}$/)
  })

  it('a person gets a hardware token by its serial number, and the console says when there is none', async () => {
    const desk = await deskWithPeople()
    const seed = '3132333435363738393031323334353637383930'
    await desk.client.hardware.create({ serialNumber: 'SN-1', type: 'TOTP6', timeStep: 30, seed })
    const { page } = await signedIn(desk, admin)

    await row(page, 'Alice Archer').click()
    await button(page, 'Assign a hardware token').click()
    await page.getByLabel('Serial number').fill('SN-2')
    const assign = page.getByRole('dialog').getByRole('button', { name: 'Assign' })
    await assign.click()
    await page.getByText('Choose a reason.').waitFor()
    await page.getByLabel('New device').check()
    await assign.click()
    await page.getByText('There is no token with this serial number').waitFor()
    await page.getByLabel('Serial number').fill('SN-1')
    await page.keyboard.press('Enter')

    await page.getByText(`${isolated('Alice Archer')} has a hardware token now.`).waitFor()
    await page.getByText('SN-1').waitFor()
    expect((await desk.client.users.getByUsername('alice')).hardware).not.toBe('')
  })

  it('the help desk resets a person only after another administrator has consented', async () => {
    const desk = await deskWithPeople()
    const helper = await signedIn(desk, agent)
    const other = await signedIn(desk, admin)

    await row(helper.page, 'Alice Archer').click()
    await button(helper.page, 'Reset').click()
    await confirm(helper.page, 'Reset')
    await helper.page.getByRole('dialog', { name: 'Another administrator has to agree' }).waitFor()
    await button(helper.page, 'Ask').click()
    await helper.page.getByText('Waiting for consent until').waitFor()
    const offered = await button(helper.page, 'Consent').count()
    await link(other.page, 'Requests').click()
    await other.page.getByText(`Asked by ${isolated('Hal Helper')}`).waitFor()
    await button(other.page, 'Consent').click()
    await other.page.getByText('Consent given. It can be done once').waitFor()
    await helper.page.getByText('Consent given. It can be done once').waitFor()
    await button(helper.page, 'Carry out').click()

    await helper.page.getByText(`${isolated('Alice Archer')} was reset.`).waitFor()
    expect(offered).toBe(0)
  })

  it('a person gets what a colleague consented to: the request’s values are remembered until they are used', async () => {
    const desk = await deskWithPeople()
    const helper = await signedIn(desk, agent)
    const other = await signedIn(desk, admin)

    await row(helper.page, 'Alice Archer').click()
    await button(helper.page, 'Change e-mail address').click()
    const dialog = helper.page.getByRole('dialog')
    await dialog.getByLabel('New e-mail address').fill('archer@example.com')
    await confirm(helper.page, 'Change e-mail address')
    await button(helper.page, 'Ask').click()
    await helper.page.getByText('Waiting for consent until').waitFor()
    await link(other.page, 'Requests').click()
    const consentText = await other.page.locator('.consents dl').innerText()
    await button(other.page, 'Consent').click()
    await button(helper.page, 'Carry out').click()
    await helper.page.getByText('archer@example.com').first().waitFor()
    await expect.poll(() => button(helper.page, 'Carry out').count()).toBe(0)

    expect(consentText.split(/\n+/)).toEqual(['New e-mail address', 'archer@example.com', 'Apps', 'Wiki'])
    expect((await desk.client.users.getByUsername('alice')).email).toBe('archer@example.com')
  })

  it('an administrator changes a person with the same address once an owner has said that it is someone else', async () => {
    const desk = await deskWithPeople()
    const namesake = await signedIn(desk, { ...admin, email: 'alice@example.com' })
    const owner = await signedIn(desk)
    await row(namesake.page, 'Alice Archer').click()
    await button(namesake.page, 'Reset').click()
    const dialog = namesake.page.getByRole('dialog')
    await confirm(namesake.page, 'Reset')
    await dialog.getByText('This person has your e-mail address').waitFor()
    await button(namesake.page, 'Cancel').click()

    const { id } = await desk.find(admin.name)
    await owner.page.goto(`${desk.url}/administrator?id=${id}`)
    await button(owner.page, 'It’s someone else').click()
    await owner.page.getByText('Someone else with the same e-mail address').waitFor()
    await button(namesake.page, 'Reset').click()
    await confirm(namesake.page, 'Reset')

    await namesake.page.getByText(`${isolated('Alice Archer')} was reset.`).waitFor()
  })

  it('an owner finds the own record of an administrator by username and address among more than a page of people', async () => {
    const desk = await startDesk()
    for (let number = 100; number < 160; number++) await desk.addPerson(`${number}ax`, `Adam ${number}`)
    await desk.addPerson('ax', 'Zoe Ax')
    await desk.addPerson('x', 'Zoe X')
    await registered(desk, { ...admin, email: 'x@example.com' })
    const { page } = await signedIn(desk)
    await page.goto(`${desk.url}/administrator?id=${(await desk.find(admin.name)).id}`)
    const record = page.getByRole('region', { name: 'Own record' })

    await record.getByRole('link', { name: 'Zoe X' }).waitFor()
    await record.getByLabel('Username of their own record').fill('ax')
    await record.locator('button[type=submit]').click()

    await record.getByRole('link', { name: 'Zoe Ax' }).waitFor()
  })

  it('an admin is offered no change that counts everywhere for a person who also belongs to other apps', async () => {
    const desk = await deskWithPeople()
    const { page } = await signedIn(desk, admin)

    await row(page, 'Bob Baker').click()
    await page.getByText('This person also belongs to apps that you don’t manage.').waitFor()

    expect(await page.getByRole('button', { name: /Reset|Create a recovery code|Assign/ }).count()).toBe(0)
    expect(await button(page, 'Show link: Wiki').count()).toBe(1)
  })

  it('an administrator cannot change their own record among the people', async () => {
    const desk = await deskWithPeople()
    const { page } = await signedIn(desk, admin)
    await desk.linkRecord(admin.name, 'alice')

    await row(page, 'Alice Archer').click()
    await button(page, 'Sign out everywhere').click()
    await confirm(page, 'Sign out everywhere')

    await page.getByText('You can’t do this to your own record.').waitFor()
  })

  it('an auditor can only look at a person', async () => {
    const desk = await deskWithPeople()
    await desk.lock('alice')
    const { page } = await signedIn(desk, { role: 'auditor' })

    await row(page, 'Alice Archer').click()
    await page.getByText('Codes are locked until').waitFor()

    // The filters of the timeline change nothing.
    expect(await page.locator('main button:not(.chip)').count()).toBe(0)
  })
})
