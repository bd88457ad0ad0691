import { describe, expect, it } from 'vitest'

import { isolated } from '../../src/ground/printable.ts'
import { type Browser, button, confirm, expectHeadline, inDialog, link, row, signedIn, startDesk } from './desk.ts'

const signIn = 'Sign in with a passkey'

async function signInAgain({ page }: Browser): Promise<void> {
  await button(page, signIn).click()
  await page.locator('dialog.cover').waitFor({ state: 'detached' })
}

describe('a session that ends', () => {
  it('settings that were typed stay, and do not overwrite what another administrator saved meanwhile', async () => {
    const desk = await startDesk()
    const browser = await signedIn(desk)
    const { page } = browser
    await page.goto(`${desk.url}/domain?id=${desk.domainOf('Wiki')}`)

    await page.getByLabel('Name', { exact: true }).fill('Handbook')
    await desk.endSessions('Olivia Owner')
    await button(page, 'Save').click()
    await button(page, signIn).waitFor()
    await desk.setDomain('Wiki', { requestTimeout: 45 })
    const title = await page.title()
    await signInAgain(browser)
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Handbook')
    await button(page, 'Save').click()
    await page.getByText(/45/).first().waitFor()
    await button(page, 'Save').click()
    await page.getByText(`The settings of ${isolated('Handbook')} were saved.`).waitFor()

    expect(title).toBe('Sign in to the console · Console')
    expect(await desk.client.domains.get(desk.domainOf('Wiki'))).toMatchObject({ name: 'Handbook', requestTimeout: 45 })
  })

  it('a question stays with its reason, and its action is carried out once, after another press', async () => {
    const desk = await startDesk()
    const id = await desk.addPerson('alice', 'Alice Archer')
    const browser = await signedIn(desk)
    const { page } = browser
    await row(page, 'Alice Archer').click()
    await button(page, 'Create a recovery code').click()
    await page.getByLabel('Valid for').selectOption('8 hours')
    await desk.endSessions('Olivia Owner')

    await confirm(page, 'Create a recovery code')
    await button(page, signIn).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    const hidden = await page.getByText('Alice Archer').first().isVisible()
    await signInAgain(browser)
    await page.locator('dialog:modal').waitFor()
    const { bypasscodes: before } = await desk.client.users.get(id)
    const minutes = await page.getByLabel('Valid for').inputValue()
    await inDialog(page, 'Create a recovery code').click()
    await page.locator('.big-code').waitFor()

    expect([hidden, before.length, minutes]).toEqual([false, 0, '480'])
    expect((await desk.client.users.get(id)).bypasscodes).toHaveLength(1)
  })

  it('a page that was being opened is shown after the sign-in, under its title and with the focus where it was', async () => {
    const desk = await startDesk()
    await desk.addPerson('alice', 'Alice Archer')
    const browser = await signedIn(desk)
    const { page } = browser
    await row(page, 'Alice Archer').waitFor()
    await desk.endSessions('Olivia Owner')

    await link(page, 'Administrators').click()
    await button(page, signIn).waitFor()
    await signInAgain(browser)
    await expectHeadline(page, 'Administrators')
    await page.getByRole('row', { name: 'Olivia Owner' }).waitFor()

    expect(await page.title()).toBe('Administrators · Acme')
    await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor()
  })

  it('another administrator who signs in then finds nothing of what was asked', async () => {
    const desk = await startDesk()
    await desk.addPerson('alice', 'Alice Archer')
    const ann = await signedIn(desk, { name: 'Ann Admin', email: 'ann@example.com', role: 'admin', domains: ['Wiki'] })
    const { page, authenticator } = await signedIn(desk)
    await row(page, 'Alice Archer').click()
    await button(page, 'Reset').click()
    await desk.endSessions('Olivia Owner')
    await confirm(page, 'Reset')
    await button(page, signIn).waitFor()

    const { cdp, authenticatorId } = authenticator
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    for (const credential of await ann.authenticator.passkeys()) {
      await cdp.send('WebAuthn.addCredential', {
        authenticatorId,
        credential: { isResidentCredential: true, rpId: 'localhost', ...credential },
      })
    }
    await button(page, signIn).click()
    await link(page, 'Ann Admin').or(page.getByText('Ann Admin')).first().waitFor()

    await expectHeadline(page, 'Alice Archer')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})
