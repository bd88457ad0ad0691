import type { Page } from 'playwright-core'
import type { MfaEvent, MfaOptions } from 'second-factor'
import { describe, expect, it, onTestFinished } from 'vitest'

import { sharedChromium } from '../support/shared-chromium.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'
import type { VirtualAuthenticatorOptions } from '../support/virtual-authenticator.ts'
import { startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

interface Arranging {
  readonly mfa?: Partial<MfaOptions>
  readonly authenticator?: VirtualAuthenticatorOptions
  readonly javaScriptEnabled?: boolean
}

/** A user who has just entered the right password and has no factor yet, in a browser with an authenticator. */
async function arrange({ mfa = {}, authenticator: kind, javaScriptEnabled = true }: Arranging = {}) {
  const events: MfaEvent[] = []
  const app = await startWebApp({ mfa: { onEvent: (event) => void events.push(event), ...mfa } })
  // Browsers accept passkeys at names only.
  const url = app.url.replace('127.0.0.1', 'localhost')
  const context = await chromium.newContext({ javaScriptEnabled })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const authenticator = await addAuthenticator(page, kind)
  const logIn = (username = 'alice') =>
    context.request.post(`${url}/login`, { form: { username, password: 'secret' }, maxRedirects: 0 })
  await logIn()
  return { app, url, context, page, authenticator, logIn, events }
}

type Arranged = Awaited<ReturnType<typeof arrange>>

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const news = (page: Page, text: string) => page.locator('#passkey-news', { hasText: text }).waitFor()
const answer = async (page: Page) => JSON.parse(await page.locator('body').innerText()) as { verified: boolean }

/** From the first page to an account with a passkey, which has just signed in. */
async function enroll({ url, page }: Pick<Arranged, 'url' | 'page'>) {
  await page.goto(`${url}/account`)
  await page.getByRole('link', { name: 'Use a passkey instead' }).click()
  await heading(page, 'Add a passkey')
  await press(page, 'Add passkey')
  await page.waitForURL(`${url}/account`)
}

/** The password again, in a browser that has forgotten everything but its passkeys. */
async function startOver({ context, logIn }: Arranged) {
  await context.clearCookies()
  await logIn()
}

describe('a passkey', () => {
  it('is the first factor of a user, and signs in with one touch from then on', async () => {
    const arranged = await arrange()
    const { page, url } = arranged

    await enroll(arranged)
    await startOver(arranged)
    await page.goto(`${url}/account`)
    await page.waitForURL(`${url}/account`)

    expect(await answer(page)).toMatchObject({ verified: true, mfa: { verified: { factor: 'passkey' } } })
  })

  it('asks once by itself, and again only when its button is pressed', async () => {
    const arranged = await arrange()
    const { page, url, authenticator } = arranged
    await enroll(arranged)
    await startOver(arranged)
    await authenticator.setPresent(false)

    await page.goto(`${url}/account`)
    await heading(page, 'Use your passkey')
    const button = page.getByRole('button', { name: 'Use passkey' })
    await button.waitFor()
    const whileAsking = await button.isDisabled()
    await page.reload()
    await button.waitFor()
    const afterReload = await button.isDisabled()
    await authenticator.setPresent(true)
    await button.click()
    await page.waitForURL(`${url}/account`)

    expect([whileAsking, afterReload]).toEqual([true, false])
  })

  it('leaves the other ways open when its dialog is closed', async () => {
    const arranged = await arrange()
    const { app, page, url, authenticator } = arranged
    await enroll(arranged)
    await startOver(arranged)
    await authenticator.cdp.send('WebAuthn.setUserVerified', {
      authenticatorId: authenticator.authenticatorId,
      isUserVerified: false,
    })
    await authenticator.cdp.send('WebAuthn.clearCredentials', { authenticatorId: authenticator.authenticatorId })

    await page.goto(`${url}/account`)
    await news(page, "That didn't finish")
    await page.getByRole('link', { name: 'Other ways to sign in' }).click()
    await heading(page, 'Other ways to sign in')

    expect(app.trouble).toEqual([])
  })

  it('is offered in the suggestions of the field for codes', async () => {
    const arranged = await arrange()
    const { page, url } = arranged
    await enroll(arranged)
    await startOver(arranged)

    // The virtual authenticator accepts a suggestion at once.
    await page.goto(`${url}/mfa?use=code`)
    await page.waitForURL(`${url}/`)

    expect(await answer(page)).toMatchObject({ verified: true, mfa: { verified: { factor: 'passkey' } } })
  })

  it('is shown with its name, when it was used, and whether it is synced', async () => {
    const arranged = await arrange({ authenticator: { syncs: true } })
    const { page, url, authenticator } = arranged
    await enroll(arranged)
    await page.goto(`${url}/mfa/devices`)
    const alone = await page.getByRole('region', { name: 'Passkeys' }).innerText()
    const [passkey] = await authenticator.passkeys()

    await authenticator.setBackup(passkey?.credentialId ?? '', true)
    await startOver(arranged)
    await page.goto(`${url}/account`)
    await page.waitForURL(`${url}/account`)
    await page.goto(`${url}/mfa/devices`)
    const synced = await page.getByRole('region', { name: 'Passkeys' }).innerText()

    expect(alone).toContain('Chrome · Linux')
    expect(alone).toContain('This device only')
    expect(synced).toContain('Synced')
  })

  it('is renamed, and the password manager is told', async () => {
    const arranged = await arrange()
    const { page, url, events } = arranged
    await enroll(arranged)
    await page.addInitScript(() => {
      const told: object[] = []
      Object.assign(globalThis, { told })
      const note = (options: object) => Promise.resolve(void told.push(options))
      Object.assign(PublicKeyCredential, { signalAllAcceptedCredentials: note, signalCurrentUserDetails: note })
    })

    await page.goto(`${url}/mfa/devices`)
    const passkeys = page.getByRole('region', { name: 'Passkeys' })
    await passkeys.getByText('Rename').click()
    await passkeys.getByLabel('Name').fill('My laptop')
    await passkeys.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your passkey has a new name.').waitFor()
    const told = await page.evaluate(() => (globalThis as unknown as { told: object[] }).told)

    expect(await passkeys.innerText()).toContain('My laptop')
    expect(told).toMatchObject([
      { rpId: 'localhost', allAcceptedCredentialIds: [expect.stringMatching(/^[\w-]+$/)] },
      { rpId: 'localhost', name: 'alice' },
    ])
    expect(events).toContainEqual(expect.objectContaining({ type: 'passkey.renamed' }))
  })

  it('is added by a user who has signed in, and replaces no other factor', async () => {
    const arranged = await arrange()
    const { page, url, events } = arranged
    await enroll(arranged)
    const authenticator = await addAuthenticator(page, { transport: 'usb' })

    await page.goto(`${url}/mfa/devices/passkey`)
    await heading(page, 'Add a passkey')
    await page.getByLabel('Name').fill('Security key')
    await press(page, 'Add passkey')
    await page.getByText('Your passkey is set up.').waitFor()

    expect(await authenticator.passkeys()).toHaveLength(1)
    expect(await page.getByRole('region', { name: 'Passkeys' }).getByRole('listitem').count()).toBe(2)
    expect(events.filter(({ type }) => type === 'factor.added')).toHaveLength(2)
  })

  it('is not added twice on one authenticator', async () => {
    const arranged = await arrange()
    const { page, url, authenticator } = arranged
    await enroll(arranged)

    await page.goto(`${url}/mfa/devices/passkey`)
    await press(page, 'Add passkey')
    await news(page, 'There is a passkey for your account here already.')

    expect(await authenticator.passkeys()).toHaveLength(1)
  })

  it('is removed, except the last factor', async () => {
    const arranged = await arrange()
    const { page, url } = arranged
    await enroll(arranged)
    await page.goto(`${url}/mfa/devices`)
    const passkeys = page.getByRole('region', { name: 'Passkeys' })
    await passkeys.getByText('Remove', { exact: true }).click()
    const last = await passkeys.innerText()
    await addAuthenticator(page, { transport: 'usb' })
    await page.goto(`${url}/mfa/devices/passkey`)
    await press(page, 'Add passkey')
    await page.getByText('Your passkey is set up.').waitFor()

    await passkeys.getByText('Remove', { exact: true }).first().click()
    await passkeys.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText("It's removed.").waitFor()

    expect(last).toContain('This is your only one')
    expect(await passkeys.getByRole('listitem').count()).toBe(1)
  })

  it('cannot be used without JavaScript, whose page leads to the other ways', async () => {
    const arranged = await arrange()
    const { url, app } = arranged
    await enroll(arranged)
    const without = await chromium.newContext({ javaScriptEnabled: false })
    onTestFinished(() => without.close())
    await without.request.post(`${url}/login`, { form: { username: 'alice', password: 'secret' }, maxRedirects: 0 })

    const page = await without.newPage()
    await page.goto(`${url}/account`)
    await heading(page, 'Use your passkey')
    const text = await page.getByRole('main').innerText()
    await page.getByRole('link', { name: 'Other ways to sign in' }).click()
    await heading(page, 'Other ways to sign in')

    expect(text).toContain('Passkeys need JavaScript.')
    expect(app.trouble).toEqual([])
  })

  it('passes in either of two tabs', async () => {
    const arranged = await arrange()
    const { page, url, context, authenticator } = arranged
    await enroll(arranged)
    await startOver(arranged)
    await authenticator.setPresent(false)
    await page.goto(`${url}/account`)
    await heading(page, 'Use your passkey')

    const other = await context.newPage()
    await addAuthenticator(other)
    const [passkey] = await authenticator.passkeys()
    await authenticator.setPresent(true)
    await page.reload()
    await press(page, 'Use passkey')
    await page.waitForURL(`${url}/account`)
    await other.goto(`${url}/mfa`)

    expect(passkey).toBeDefined()
    expect(await answer(other)).toMatchObject({ verified: true })
  })
})

describe('the offer of a passkey', () => {
  /** A user with a device who has just signed in with its code. */
  async function signInByPush(arranged: Arranged) {
    const { app, page, url } = arranged
    await page.goto(`${url}/account`)
    const text = await page.content()
    const account = await app.activate({ text }, `${app.url}/mfa`)
    await page.goto(`${url}/mfa`)
    const number = await page.locator('#number').textContent()
    await app.answer(account, 'approve', number ?? '')
    await heading(page, 'Next time: one touch')
    return account
  }

  it('follows a sign-in by another factor, and adds one after one more confirmation', async () => {
    const arranged = await arrange()
    const { app, page, url } = arranged
    const account = await signInByPush(arranged)

    await page.getByRole('link', { name: 'Add a passkey' }).click()
    await heading(page, 'Confirm the change to your devices')
    await app.answer(account, 'approve', (await page.locator('#number').textContent()) ?? '')
    await heading(page, 'Add a passkey')
    await press(page, 'Add passkey')
    await page.waitForURL(`${url}/account`)
    await startOver(arranged)
    await page.goto(`${url}/account`)
    await page.waitForURL(`${url}/account`)

    expect(await answer(page)).toMatchObject({ mfa: { verified: { factor: 'passkey' } } })
  })

  it('is not repeated in a browser where the user has declined it', async () => {
    const arranged = await arrange()
    const { app, page, url, context, logIn } = arranged
    const account = await signInByPush(arranged)

    await press(page, 'Never on this browser')
    await page.waitForURL(`${url}/account`)
    const cookies = await context.cookies()
    await context.clearCookies({ name: 'connect.sid' })
    await logIn()
    await page.goto(`${url}/account`)
    await app.answer(account, 'approve', (await page.locator('#number').textContent()) ?? '')
    await page.waitForURL(`${url}/account`)

    expect(cookies.map(({ name }) => name)).toContain('mfa-no-passkey')
    expect(await answer(page)).toMatchObject({ verified: true })
  })

  it('is not made on a device that cannot keep a passkey', async () => {
    const arranged = await arrange({ authenticator: { transport: 'usb' } })
    const { app, page, url } = arranged
    await page.goto(`${url}/account`)
    const account = await app.activate({ text: await page.content() }, `${app.url}/mfa`)
    await page.goto(`${url}/mfa`)
    const number = await page.locator('#number').textContent()

    await app.answer(account, 'approve', number ?? '')
    await page.waitForURL(`${url}/account`)

    expect(await answer(page)).toMatchObject({ verified: true })
  })
})
