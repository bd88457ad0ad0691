import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { startService } from '../support/running-service.ts'
import { add, addAnother, phones } from './phone.ts'
import { button, headline, appears, read, setHidden } from './screen.ts'
import { seedAccounts } from './seed.ts'
import { readKeys } from './read-keys.ts'

const phone = await phones()

const names = (page: Page) => page.locator('.list .row small bdi').allInnerTexts()

/** Runs in the page: the browser opens no storage until `giveBack` is called. */
function loseStorage(): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is put back as it was
  const { open } = IDBFactory.prototype
  IDBFactory.prototype.open = function lost() {
    throw new DOMException('Connection to the database lost.', 'UnknownError')
  }
  Object.assign(window, { giveBack: () => (IDBFactory.prototype.open = open) })
}

describe('an account', () => {
  it('an account can be renamed on this device only, and removing the new name restores the original', async () => {
    const { page } = await phone.joined()
    const rename = async (name: string) => {
      await button(page, 'Options for alice at Wiki').or(button(page, 'Options for alice at Work')).click()
      await page.getByLabel('Name on this device').fill(name)
      await button(page, 'Save').click()
    }

    await rename('Work')
    await headline(page, 'Work')
    await button(page, 'Back').click()
    await page.reload()
    expect(await appears(button(page, 'Show code for alice at Work'))).toBe(true)
    await rename(' ')

    expect(await headline(page, 'Wiki')).toBe(true)
  })

  it('an account explains how to move it to another device', async () => {
    const { page } = await phone.joined()

    await button(page, 'Options for alice at Wiki').click()

    expect(await appears(page.getByText('The new phone takes over this account'))).toBe(true)
  })

  it('an account is removed from the device and the service after a confirmation', async () => {
    const { service, userId, page } = await phone.joined()

    await button(page, 'Options for alice at Wiki').click()
    await button(page, 'Remove this account').click()
    await headline(page, 'Remove this account?')
    await button(page, 'Remove').click()
    await headline(page, 'Add an account')

    await expect(service.client.tokens.get(service.domainId, userId)).rejects.toMatchObject({
      code: 'api.error.notfound.token',
    })
    expect(await read(page, readKeys)).toEqual([])
  })

  it('an account can be removed from a device whose service does not respond', async () => {
    const { service, page } = await phone.joined()
    await button(page, 'Options for alice at Wiki').click()
    await button(page, 'Remove this account').click()
    service.breakConnections()

    await button(page, 'Remove').click()
    await page.getByRole('alert').getByText('The service isn’t responding.').waitFor()
    await button(page, 'Remove from this device only').click()

    await headline(page, 'Add an account')
    expect(await read(page, readKeys)).toEqual([])
  })

  it('an account names the organization that removed it', async () => {
    const { service, userId, page } = await phone.joined()

    await service.client.tokens.revoke(service.domainId, userId)

    await appears(page.getByText('This account was removed at Acme.'))
    await button(page, 'Remove from list').click()
    expect(await headline(page, 'Add an account')).toBe(true)
  })

  it('an account that is removed while the service was away does not keep the others from being up to date', async () => {
    const { service, userId, page } = await phone.joined()
    await addAnother(service, page, 'bob')
    await page.route('**/device/requests', (route) => route.abort())
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await page.getByText('The service isn’t responding.').waitFor()
    await service.client.tokens.revoke(service.domainId, userId)

    await page.unroute('**/device/requests')

    await page.getByText('This account was removed at Acme.').waitFor()
    expect(await appears(page.getByText('Nothing to approve.'))).toBe(true)
  })

  it('an account works on while the browser has lost its storage for a moment, and a new name says so', async () => {
    const { service, page } = await phone.joined()
    await button(page, 'Options for alice at Wiki').click()
    await headline(page, 'Wiki')
    await page.evaluate(loseStorage)
    await page.evaluate(() => {
      const channel = new BroadcastChannel('second-factor-accounts')
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel never leaves its origin
      channel.postMessage('changed')
    })

    await page.getByLabel('Name on this device').fill('Work')
    await button(page, 'Save').click()
    await page.getByRole('alert').getByText('That didn’t work. Try again.').waitFor()
    await page.evaluate(() => (window as unknown as { giveBack(): void }).giveBack())
    await button(page, 'Save').click()
    await headline(page, 'Work')
    await button(page, 'Back').click()
    await service.ask('alice')

    expect(await headline(page, 'Sign in to Wiki?')).toBe(true)
  })

  it('an account appears once the browser has its storage again, which it lacked when the app was opened', async () => {
    const { page } = await phone.joined()
    await page.addInitScript(loseStorage)
    await page.reload()
    await headline(page, 'This page can’t keep your keys safe')

    await page.evaluate(() => (window as unknown as { giveBack(): void }).giveBack())
    await setHidden(page, true)
    await setHidden(page, false)

    expect(await appears(page.getByText('Nothing to approve.'))).toBe(true)
    expect(await page.getByText('This page can’t keep your keys safe').count()).toBe(0)
  })

  it('an account whose name reverses the line is listed with the name that it has', async () => {
    const { service, page } = await phone.joined()
    const user = await service.client.users.create({
      username: 'mallory',
      name: 'a\u202egnp.exe',
      email: 'm@example.com',
    })
    await service.client.domains.addUser(service.domainId, user.id)
    const { code = '' } = await service.client.tokens.issue(service.domainId, user.id)

    await seedAccounts(page, service.url, [code])

    expect(await appears(page.getByText('a\ufffdgnp.exe · mallory'))).toBe(true)
  })

  it('an account reports that another device replaced this one', async () => {
    const { service, userId, page } = await phone.joined()
    const { code } = await service.client.tokens.replace(service.domainId, userId)

    const other = await phone.open(service, `#code=${code}`)
    await add(other)
    await appears(page.getByText('This account is now on another device.'))
    await service.ask('alice')

    expect(await headline(other, 'Sign in to Wiki?')).toBe(true)
    await button(page, 'Remove from list').click()
    expect(await headline(page, 'Add an account')).toBe(true)
  })

  it('an account appears in every tab as soon as one tab adds it', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const page = await phone.open(service, `#code=${code}`)
    const other = await page.context().newPage()
    await other.goto(`${service.url}/authenticator/`)

    await add(page)

    expect(await appears(other.getByText('Nothing to approve'))).toBe(true)
  })

  it('the screen of an account leads home when another tab removes the account', async () => {
    const { service, page } = await phone.joined()
    await button(page, 'Options for alice at Wiki').click()
    await headline(page, 'Wiki')
    const other = await page.context().newPage()
    await other.goto(`${service.url}/authenticator/`)
    await button(other, 'Options for alice at Wiki').click()
    await button(other, 'Remove this account').click()

    await button(other, 'Remove').click()

    expect(await headline(page, 'Add an account')).toBe(true)
  })

  it('an account shows the image of its domain, or the first letter of its name', async () => {
    const { service, page } = await phone.joined()
    const emblem = page.locator('.emblem')
    const letter = await emblem.innerText()

    await service.setImage((await service.client.domains.image(service.domainId)).bytes)
    await page.reload()
    await emblem.locator('img').waitFor({ state: 'visible' })

    expect(letter).toBe('W')
    expect(await emblem.innerText()).toBe('')
  })
})

describe('several accounts', () => {
  it('several accounts are listed in the order they were added, and can be reordered by buttons', async () => {
    const { service, page } = await phone.joined()
    await addAnother(service, page, 'bob')
    await addAnother(service, page, 'carol')
    await expect.poll(() => names(page)).toEqual(['alice', 'bob', 'carol'])

    await button(page, 'Reorder').click()
    await button(page, 'Move carol at Wiki up').press('Enter')
    await expect.poll(() => names(page)).toEqual(['alice', 'carol', 'bob'])
    await button(page, 'Move alice at Wiki down').click()
    await expect.poll(() => names(page)).toEqual(['carol', 'alice', 'bob'])
    await button(page, 'Done').click()
    await page.reload()

    await expect.poll(() => names(page)).toEqual(['carol', 'alice', 'bob'])
  })
})
