import { describe, expect, it } from 'vitest'

import { isolated } from '../../src/ground/printable.ts'
import {
  acceptInvitation,
  atAdministrators,
  button,
  expectHeadline,
  link,
  registered,
  row,
  signedIn,
  startDesk,
} from './desk.ts'

describe('signing in', () => {
  it('signing in to the console takes one button, reports an unused passkey, and continues where the person was', async () => {
    const desk = await startDesk()
    const { page, authenticator } = await signedIn(desk)
    await page.goto(`${desk.url}/account`)
    await button(page, 'Sign out').click()
    await expectHeadline(page, 'Sign in to the console')
    await page.goto(`${desk.url}/invite`)

    await authenticator.setVerifies(false)
    await button(page, 'Sign in with a passkey').click()
    await page.getByText('The passkey wasn’t used').waitFor()
    await authenticator.setVerifies(true)
    await button(page, 'Sign in with a passkey').click()

    await expectHeadline(page, 'Invite an administrator')
  })

  it('the console asks for sign-in again when the session has ended, without losing the place', async () => {
    const desk = await startDesk()
    const { page } = await atAdministrators(desk)
    await expectHeadline(page, 'Administrators')
    await desk.endSessions('Olivia Owner')

    await link(page, 'Invite').click()
    await page.reload()
    await expectHeadline(page, 'Sign in to the console')
    await button(page, 'Sign in with a passkey').click()

    await expectHeadline(page, 'Invite an administrator')
  })
})

describe('an owner', () => {
  it('an owner invites an administrator, who gets the role and the apps', async () => {
    const desk = await startDesk()
    const { page } = await atAdministrators(desk)

    await link(page, 'Invite').click()
    await page.getByLabel('Name').fill('Hal Helper')
    await page.getByLabel('E-mail').fill('hal@example.com')
    await page.getByRole('radio', { name: /^Help desk/ }).check()
    await page.getByRole('checkbox', { name: 'Webmail' }).check()
    await button(page, 'Create the link').click()
    await expectHeadline(page, `The invitation for ${isolated('Hal Helper')} is ready`)
    await acceptInvitation(desk, await page.getByLabel('Invitation link').inputValue())
    await link(page, 'Done').click()

    await page.getByRole('row', { name: 'Hal Helper' }).waitFor()
    expect(await page.getByRole('row', { name: 'Hal Helper' }).innerText()).toMatch(/Help desk\s+.Webmail/)
  })

  it('an owner withdraws an invitation', async () => {
    const desk = await startDesk()
    await desk.invite({ name: 'Hal Helper', role: 'auditor' })
    const { page } = await atAdministrators(desk, { email: 'o@example.com' })

    await button(page, `Withdraw the invitation for ${isolated('Hal Helper')}`).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText(`The invitation for ${isolated('Hal Helper')} was withdrawn.`).waitFor()
    await page.getByText('Open invitations').waitFor({ state: 'detached' })

    expect(await page.getByText('Hal Helper', { exact: true }).count()).toBe(0)
  })

  it('an owner’s change requires the passkey if its last use was a while ago, and fails without it', async () => {
    const desk = await startDesk()
    await registered(desk, { name: 'Hal Helper', role: 'auditor' })
    const { page, authenticator } = await atAdministrators(desk, { email: 'o@example.com' })
    const confirmations: string[] = []
    page.on('request', (request) => confirmations.push(new URL(request.url()).pathname))
    await desk.clock.advance(6 * 60)

    await row(page, 'Hal Helper').click()
    await authenticator.setVerifies(false)
    await button(page, 'Revoke access').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click()
    await page.getByRole('dialog').getByText('The passkey wasn’t used').waitFor()
    const unchanged = await desk.find('Hal Helper')
    await page.keyboard.press('Escape')
    await authenticator.setVerifies(true)
    await page.getByRole('radio', { name: /^Owner/ }).check()
    await button(page, 'Save').click()
    await page.getByText(`The access of ${isolated('Hal Helper')} was changed.`).waitFor()

    expect(unchanged).toMatchObject({ role: 'auditor', revokedAt: null })
    expect(confirmations.filter((path) => path.endsWith('/confirmation'))).toHaveLength(1)
    expect(await desk.find('Hal Helper')).toMatchObject({ role: 'owner', domains: [], revokedAt: null })
  })

  it('an owner sees what another owner changed in the meantime, before saving over it', async () => {
    const desk = await startDesk()
    await registered(desk, { name: 'Hal Helper', role: 'helpdesk', domains: ['Wiki'] })
    const { page } = await atAdministrators(desk, { email: 'o@example.com' })
    await row(page, 'Hal Helper').click()
    await page.getByRole('radio', { name: /^Auditor/ }).check()
    await desk.setRole('Hal Helper', 'admin', ['Wiki', 'Webmail'])

    await button(page, 'Save').click()
    await page
      .getByText(
        `Another administrator changed ${isolated('Hal Helper')} in the meantime: Admin, ${isolated('Webmail')}, ${isolated('Wiki')}.`,
      )
      .waitFor()
    expect(await desk.find('Hal Helper')).toMatchObject({ role: 'admin' })
    expect(await page.getByRole('radio', { name: /^Admin/ }).isChecked()).toBe(true)
    await page.getByRole('radio', { name: /^Owner/ }).check()
    await button(page, 'Save').click()

    await page.getByText(`The access of ${isolated('Hal Helper')} was changed.`).waitFor()
    expect(await desk.find('Hal Helper')).toMatchObject({ role: 'owner' })
  })

  it('an owner signs an administrator out and revokes the access, after a question with the name', async () => {
    const desk = await startDesk()
    const hal = await signedIn(desk, { name: 'Hal Helper', role: 'auditor' })
    const { page } = await atAdministrators(desk, { email: 'o@example.com' })
    await row(page, 'Hal Helper').click()

    await button(page, 'Sign out everywhere').click()
    await page.getByRole('dialog', { name: `Sign ${isolated('Hal Helper')} out everywhere?` }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByText('Not signed in anywhere.').waitFor()
    await button(page, 'Revoke access').click()
    await page.getByRole('dialog', { name: `Revoke the access of ${isolated('Hal Helper')}?` }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke access' }).click()
    await page.getByText(`${isolated('Hal Helper')} no longer has access.`).waitFor()
    await hal.page.reload()

    await expectHeadline(hal.page, 'Sign in to the console')
    await link(page, 'Administrators').first().click()
    await page.getByText('1 person without access').waitFor()
  })

  it('an owner cannot change their own access', async () => {
    const desk = await startDesk()
    const { page } = await atAdministrators(desk)

    await row(page, 'Olivia Owner').click()
    await page.getByText('Another owner can change your access.').waitFor()

    expect(await page.getByRole('button', { name: /Save|Revoke|everywhere/ }).count()).toBe(0)
  })
})

describe('other roles', () => {
  it('an auditor reads who has access, and is offered no change', async () => {
    const desk = await startDesk()
    await registered(desk, { name: 'Hal Helper', role: 'helpdesk', domains: ['Wiki'] })
    await desk.invite({ name: 'Ann Admin', role: 'auditor' })
    const { page } = await atAdministrators(desk, { role: 'auditor' })

    await page.getByText('Ann Admin').waitFor()
    const offered = await page.getByRole('main').getByRole('button').count()
    await row(page, 'Hal Helper').click()
    await page.getByText('Only owners can change access.').waitFor()

    expect(offered + (await page.getByRole('main').getByRole('button').count())).toBe(0)
    expect(await link(page, 'Invite').count()).toBe(0)
  })

  it.each(['helpdesk', 'admin'] as const)(
    'a person of role %s finds no way to the administrators in the console',
    async (role) => {
      const desk = await startDesk()
      const { page } = await signedIn(desk, { role, domains: ['Wiki'] })
      await expectHeadline(page, 'People')

      expect(await link(page, 'Administrators').count()).toBe(0)
      await page.goto(`${desk.url}/administrators`)
      await expectHeadline(page, 'This page doesn’t exist')
    },
  )
})

describe('the own account', () => {
  it('administrators can add another passkey, unless the device has one, and then remove the first', async () => {
    const desk = await startDesk()
    const { page, authenticator } = await signedIn(desk)
    const { cdp, authenticatorId } = authenticator
    await link(page, 'Olivia Owner Owner').click()
    await page.getByText('Your only passkey can’t be removed.').waitFor()
    await button(page, 'Add a passkey').click()
    await page.getByText('This device already has a passkey of yours.').waitFor()
    // As a security key would be, which knows no passkey of the laptop.
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId })

    // The list shows the same device under the same name: both are of this browser.
    await button(page, 'Add a passkey').click()
    await button(page, `Remove ${isolated('Chrome on Linux')}`)
      .nth(1)
      .waitFor()
    await button(page, `Remove ${isolated('Chrome on Linux')}`)
      .first()
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText(`${isolated('Chrome on Linux')} was removed.`).waitFor()
    await button(page, 'Sign out').click()
    await button(page, 'Sign in with a passkey').click()

    await expectHeadline(page, 'Overview')
  })
})

describe('the app', () => {
  it('the console shows names as text', async () => {
    const desk = await startDesk()
    const name = '<img src=x onerror="document.title=1">'
    await registered(desk, { name, role: 'auditor' })
    const { page } = await atAdministrators(desk, { email: 'o@example.com' })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))

    await page.getByRole('link', { name }).click()
    await expectHeadline(page, name)
    await button(page, 'Revoke access').click()
    await page.getByRole('dialog').waitFor()

    expect(await page.locator('img').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('the console keeps what it shows when the service stops, and tries again on a button press', async () => {
    const desk = await startDesk()
    const { page } = await atAdministrators(desk)
    await expectHeadline(page, 'Administrators')
    await page.route('**/api/**', (route) => route.abort())

    await row(page, 'Olivia Owner').click()
    await page.getByRole('alert').getByText('The service isn’t responding.').waitFor()
    await page.unroute('**/api/**')
    await button(page, 'Try again').click()

    await page.getByText('olivia@example.com').waitFor()
    expect(await button(page, 'Try again').count()).toBe(0)
  })

  it('the console says that the service is not responding where a portal or a proxy answers in its place', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await expectHeadline(page, 'People')
    const body = '<h1>Sign in to the Wi-Fi</h1>'
    await page.route('**/api/**', (route) => route.fulfill({ contentType: 'text/html', body }))

    await link(page, 'Administrators').click()
    await page.getByRole('alert').getByText('The service isn’t responding.').waitFor()
    await page.reload()
    await page.getByRole('alert').getByText('The service isn’t responding.').waitFor()
    await page.unrouteAll()
    await button(page, 'Try again').click()

    await page.getByText('olivia@example.com').waitFor()
  })

  it('the console reloads on a button press when a screen’s script no longer exists, once the service responds', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await expectHeadline(page, 'People')
    const script = '**/assets/consents-*.js'
    await page.route(script, (route) => route.fulfill({ status: 404 }))

    await link(page, 'Requests').click()
    await page.getByRole('alert').getByText('The service may have been updated').waitFor()
    await page.route('**/console/**', (route) => route.abort())
    await button(page, 'Try again').click()
    await page.locator('.notice-bar button:not([aria-disabled=true])').waitFor()
    await expectHeadline(page, 'This page couldn’t be loaded')
    await page.unrouteAll()
    await button(page, 'Try again').click()

    await page.getByText('No requests.').waitFor()
    expect(page.url()).toBe(`${desk.url}/consents`)
  })

  it('the console follows the back button, and titles each page', async () => {
    const desk = await startDesk()
    const { page } = await atAdministrators(desk)
    await link(page, 'Invite').click()
    await expectHeadline(page, 'Invite an administrator')
    const title = await page.title()

    await page.goBack()
    await expectHeadline(page, 'Administrators')

    expect([title, await page.title()]).toEqual(['Invite an administrator · Acme', 'Administrators · Acme'])
  })
})
