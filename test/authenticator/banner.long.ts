import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { phones, small, withClock } from './phone.ts'
import { button, headline, appears } from './screen.ts'

const phone = await phones()

const open: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  Settings: (page) => button(page, 'Settings').click(),
  History: (page) => button(page, 'History').click(),
  Account: (page) => button(page, 'Options for alice at Wiki').click(),
  'Add an account': (page) => button(page, 'Add an account').click(),
}

describe('a request that arrives on another screen', () => {
  it.each(Object.keys(open))(
    'a request that arrives on another screen shows a banner there, which opens it: %s',
    async (name) => {
      const { service, page } = await phone.joined({ context: small })
      await open[name]!(page)
      const { y: topBefore } = (await page.locator('.card').boundingBox())!

      const session = await service.ask('alice')
      await page.getByRole('alert').getByText('Sign-in request · Wiki').waitFor()
      const banner = await page.locator('.banner').innerText()
      const { y: topAfter } = (await page.locator('.card').boundingBox())!
      await button(page, 'Review').tap()
      await headline(page, 'Sign in to Wiki?')
      await button(page, 'Approve').tap()
      await headline(page, 'Approved')

      expect(banner).toMatch(/· 1:[0-3]\d/)
      expect(topAfter).toBe(topBefore)
      expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
    },
  )

  it('the banner of a request is announced once, and not again each second', async () => {
    const { service, page } = await phone.joined({ prepare: withClock })
    await button(page, 'Settings').click()
    await service.ask('alice')
    const alert = page.locator('.banner [role=alert]')
    await alert.waitFor()
    const firstText = await page.locator('.banner').innerText()
    await alert.evaluate((element) => {
      new MutationObserver(() => void (document.documentElement.dataset['changed'] = 'yes')).observe(element, {
        characterData: true,
        childList: true,
        subtree: true,
      })
    })

    await page.clock.fastForward(5_000)
    await expect.poll(() => page.locator('.banner').innerText()).not.toBe(firstText)

    expect(await page.evaluate(() => document.documentElement.dataset['changed'])).toBeUndefined()
  })

  it('the banner leads to the list when there are several requests', async () => {
    const { service, page } = await phone.joined()
    await button(page, 'Settings').click()
    for (const value of ['First', 'Second']) await service.ask('alice', { attributes: [{ key: 'Browser', value }] })
    await page.locator('.banner').waitFor()
    await expect.poll(() => page.title()).toBe('(2) Authenticator')

    await button(page, 'Review').click()

    expect(await headline(page, 'Which one is yours?')).toBe(true)
  })

  it('a request that the person put off shows no banner on another screen', async () => {
    const { service, page } = await phone.joined()
    await service.ask('alice')
    await button(page, 'Decide later').click()
    await headline(page, 'You have a sign-in request')

    await button(page, 'Settings').click()
    await headline(page, 'Settings')

    expect(await page.locator('.banner').count()).toBe(0)
    expect(await page.locator('.bar').count()).toBe(1)
  })

  it('the banner of a request covers less than half of the screen at 200 % text', async () => {
    const { service, page } = await phone.joined({ context: { ...small, viewport: { width: 360, height: 560 } } })
    await page.evaluate(() => void (document.documentElement.style.fontSize = '200%'))
    await button(page, 'Settings').click()
    await service.ask('alice')
    await appears(page.locator('.banner'))

    const { height } = (await page.locator('.banner').boundingBox())!
    const cut = await page.locator('.banner div').evaluate((text) => text.scrollHeight > text.clientHeight + 1)

    expect(height).toBeLessThan(280)
    expect(cut).toBe(false)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  })
})
