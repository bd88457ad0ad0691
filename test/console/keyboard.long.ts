import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { atAdministrators, button, expectHeadline, link, registered, row, signedIn, startDesk } from './desk.ts'

describe('the console, with a keyboard only', () => {
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

  it('the console announces the headline of each new page first', async () => {
    const desk = await startDesk()
    const { page } = await atAdministrators(desk)

    await link(page, 'Invite').click()
    await expectHeadline(page, 'Invite an administrator')

    expect(await focused(page)).toBe('Invite an administrator')
  })

  it('the console lets a keyboard user skip the navigation', async () => {
    const desk = await startDesk()
    const { page } = await signedIn(desk)
    await page.goto(`${desk.url}/account`)
    await expectHeadline(page, 'Your account')

    await button(page, 'Skip to the content').focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')

    expect(await focused(page)).toBe('Sign out')
  })

  it('the arrow keys go through a list of the console, and Enter opens an entry', async () => {
    const desk = await startDesk()
    await registered(desk, { name: 'Hal Helper', role: 'helpdesk', domains: ['Wiki'] })
    const { page } = await atAdministrators(desk, { email: 'o@example.com' })
    const names: (string | null | undefined)[] = []

    await row(page, 'Hal Helper').focus()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'Home']) {
      await page.keyboard.press(key)
      names.push((await focused(page))?.slice(0, 10))
    }
    await page.keyboard.press('Enter')

    expect(names).toEqual(['Olivia Own', 'Olivia Own', 'Hal Helper', 'Olivia Own', 'Hal Helper'])
    await expectHeadline(page, 'Hal Helper')
  })

  it('the Escape key closes a question of the console, and the focus is back at the button', async () => {
    const desk = await startDesk()
    await registered(desk, { name: 'Hal Helper', role: 'helpdesk', domains: ['Wiki'] })
    const { page } = await atAdministrators(desk, { email: 'o@example.com' })
    await row(page, 'Hal Helper').click()
    await button(page, 'Revoke access').click()
    await page.getByRole('dialog').waitFor()

    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    expect(await focused(page)).toBe('Revoke access')
    expect(await desk.find('Hal Helper')).toMatchObject({ revokedAt: null })
  })

  it('the keyboard opens and closes the console’s navigation on a phone', async () => {
    const desk = await startDesk()
    const { page } = await atAdministrators(desk, {}, { viewport: { width: 390, height: 844 } })
    await expectHeadline(page, 'Administrators')

    await button(page, 'Menu').press('Enter')
    await link(page, 'Olivia Owner Owner').waitFor()
    await page.keyboard.press('Escape')

    await link(page, 'Olivia Owner Owner').waitFor({ state: 'hidden' })
    expect(await button(page, 'Menu').getAttribute('aria-expanded')).toBe('false')
  })
})
