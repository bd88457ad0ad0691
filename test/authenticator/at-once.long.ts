import { describe, expect, it } from 'vitest'

import { startService } from '../support/running-service.ts'
import { phones, small, withClock } from './phone.ts'
import { button, freeze, headline, appears } from './screen.ts'

const phone = await phones()

/** At the question whether to add an account, in a domain with a PIN. */
async function atPreview() {
  const service = await startService({ domain: { keyType: 'PIN', maxAllowedRetries: 3 } })
  const { code } = await service.enroll('alice')
  const page = await phone.open(service, `#code=${code}`, small, withClock)
  await button(page, 'Add this account').waitFor()
  return { service, page }
}

/** An account with a PIN, and a request that asks for its number, too. */
async function askedForPin() {
  const domain = { keyType: 'PIN', maxAllowedRetries: 3 } as const
  const { service, page } = await phone.joined({ domain, pin: '2580', context: small, prepare: withClock })
  const ask = async () => {
    const session = await service.ask('alice', { numberMatching: true })
    await headline(page, 'Sign in to Wiki?')
    return session.number!
  }
  return { page, ask }
}

describe('as soon as a screen is drawn', () => {
  it('the headline of a screen is announced as soon as the screen is drawn', async () => {
    const { page } = await phone.joined({ prepare: withClock })
    await freeze(page)

    await button(page, 'Settings').click()
    await headline(page, 'Settings')

    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
  })

  it('the keypad moves from the number to the PIN as soon as the screen is drawn', async () => {
    const { page, ask } = await askedForPin()
    await freeze(page)
    const number = await ask()

    for (const digit of `${number}2580`) await button(page, digit).tap()

    expect(await page.getByLabel('Your PIN').inputValue()).toBe('2580')
    await button(page, 'Change the number').tap()
    expect(await page.getByLabel('Enter the number').inputValue()).toBe(number)
  })

  it('the field of the next question has the focus as soon as the screen is drawn', async () => {
    const { page, ask } = await askedForPin()
    await freeze(page)
    const number = await ask()

    await page.keyboard.type(`${number}2580`)

    expect(await page.getByLabel('Your PIN').inputValue()).toBe('2580')
  })

  it('the keypad moves from a new PIN to its repetition as soon as the screen is drawn', async () => {
    const { page } = await atPreview()
    await freeze(page)
    await button(page, 'Add this account').click()
    await headline(page, 'Choose a PIN')

    for (const digit of '25802580') await button(page, digit).tap()

    expect(await page.getByLabel('Repeat PIN').inputValue()).toBe('2580')
  })

  it('a rejected PIN is cleared as soon as the screen is drawn', async () => {
    const { page, ask } = await askedForPin()
    await page.getByLabel('Enter the number').fill(await ask())
    await page.getByLabel('Your PIN').fill('1357')
    await expect.poll(() => button(page, 'Approve').isEnabled()).toBe(true)
    await freeze(page)

    await button(page, 'Approve').click()
    await appears(page.getByRole('alert').getByText('2 attempts left'))

    expect(await page.getByLabel('Your PIN').inputValue()).toBe('')
  })
})
