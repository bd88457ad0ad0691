import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { type RunningService, startService } from '../support/running-service.ts'
import { fromDesk, phones, small } from './phone.ts'
import { approveWith, deny, button, headline, appears, read } from './screen.ts'
import { readKeys } from './read-keys.ts'

const phone = await phones()

/** From the activation link to where a PIN or passcode is asked for. */
async function atTheQuestion(keyType: 'PIN' | 'PASSCODE', more: { maxAllowedRetries?: number } = {}) {
  const service = await startService({ domain: { keyType, ...more } })
  const { userId, code } = await service.enroll('alice')
  const page = await phone.open(service, `#code=${code}`, small)
  await button(page, 'Add this account').click()
  return { service, userId, page }
}

const joinedWithPin = (more: { maxAllowedRetries?: number } = {}) =>
  phone.joined({ domain: { keyType: 'PIN', ...more }, pin: '2580', context: small })

/** With an offline code, which is locked where the PIN is chosen. */
async function chosenPin() {
  const { service, page } = await atTheQuestion('PIN')
  await choosePin(page, '2580')
  await page.getByText('Nothing to approve').waitFor()
  return { service, page }
}

async function choosePin(page: Page, pin: string, repeatedPin = pin): Promise<void> {
  await page.getByLabel('PIN', { exact: true }).fill(pin)
  await page.getByLabel('Repeat PIN').fill(repeatedPin)
  await button(page, 'Continue').click()
}

async function openRequest(service: RunningService, page: Page) {
  const session = await service.ask('alice', fromDesk)
  await headline(page, 'Sign in to Wiki?')
  return { ...session, number: session.number! }
}

async function approve(page: Page, number: string, pin: string): Promise<void> {
  await page.getByLabel('Enter the number').fill(number)
  await page.getByLabel('Your PIN').fill(pin)
  await button(page, 'Approve').click()
}

describe('choosing a PIN', () => {
  it('the app accepts a new PIN typed twice on large keys, moving between the fields automatically', async () => {
    const { service, userId, page } = await atTheQuestion('PIN')
    await headline(page, 'Choose a PIN')

    for (const digit of '25802580') await button(page, digit).tap()
    await button(page, 'Continue').tap()
    await page.getByText('Nothing to approve').waitFor()

    expect(await service.client.tokens.get(service.domainId, userId)).toMatchObject({ state: 'active' })
  })

  it('the app rejects a new PIN that is easy to guess, too short or repeated differently, and explains why', async () => {
    const { service, userId, page } = await atTheQuestion('PIN')

    for (const [pin = '', repeatedPin = '', why = ''] of [
      ['1234', '1234', 'easy to guess'],
      ['258', '258', '4 digits'],
      ['2580', '2581', 'don’t match'],
    ]) {
      await choosePin(page, pin, repeatedPin)
      await appears(page.getByRole('alert').getByText(why))
      expect(await page.getByLabel('PIN', { exact: true }).inputValue()).toBe('')
    }
    expect(await service.client.tokens.get(service.domainId, userId)).toMatchObject({ state: 'pending' })
  })

  it('the app asks for a passcode where the domain requires one', async () => {
    const { service, page } = await atTheQuestion('PASSCODE')
    await headline(page, 'Choose a passcode')

    await page.getByLabel('Passcode', { exact: true }).fill('correct horse')
    await page.getByLabel('Repeat passcode').fill('correct horse')
    await button(page, 'Continue').click()
    await page.getByText('Nothing to approve').waitFor()

    const id = await approveWith(service, page, 'Your passcode', 'correct horse')

    expect(await service.state(id)).toMatchObject({ state: 'approved' })
  })
})

describe('a request in a domain with a PIN', () => {
  it('a request in a domain with a PIN is approved with number and PIN, and the PIN is never shown', async () => {
    const { service, page } = await joinedWithPin()
    const session = await openRequest(service, page)

    for (const digit of `${session.number}2580`) await button(page, digit).tap()
    const type = await page.getByLabel('Your PIN').getAttribute('type')
    await button(page, 'Approve').tap()

    await headline(page, 'Approved')
    expect(type).toBe('password')
    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })

  it('a request in a domain with a PIN is denied without the PIN', async () => {
    const { service, page } = await joinedWithPin()
    const session = await openRequest(service, page)

    await deny(page)

    await headline(page, 'Denied')
    expect(await service.state(session.id)).toMatchObject({ state: 'denied' })
  })

  it('a request stays after a wrong PIN, shows the attempts left, and is approved with the right one', async () => {
    const { service, page } = await joinedWithPin({ maxAllowedRetries: 3 })
    const session = await openRequest(service, page)

    await approve(page, session.number, '1357')
    await appears(page.getByRole('alert').getByText('2 attempts left'))
    const pin = await page.getByLabel('Your PIN').inputValue()
    await page.getByLabel('Your PIN').fill('2580')
    await button(page, 'Approve').click()

    await headline(page, 'Approved')
    expect(pin).toBe('')
  })

  it('the app explains after the last wrong PIN that the account is removed', async () => {
    const { service, userId, page } = await joinedWithPin({ maxAllowedRetries: 2 })
    const session = await openRequest(service, page)

    await approve(page, session.number, '1357')
    await appears(page.getByRole('alert').getByText('One attempt left, then this account is removed.'))
    await page.getByLabel('Your PIN').fill('1357')
    await button(page, 'Approve').click()

    await headline(page, 'Account removed')
    await appears(page.getByText('too many wrong attempts'))
    await button(page, 'OK').click()
    await appears(page.getByText('This account was removed at Acme.'))
    await expect(service.client.tokens.get(service.domainId, userId)).rejects.toMatchObject({
      code: 'api.error.notfound.token',
    })
  })
})

describe('the offline code in a domain with a PIN', () => {
  const showCode = async (page: Page, pin: string) => {
    await button(page, 'Show code for alice at Wiki').click()
    await page.getByLabel('Your PIN').fill(pin)
    await button(page, 'Show code').click()
    return (await page.locator('button.code').innerText()).replace(/\D/g, '')
  }

  it('canceling the PIN for an offline code gives the keyboard focus back to its button', async () => {
    const { page } = await chosenPin()
    await button(page, 'Show code for alice at Wiki').click()

    await button(page, 'Cancel').click()
    await button(page, 'Show code for alice at Wiki').waitFor()

    expect(await read(page, () => document.activeElement?.ariaLabel)).toBe('Show code for alice at Wiki')
  })

  it('the offline code in a domain with a PIN is shown after the PIN, and signs in', async () => {
    const { service, page } = await chosenPin()

    const otp = await showCode(page, '2580')

    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'approved' })
  })

  it('the offline code differs after a wrong PIN, and nothing on the device reveals which one is right', async () => {
    const { service, page } = await chosenPin()

    const otp = await showCode(page, '1357')

    expect(otp).toMatch(/^\d{6}$/)
    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'denied' })
  })

  it('a device in a domain with a PIN stores no secret that works without the PIN', async () => {
    const { page } = await chosenPin()

    const keys = await read(page, readKeys)

    expect(keys).toEqual([{ extractable: false, exported: 'InvalidAccessError' }])
  })
})
