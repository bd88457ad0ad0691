import { mkdirSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import { phones, small } from './phone.ts'
import { deny, button, headline, appears, read } from './screen.ts'

const phone = await phones()
const sentence = 'New recovery codes were created for alice at Wiki.'
/** Invisible characters keep the direction of names. */
const stripDirectionMarks = (text: string) => text.replace(/[\u2068\u2069]/g, '')
const pictures = process.env['PICTURES']

async function notified(context: object = {}) {
  const joined = await phone.joined({ context })
  const makeCode = () => joined.service.client.bypassCodes.create(joined.userId, { usesAllowed: 1, expirationTime: 60 })
  await makeCode()
  const dismiss = joined.page.getByRole('button', { name: /^Dismiss/ })
  return { ...joined, makeCode, dismiss }
}

describe('a change of factors', () => {
  it('a change of factors appears on the home screen with advice until it is dismissed', async () => {
    const { page, dismiss } = await notified()
    await dismiss.waitFor()
    const card = stripDirectionMarks(await page.locator('section.hint', { has: dismiss }).innerText())

    expect(card).toContain(sentence)
    expect(card).toContain('Wasn’t this you? Tell your administrator.')
    await page.reload()
    await dismiss.click()
    await dismiss.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('Nothing to approve').waitFor()
    expect(await dismiss.count()).toBe(0)
  })

  it('a change of factors appears after a pending request, which is shown first', async () => {
    const { service, page, dismiss } = await notified()
    await dismiss.waitFor()

    const { id } = await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')

    expect(await dismiss.count()).toBe(0)
    await deny(page)
    await expect.poll(async () => (await service.state(id)).state).toBe('denied')
    expect(await appears(dismiss)).toBe(true)
  })

  it('a change of factors is shown again when dismissing it fails at the service', async () => {
    const { page, dismiss } = await notified()
    await dismiss.waitFor()
    let hidden = 0
    await page.route('**/device/notices/**', async (route) => {
      await dismiss.waitFor({ state: 'detached' })
      hidden += 1
      await route.abort()
    })

    await dismiss.click()

    await expect.poll(() => hidden).toBe(1)
    expect(await appears(dismiss)).toBe(true)
  })

  it.each([
    ['en', 'light'] as const,
    // The same width as in light.
    ...(pictures ? [['en', 'dark'] as const] : []),
    ['ar', 'light'] as const,
  ])('the notice of a change of factors fits on a phone, in %s and %s', async (locale, colorScheme) => {
    const { page } = await notified({ ...small, viewport: { width: 390, height: 664 }, colorScheme })
    if (locale === 'ar') {
      await button(page, 'Settings').click()
      await page.getByLabel('Language').selectOption('ar')
      await page.reload()
      await page.getByText('أُنشئت رموز استرداد جديدة').waitFor()
    }
    await page.locator('.notice').waitFor()

    const wide = await read(page, () => document.documentElement.scrollWidth)
    if (pictures) {
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ path: `${pictures}/notice-${locale}-${colorScheme}.png` })
    }

    expect(wide).toBe(390)
  })
})
