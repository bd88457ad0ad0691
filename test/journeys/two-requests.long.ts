import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { fromDesk, phones, small } from '../authenticator/phone.ts'
import { button, headline, appears } from '../authenticator/screen.ts'

const phone = await phones()

interface Opened {
  readonly page: Page
  /** The one of the newer request. */
  readonly number: string
  readonly cancel: () => Promise<unknown>
}

describe('a newer request on the phone', () => {
  it('a newer request on the phone is announced above the open one, and opens by a press alone', async () => {
    const { service, page } = await phone.joined({ context: small })
    const first = await service.ask('alice', fromDesk)
    await headline(page, 'Sign in to Wiki?')
    await page.getByLabel('Enter the number').fill(first.number!.slice(0, 1))
    const second = await service.ask('alice', fromDesk)

    expect(await appears(page.getByRole('alert').getByText('A newer request is waiting'))).toBe(true)
    // What was typed stays, and belongs to the request that was open.
    expect(await page.getByLabel('Enter the number').inputValue()).toBe(first.number!.slice(0, 1))
    await page.getByLabel('Enter the number').fill(second.number!)
    await button(page, 'Approve').click()
    await headline(page, 'The numbers didn’t match')

    expect(await service.state(first.id)).toMatchObject({ state: 'denied', reason: 'wrong_number' })
    expect(await service.state(second.id)).toMatchObject({ state: 'pending' })
  })

  /** How the open request may end, and what the device says for some seconds. */
  const endings = {
    'a wrong number': async ({ page, number }) => {
      await page.getByLabel('Enter the number').fill(number)
      await button(page, 'Approve').click()
      await headline(page, 'The numbers didn’t match')
    },
    'a cancellation': async ({ page, cancel }) => {
      await cancel()
      await headline(page, 'No longer needed')
    },
    'a denial': async ({ page }) => {
      await button(page, 'Deny').click()
      await button(page, 'Yes, a mistake').click()
      await headline(page, 'Denied')
    },
  } satisfies Record<string, (open: Opened) => Promise<void>>

  it.each(Object.keys(endings) as (keyof typeof endings)[])(
    'a newer request on the phone stays in the list after %s of the open one',
    async (ending) => {
      const { service, page, pass } = await phone.joinedAtRest()
      const first = await service.ask('alice', fromDesk)
      await headline(page, 'Sign in to Wiki?')
      const second = await service.ask('alice', fromDesk)
      await appears(page.getByRole('alert').getByText('A newer request is waiting'))
      await page.clock.fastForward(1_000)

      const cancel = () => service.client.sessions.cancel(service.domainId, first.id)
      await endings[ending]({ page, number: second.number!, cancel })
      await pass(10)

      // The person has to open it, and sees it under the headline of the home screen.
      await headline(page, 'You have a sign-in request')
      await pass(10)
      expect(await headline(page, 'You have a sign-in request')).toBe(true)
      expect(await service.state(second.id)).toMatchObject({ state: 'pending' })
    },
  )

  it('a newer request is shown when the person asks for it, and the older one stays in the list', async () => {
    const { service, page } = await phone.joined({ context: small })
    const first = await service.ask('alice', fromDesk)
    await headline(page, 'Sign in to Wiki?')
    const second = await service.ask('alice', { ...fromDesk, attributes: [{ key: 'Browser', value: 'Safari' }] })

    await button(page, 'Show').click()
    await appears(page.locator('#facts').getByText('Safari'))
    await page.getByLabel('Enter the number').fill(second.number!)
    await button(page, 'Approve').click()
    await headline(page, 'Approved')

    expect(await service.state(second.id)).toMatchObject({ state: 'approved' })
    expect(await service.state(first.id)).toMatchObject({ state: 'pending' })
  })

  it('requests in the list of the phone are told apart by browser and place', async () => {
    const { service, page } = await phone.joined({ context: small })
    for (const [place, browser] of [
      ['Lyon', 'Firefox'],
      ['Oslo', 'Safari'],
    ] as const) {
      await service.ask('alice', {
        attributes: [
          { key: 'Place', value: place },
          { key: 'Browser', value: browser },
        ],
      })
      await headline(page, 'Sign in to Wiki?')
    }
    await button(page, 'All 2 requests').click()

    expect(await appears(page.getByText('Lyon, Firefox'))).toBe(true)
    expect(await appears(page.getByText('Oslo, Safari'))).toBe(true)
  })

  it('a report blocks a newer request together with the open one, and says what it did', async () => {
    const { service, page } = await phone.joined({ context: small })
    await service.ask('alice', fromDesk)
    await headline(page, 'Sign in to Wiki?')
    await service.ask('alice', fromDesk)
    await appears(page.getByText('All 2 requests'))

    await button(page, 'It wasn’t me – block and report').click()

    expect(await appears(page.getByText('2 requests blocked. New requests are paused for 15 minutes.'))).toBe(true)
  })
})
