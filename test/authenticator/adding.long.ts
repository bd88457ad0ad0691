import { describe, expect, it } from 'vitest'

import { startService } from '../support/running-service.ts'
import { add, phones } from './phone.ts'
import { button, headline, appears } from './screen.ts'
import { readKeys } from './read-keys.ts'

const phone = await phones()

describe('adding an account', () => {
  it('the app says what it is until there is an account', async () => {
    const { page } = await phone.joined()
    await button(page, 'Add an account').click()
    await page.getByLabel('Activation code or link').waitFor()
    const later = await page.getByText('This app shows you each sign-in').count()

    const fresh = await phone.open(await startService())

    expect(await appears(fresh.getByText('This app shows you each sign-in'))).toBe(true)
    expect(later).toBe(0)
  })

  it('the app shows the account of a link before it is added', async () => {
    const service = await startService()
    const { userId, code } = await service.enroll('alice')

    const page = await phone.open(service, `#code=${code}`)
    await headline(page, 'Add this account?')

    const facts = await page.locator('.facts').innerText()
    for (const fact of ['Acme', 'Wiki', 'alice']) expect(facts).toContain(fact)
    expect(await service.client.tokens.get(service.domainId, userId)).toMatchObject({ state: 'pending' })
  })

  it('the app removes the activation code from the address bar at once', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')

    const page = await phone.open(service, `#code=${code}`)

    expect(page.url()).toBe(`${service.url}/authenticator/`)
  })

  it('the app accepts a typed activation code in any case and with spaces', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const page = await phone.open(service)

    await page.getByLabel('Activation code or link').fill(` ${code.slice(0, 5).toUpperCase()} ${code.slice(5)}`)
    await button(page, 'Continue').click()
    await add(page)

    expect(await appears(page.getByText('alice'))).toBe(true)
  })

  it.each([
    ['that does not work', '#code=zzzzzzzzz2'],
    ['that was used already', undefined],
  ])('the app explains what to do about an activation code %s', async (_, fragment) => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    if (fragment === undefined) await add(await phone.open(service, `#code=${code}`))

    const page = await phone.open(service, fragment ?? `#code=${code}`)

    expect(await appears(page.getByRole('alert').getByText('That code doesn’t work.'))).toBe(true)
  })

  it('an activation link that is opened in two tabs leads to the account in both, and again later', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const page = await phone.open(service, `#code=${code}`)
    await headline(page, 'Add this account?')
    const other = await page.context().newPage()
    await other.goto(`${page.url()}#code=${code}`)
    await headline(other, 'Add this account?')

    await add(other)

    expect(await appears(page.getByText('Nothing to approve'))).toBe(true)
    await other.goto('about:blank')
    await other.goto(`${page.url()}#code=${code}`)
    expect(await appears(other.getByText('Nothing to approve'))).toBe(true)
    expect(await other.getByRole('alert').count()).toBe(0)
    await other.close()
  })

  it('an account that replaces its device on the same phone takes the place of the old one', async () => {
    const { service, userId, page } = await phone.joined()
    const { code } = await service.client.tokens.replace(service.domainId, userId)

    await page.goto(`${page.url()}#code=${code}`)
    await add(page)

    await expect.poll(() => page.locator('.list .row').count()).toBe(1)
    expect(await page.getByText('This account is now on another device').count()).toBe(0)
  })

  it('the app rejects an activation link of another address', async () => {
    const page = await phone.open(await startService())

    await page.getByLabel('Activation code or link').fill('https://evil.example/authenticator/#code=abcdefgh23')
    await button(page, 'Continue').click()

    expect(await appears(page.getByRole('alert').getByText('belongs to another address'))).toBe(true)
  })

  it('the app uses no activation code up where it cannot store the account, and says that there is no space left', async () => {
    const service = await startService()
    const { code, userId } = await service.enroll('alice')
    const page = await phone.open(service, `#code=${code}`)
    await page.evaluate(() => {
      // oxlint-disable-next-line typescript/unbound-method -- it is put back as it was
      const { put } = IDBObjectStore.prototype
      IDBObjectStore.prototype.put = function full() {
        IDBObjectStore.prototype.put = put
        throw new DOMException('The storage is full.', 'QuotaExceededError')
      }
    })

    await button(page, 'Add this account').click()
    await page.getByRole('alert').getByText('This device has no space left. Free some, then try again.').waitFor()
    const token = await service.client.tokens.get(service.domainId, userId)
    await add(page)

    expect(token).toMatchObject({ state: 'pending' })
  })

  it('the app adds the account although the answer was lost again and again, after the code was used up', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const page = await phone.open(service, `#code=${code}`)
    let lost = 3
    await page.route('**/device/activate', async (route) => {
      const response = await route.fetch()
      lost -= 1
      return lost < 0 ? route.fulfill({ response }) : route.abort()
    })

    await button(page, 'Add this account').click()
    await page.getByRole('alert').getByText('The service isn’t responding.').waitFor()
    await add(page)
    await service.ask('alice')

    expect(await headline(page, 'Sign in to Wiki?')).toBe(true)
  })

  it('the account of a link can be declined before there is any, and its code is not looked up again', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const page = await phone.open(service, `#code=${code}`)
    let lookups = 0
    await headline(page, 'Add this account?')
    page.on('request', (request) => void (lookups += Number(request.url().endsWith('/device/preview'))))

    await button(page, 'Cancel').click()
    await headline(page, 'Add an account')
    await button(page, 'Scan QR code').click()
    await button(page, 'Type the code instead').click()

    expect(await page.getByLabel('Activation code or link').inputValue()).toBe(code)
    expect(lookups).toBe(0)
    await button(page, 'Continue').click()
    expect(await headline(page, 'Add this account?')).toBe(true)
  })

  it('the app stores a separate, non-extractable key for each account', async () => {
    const service = await startService()
    const page = await phone.open(service, `#code=${(await service.enroll('alice')).code}`)
    await add(page)
    await page.goto(`${service.url}/authenticator/#code=${(await service.enroll('bob')).code}`)
    await add(page)

    const keys = await page.evaluate(readKeys)

    expect(keys).toEqual(Array.from({ length: 4 }, () => ({ extractable: false, exported: 'InvalidAccessError' })))
  })

  it('an activation link opens the question to add an account on any screen', async () => {
    const { service, page } = await phone.joined()
    const { code } = await service.enroll('bob')
    await button(page, 'Settings').click()
    await headline(page, 'Settings')

    await page.goto(`${service.url}/authenticator/#code=${code}`)

    expect(await headline(page, 'Add this account?')).toBe(true)
  })

  it('the shortcut of the installed app opens the screen to add an account', async () => {
    const { service, page } = await phone.joined()

    await page.goto(`${service.url}/authenticator/#add`)

    expect(await headline(page, 'Add an account')).toBe(true)
    expect(page.url()).toBe(`${service.url}/authenticator/`)
  })
})

describe('a phone whose installed apps have separate storage', () => {
  /** As Safari on iOS outside of an installed app says. */
  async function openOnIos(fragment: string) {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const page = await phone.open(service, fragment.replace('CODE', code), {}, (newPage) =>
      newPage.addInitScript(() => Object.defineProperty(navigator, 'standalone', { value: false })),
    )
    return { page, code }
  }

  it('a phone whose installed apps have separate storage asks to install the app first, and shows the code to copy', async () => {
    const { page, code } = await openOnIos('#code=CODE')

    await headline(page, 'Install the app first')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await button(page, 'Copy code').click()
    await button(page, 'Copied').waitFor()

    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code)
    expect(await appears(page.getByText('Add to Home Screen'))).toBe(true)
  })

  it('a phone with separate app storage asks to install the app before a move, whose code cannot be copied in time', async () => {
    const { page } = await openOnIos(`#move=${'A'.repeat(22)}`)

    await headline(page, 'Install the app first')

    expect(await button(page, 'Copy code').count()).toBe(0)
  })

  it('a phone whose installed apps have separate storage lets people continue without installing', async () => {
    const { page } = await openOnIos('#code=CODE')

    await button(page, 'Continue without installing').click()
    await add(page)

    expect(await appears(page.getByText('alice'))).toBe(true)
  })
})
