import type { Page, Request } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { createTestClock } from '../../src/testing/clock.ts'
import { addAnother, phones } from './phone.ts'
import { deny, button, headline, appears } from './screen.ts'

const phone = await phones()

describe('the history', () => {
  it('the history lists the answers of this device with app and origin, newest first', async () => {
    const { service, page } = await phone.joined()
    const approve = (currentPage: Page) => button(currentPage, 'Approve').click()
    for (const [answer, word, Browser] of [
      [approve, 'Approved', 'Firefox'],
      [deny, 'Denied', 'Safari'],
    ] as const) {
      await service.ask('alice', { ipAddress: '203.0.113.7', attributes: [{ key: 'Browser', value: Browser }] })
      await headline(page, 'Sign in to Wiki?')
      await answer(page)
      await headline(page, word)
      await page.getByText('Nothing to approve').waitFor()
    }

    await button(page, 'History').click()
    await page.locator('.row').nth(1).waitFor()

    const rows = await page.locator('.row').allInnerTexts()
    expect(rows[0]).toMatch(/Denied[^]*alice at Wiki[^]*Safari, 203\.0\.113\.7/)
    expect(rows[1]).toMatch(/Approved[^]*alice at Wiki[^]*Firefox, 203\.0\.113\.7/)
    expect(await appears(page.getByText('Wasn’t one of these you?'))).toBe(true)
  })

  it('the history groups answers by day', async () => {
    const clock = createTestClock()
    const { service, page } = await phone.joined({ service: { clock } })
    await service.ask('alice')
    await deny(page)
    await headline(page, 'Denied')

    await button(page, 'History').click()
    await page.locator('.row').waitFor()

    const now = clock.now() * 1000
    const today = await page.evaluate((time) => new Intl.DateTimeFormat('en', { dateStyle: 'full' }).format(time), now)
    expect(await page.locator('h2').innerText()).toBe(today)
  })

  it('the history explains when it is empty', async () => {
    const { page } = await phone.joined()

    await button(page, 'History').click()

    expect(await appears(page.getByText('Nothing yet.'))).toBe(true)
  })

  it('the history shows the other accounts and a message when one account cannot be loaded', async () => {
    const { service, page } = await phone.joined()
    await addAnother(service, page, 'bob')
    await service.ask('bob')
    await headline(page, 'Sign in to Wiki?')
    await deny(page)
    await page.getByText('Nothing to approve').waitFor()
    await page.route('**/device/history', async (route) =>
      claimsOf(route.request())['sub'] === (await deviceOf(page, 'alice')) ? route.abort() : route.continue(),
    )

    await button(page, 'History').click()

    await appears(page.getByText('Some entries couldn’t be loaded.'))
    expect(await appears(page.getByText('bob at Wiki'))).toBe(true)
  })

  it('the history loads older pages in one order over all accounts', async () => {
    const { service, page } = await phone.joined({ context: { timezoneId: 'UTC' } })
    await addAnother(service, page, 'bob')
    // As a service answers that has more to tell than goes on a page: alice's every minute, bob's every two.
    await page.route('**/device/history', async (route) => {
      const { sub, before } = claimsOf(route.request())
      const startIndex = before === undefined ? 0 : Number(before.slice(-2)) + 1
      const step = sub === aliceDevice ? 60 : 120
      await route.fulfill({
        json: {
          entries: [0, 1].map((index) => entry(sub === aliceDevice ? 'alice' : 'bob', startIndex + index, step)),
          more: startIndex < 4,
        },
      })
    })
    const aliceDevice = await deviceOf(page, 'alice')

    await button(page, 'History').click()
    await button(page, 'Show older').click()
    await button(page, 'Show older').click()

    const times = await page.locator('.row > small').allInnerTexts()
    expect(times).toEqual([...times].sort().toReversed())
  })
})

/** What the phone signed to make this call. */
function claimsOf(request: Request): Record<string, string> {
  const [, claims = ''] = (request.headers()['authorization'] ?? '').replace('Device ', '').split('.')
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, string>
}

/** The id that the account of this user has on the phone. */
function deviceOf(page: Page, username: string): Promise<string> {
  return page.evaluate(
    (ownerName) =>
      new Promise<string>((resolve) => {
        const opening = indexedDB.open('second-factor')
        opening.addEventListener('success', () => {
          const request = opening.result.transaction('accounts').objectStore('accounts').getAll()
          request.addEventListener('success', () => {
            const accounts = request.result as { id: string; user: { username: string } }[]
            resolve(accounts.find(({ user }) => user.username === ownerName)?.id ?? '')
          })
        })
      }),
    username,
  )
}

/** At noon of one day, so that times sort as text. */
const noon = Date.UTC(2026, 10, 20, 12) / 1000

function entry(username: string, index: number, step: number) {
  const settledAt = noon - index * step
  return {
    id: (username === 'alice' ? 'a' : 'b').repeat(38) + String(index).padStart(2, '0'),
    domain: { id: 'd'.repeat(40), name: 'Wiki' },
    user: { username },
    attributes: [],
    state: 'approved',
    createdAt: settledAt,
    settledAt,
  }
}
