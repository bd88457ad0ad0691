import type { Page } from 'playwright-core'
import type { MfaEvent, MfaOptions } from 'second-factor'
import { createClient } from 'second-factor/client'
import { embedded } from 'second-factor/service'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'
import type { StoredPasskey, VirtualAuthenticatorOptions } from '../support/virtual-authenticator.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

interface Arranging {
  readonly mfa?: Partial<MfaOptions>
  /** Headers that the app sends with everything. */
  readonly headers?: Readonly<Record<string, string>>
  readonly authenticator?: VirtualAuthenticatorOptions
}

/** A user who has just entered the right password and has no factor yet, in a browser with an authenticator. */
async function arrange({ mfa = {}, headers = {}, authenticator: kind }: Arranging = {}) {
  const events: MfaEvent[] = []
  const app = await startWebApp({
    mfa: { onEvent: (event) => void events.push(event), ...mfa },
    before: [(_req, res, next) => next(void res.set(headers))],
  })
  // Browsers accept passkeys at names only.
  const url = app.url.replace('127.0.0.1', 'localhost')
  const page = await keptPage(chromium, { javaScriptEnabled: true })
  const context = page.context()
  const authenticator = await addAuthenticator(page, kind)
  const logIn = (username = 'alice') =>
    context.request.post(`${url}/login`, { form: { username, password: 'secret' }, maxRedirects: 0 })
  await logIn()
  return { app, url, context, page, authenticator, logIn, events }
}

type Arranged = Awaited<ReturnType<typeof arrange>>

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const waitForStatus = (page: Page, text: string) => page.locator('#passkey-news', { hasText: text }).waitFor()
const answer = async (page: Page) => JSON.parse(await page.locator('body').innerText()) as { verified: boolean }

/** From the first page to an account with a passkey, which has just signed in. */
async function enroll({ url, page }: Pick<Arranged, 'url' | 'page'>) {
  await page.goto(`${url}/account`)
  await page.getByRole('button', { name: 'This computer' }).click()
  await page.waitForURL(`${url}/account`)
}

/** The same by the requests of the pages, most of which are not loaded. */
async function havePasskey({ url, page, context }: Pick<Arranged, 'url' | 'page' | 'context'>) {
  await context.request.get(`${url}/account`, { headers: { accept: 'text/html' } })
  // A document of the origin, without a script that would ask as well.
  await page.goto(`${url}/mfa/assets/style.css`)
  await page.evaluate(addAndUsePasskey)
}

/** Runs in the page. */
async function addAndUsePasskey(): Promise<void> {
  async function post<Answer>(path: string, fields: Record<string, string> = {}): Promise<Answer> {
    const body = new URLSearchParams(fields)
    const answered = await fetch(path, { method: 'POST', headers: { accept: 'application/json' }, body })
    if (!answered.ok) throw new Error(`${path} answered ${answered.status}`)
    return (await answered.json()) as Answer
  }
  const sealed = (credential: Credential | null) => JSON.stringify((credential as PublicKeyCredential).toJSON())
  const creation = await post<PublicKeyCredentialCreationOptionsJSON>('/mfa/enroll/passkey/options')
  const createdCredential = await navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(creation),
  })
  await post('/mfa/enroll/passkey', { name: 'Laptop', response: sealed(createdCredential) })
  const request = await post<PublicKeyCredentialRequestOptionsJSON>('/mfa/passkey/options')
  const usedCredential = await navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(request),
  })
  const { location: next } = await post<{ location: string }>('/mfa/passkey', { response: sealed(usedCredential) })
  if (next.includes('use=passkey')) throw new Error('the passkey was not accepted')
}

/** The password again, in a browser that has forgotten everything but its passkeys. */
async function startOver({ context, logIn }: Arranged) {
  await context.clearCookies()
  await logIn()
}

describe('a passkey', () => {
  it('a passkey is the first factor of a user, and signs in with one touch from then on', async () => {
    const arranged = await arrange()
    const { page, url } = arranged

    await enroll(arranged)
    await startOver(arranged)
    await page.goto(`${url}/account`)
    await page.waitForURL(`${url}/account`)

    expect(await answer(page)).toMatchObject({ verified: true, mfa: { verified: { factor: 'passkey' } } })
  })

  it('the passkey page asks once by itself, and again only when its button is pressed', async () => {
    const arranged = await arrange()
    const { page, url, authenticator } = arranged
    await havePasskey(arranged)
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

  it('the passkey page leaves the other ways open when its dialog is closed', async () => {
    const arranged = await arrange()
    const { app, page, url, authenticator } = arranged
    await havePasskey(arranged)
    await startOver(arranged)
    await authenticator.cdp.send('WebAuthn.setUserVerified', {
      authenticatorId: authenticator.authenticatorId,
      isUserVerified: false,
    })
    await authenticator.cdp.send('WebAuthn.clearCredentials', { authenticatorId: authenticator.authenticatorId })

    await page.goto(`${url}/account`)
    await waitForStatus(page, "That didn't finish")
    await page.getByRole('link', { name: 'Other ways to sign in' }).click()
    await heading(page, 'Other ways to sign in')

    expect(app.trouble).toEqual([])
  })

  it('a passkey is added and used in an app that denies passkeys to its own pages, as OWASP recommends', async () => {
    const denied = 'camera=(), clipboard-write=(), publickey-credentials-create=(), publickey-credentials-get=()'
    const arranged = await arrange({ headers: { 'Permissions-Policy': denied } })

    await enroll(arranged)

    expect(await answer(arranged.page)).toMatchObject({ verified: true, mfa: { verified: { factor: 'passkey' } } })
  })

  it('a passkey is offered in the suggestions of the field for codes', async () => {
    const arranged = await arrange()
    const { page, url } = arranged
    await havePasskey(arranged)
    await startOver(arranged)

    // The virtual authenticator accepts a suggestion at once.
    await page.goto(`${url}/mfa?use=code`)
    await page.waitForURL(`${url}/`)

    expect(await answer(page)).toMatchObject({ verified: true, mfa: { verified: { factor: 'passkey' } } })
  })

  it('a passkey is shown with its name, when it was used, and whether it is synced', async () => {
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

  it('a passkey can be renamed, and the password manager is told', async () => {
    const arranged = await arrange()
    const { page, url, events } = arranged
    await havePasskey(arranged)
    await page.addInitScript(() => {
      const signals: object[] = []
      Object.assign(globalThis, { signals })
      const note = (options: object) => Promise.resolve(void signals.push(options))
      Object.assign(PublicKeyCredential, { signalAllAcceptedCredentials: note, signalCurrentUserDetails: note })
    })

    await page.goto(`${url}/mfa/devices`)
    const passkeys = page.getByRole('region', { name: 'Passkeys' })
    await passkeys.getByText('Rename').click()
    await passkeys.getByLabel('Name').fill('My laptop')
    await passkeys.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your passkey has a new name.').waitFor()
    const signals = await page.evaluate(() => (globalThis as unknown as { signals: object[] }).signals)

    expect(await passkeys.innerText()).toContain('My laptop')
    expect(signals).toMatchObject([
      { rpId: 'localhost', allAcceptedCredentialIds: [expect.stringMatching(/^[\w-]+$/)] },
      { rpId: 'localhost', name: 'alice' },
    ])
    expect(events).toContainEqual(expect.objectContaining({ type: 'passkey.renamed' }))
  })

  it('a signed-in user adds a passkey once on each authenticator, and it replaces no other factor', async () => {
    const arranged = await arrange()
    const { page, url, events, authenticator: first } = arranged
    await havePasskey(arranged)
    await page.goto(`${url}/mfa/devices/passkey`)
    await heading(page, 'Add a passkey')
    await press(page, 'Add passkey')
    await waitForStatus(page, 'There is a passkey for your account here already.')
    expect(await first.passkeys()).toHaveLength(1)

    const authenticator = await addAuthenticator(page, { transport: 'usb' })
    await page.getByLabel('Name').fill('Security key')
    await press(page, 'Add passkey')
    await page.getByText('Your passkey is set up.').waitFor()

    expect(await authenticator.passkeys()).toHaveLength(1)
    expect(await page.getByRole('region', { name: 'Passkeys' }).getByRole('listitem').count()).toBe(2)
    expect(events.filter(({ type }) => type === 'factor.added')).toHaveLength(2)
  })

  // The test browser cannot do this: its stub makes the passkey as the browser does after a press.
  it('a passkey is added without a press where the password manager does that', async () => {
    const arranged = await arrange()
    const { page, url, authenticator } = arranged
    await page.addInitScript(() => {
      const create = navigator.credentials.create.bind(navigator.credentials)
      PublicKeyCredential.getClientCapabilities = () => Promise.resolve({ conditionalCreate: true })
      navigator.credentials.create = (options) => {
        const { mediation, ...rest } = options as { mediation?: string }
        return mediation === 'conditional' ? create(rest) : Promise.reject(new Error('not asked for'))
      }
    })

    await page.goto(`${url}/mfa`)
    await page.getByRole('button', { name: 'This computer' }).waitFor()
    // Where other ways are offered beside it, nothing is added before the user has chosen.
    expect(await authenticator.passkeys()).toEqual([])
    await page.goto(`${url}/mfa/enroll/passkey`)
    await page.waitForURL(`${url}/`)

    expect(await authenticator.passkeys()).toHaveLength(1)
  })

  it('a passkey is added by a press that comes before the password manager was asked', async () => {
    const arranged = await arrange()
    const { page, url, authenticator } = arranged
    await page.addInitScript(() => {
      const create = navigator.credentials.create.bind(navigator.credentials)
      PublicKeyCredential.getClientCapabilities = () => Promise.resolve({ conditionalCreate: true })
      navigator.credentials.create = (options) =>
        (options as { mediation?: string }).mediation === 'conditional' ? new Promise(() => {}) : create(options)
    })
    const pressed = Promise.withResolvers<void>()
    await page.route('**/mfa/enroll/passkey/options', async (route) => {
      await pressed.promise
      await route.continue()
    })

    await page.goto(`${url}/mfa`)
    const loaded = page.goto(`${url}/mfa/enroll/passkey`)
    await Promise.all([page.waitForRequest('**/mfa/enroll/passkey/options'), heading(page, 'Add a passkey')])
    await press(page, 'Add passkey')
    pressed.resolve()
    await loaded
    await page.waitForURL(`${url}/`)

    expect(await authenticator.passkeys()).toHaveLength(1)
  })

  it('a passkey can be removed unless it is the last factor', async () => {
    const arranged = await arrange()
    const { page, url } = arranged
    await havePasskey(arranged)
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

  it('a passkey cannot be used without JavaScript, and the page then leads to the other ways', async () => {
    const arranged = await arrange()
    const { app, url } = arranged
    await havePasskey(arranged)
    const without = createBrowser(url)
    await app.signIn(without, 'alice')

    const page = await without.visit('/account')
    const otherWays = await without.visit('/mfa?use=other')

    expect(page.text).toContain('Use your passkey</h1>')
    expect(page.text).toMatch(/<noscript>[^]*Passkeys need JavaScript\.[^]*<\/noscript>/)
    expect(page.text).toContain('href="/mfa?use=other"')
    expect(otherWays.text).toContain('Other ways to sign in</h1>')
    expect(app.trouble).toEqual([])
  })

  it('a passkey passes in either of two tabs', async () => {
    const arranged = await arrange()
    const { page, url, context, authenticator } = arranged
    await havePasskey(arranged)
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

describe('an attack on a passkey', () => {
  /** The assertion of the next sign-in, which does not reach the app. */
  async function interceptAnswer({ page, url }: Pick<Arranged, 'page' | 'url'>): Promise<string> {
    const caught = new Promise<string>((resolve) => {
      void page.route('**/mfa/passkey', async (route) => {
        resolve(new URLSearchParams(route.request().postData() ?? '').get('response') ?? '')
        await route.abort()
      })
    })
    await page.goto(`${url}/account`)
    const response = await caught
    await page.unroute('**/mfa/passkey')
    return response
  }

  /** Posts an assertion from the page of the challenge. @returns where the app leads. */
  const post = (page: Page, response: string) =>
    page.evaluate(async (assertionJson) => {
      const body = new URLSearchParams({ response: assertionJson })
      const answered = await fetch('/mfa/passkey', { method: 'POST', headers: { accept: 'application/json' }, body })
      return ((await answered.json()) as { location: string }).location
    }, response)

  /** Asks the authenticator for an assertion as a script of an attacker could, whatever the app asked for. */
  const assertion = (page: Page, changes: { rpId?: string; allowed?: readonly string[] }) =>
    page.evaluate(async ({ rpId, allowed }) => {
      const optionsResponse = await fetch('/mfa/passkey/options', {
        method: 'POST',
        headers: { accept: 'application/json' },
      })
      const options = PublicKeyCredential.parseRequestOptionsFromJSON({
        ...((await optionsResponse.json()) as PublicKeyCredentialRequestOptionsJSON),
        ...(rpId !== undefined && { rpId }),
        ...(allowed && { allowCredentials: allowed.map((id) => ({ id, type: 'public-key' as const })) }),
      })
      const credential = (await navigator.credentials.get({ publicKey: options })) as PublicKeyCredential
      return JSON.stringify(credential.toJSON())
    }, changes)

  it('a passkey assertion that was used before is refused', async () => {
    const arranged = await arrange()
    const { page, url, authenticator } = arranged
    await havePasskey(arranged)
    await startOver(arranged)
    const response = await interceptAnswer(arranged)
    const first = await post(page, response)
    await startOver(arranged)
    await authenticator.setPresent(false)
    await page.goto(`${url}/account`)

    const second = await post(page, response)

    expect([first, second]).toEqual(['/account', '/mfa?use=passkey'])
  })

  it('a passkey assertion for the challenge of another web session is refused', async () => {
    const arranged = await arrange()
    const { page, url, authenticator } = arranged
    await havePasskey(arranged)
    await startOver(arranged)
    const response = await interceptAnswer(arranged)
    await startOver(arranged)
    await authenticator.setPresent(false)
    await page.goto(`${url}/account`)

    expect(await post(page, response)).toBe('/mfa?use=passkey')
  })

  it('a passkey of another user is refused', async () => {
    const arranged = await arrange()
    const { page, url, context, logIn, authenticator } = arranged
    await havePasskey(arranged)
    const [own] = await authenticator.passkeys()
    await context.clearCookies()
    await logIn('bob')
    await havePasskey(arranged)
    await context.clearCookies()
    await logIn('bob')
    await page.route('**/assets/passkey.js*', (route) => route.abort())
    await page.goto(`${url}/account`)
    const id = Buffer.from(own?.credentialId ?? '', 'base64').toString('base64url')

    const location = await post(page, await assertion(page, { allowed: [id] }))

    expect(location).toBe('/mfa?use=passkey')
  })

  it('the browser does not let a page of another name use the passkey', async () => {
    const arranged = await arrange()
    const { page, url } = arranged
    await havePasskey(arranged)
    const foreign = url.replace('localhost', 'attacker.localhost')
    await page.goto(`${foreign}/danger`)

    const options = { challenge: new Uint8Array(32), rpId: 'localhost', allowCredentials: [] }
    const used = page.evaluate((publicKey) => navigator.credentials.get({ publicKey }), options)

    await expect(used).rejects.toThrow('SecurityError')
  })

  it('a passkey that was made for another name is refused', async () => {
    const arranged = await arrange()
    const { page, url, authenticator } = arranged
    await havePasskey(arranged)
    await startOver(arranged)
    const [own] = await authenticator.passkeys()
    await page.route('**/assets/passkey.js*', (route) => route.abort())
    const foreign = url.replace('localhost', 'attacker.localhost')
    await authenticator.cdp.send('WebAuthn.addCredential', {
      authenticatorId: authenticator.authenticatorId,
      credential: {
        ...(own as Required<StoredPasskey>),
        isResidentCredential: true,
        credentialId: Buffer.from('a copy of the key').toString('base64'),
        rpId: 'attacker.localhost',
      },
    })
    await page.goto(`${url}/account`)
    const started = await page.evaluate(async () => {
      const optionsResponse = await fetch('/mfa/passkey/options', {
        method: 'POST',
        headers: { accept: 'application/json' },
      })
      return (await optionsResponse.json()) as PublicKeyCredentialRequestOptionsJSON
    })

    // The page of the attacker passes the challenge on.
    await page.goto(`${foreign}/danger`)
    const response = await page.evaluate(async (requestOptions) => {
      const options = { ...requestOptions, rpId: location.hostname, allowCredentials: [] }
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
      const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
      return JSON.stringify(credential.toJSON())
    }, started)
    await page.goto(`${url}/account`)

    expect(await post(page, response)).toBe('/mfa?use=passkey')
  })

  it('a copied passkey whose counter is behind is refused where the service is told to refuse copies', async () => {
    const service = embedded({ database: ':memory:', passkeys: { refuseClones: true } })
    onTestFinished(() => service.close())
    const arranged = await arrange({ mfa: { service, clock: systemClock } })
    const { page, url, authenticator } = arranged
    await havePasskey(arranged)
    const [own] = await authenticator.passkeys()
    const { authenticatorId } = authenticator
    await authenticator.cdp.send('WebAuthn.removeCredential', {
      authenticatorId,
      credentialId: own?.credentialId ?? '',
    })
    await authenticator.cdp.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...(own as Required<StoredPasskey>), isResidentCredential: true, signCount: 0 },
    })

    await startOver(arranged)
    await page.goto(`${url}/account`)
    await page.waitForURL(`${url}/mfa?use=passkey`)
  })
})

describe('the offer of a passkey', () => {
  /** A user with a device who has just signed in with its code. */
  async function signInByPush(arranged: Arranged) {
    const { page, url } = arranged
    const account = await approveByDevice(arranged)
    await page.goto(`${url}/mfa`)
    await heading(page, 'Next time: one touch')
    return account
  }

  /** The device answers the request of a page that is not loaded. */
  async function approveByDevice({ app, url, context }: Arranged) {
    const read = async (path: string) => {
      const response = await context.request.get(url + path, { headers: { accept: 'text/html' } })
      return { text: await response.text() }
    }
    await read('/account')
    const account = await app.activate(await read('/mfa?use=phone'), `${app.url}/mfa`)
    await app.answer(account, 'approve', numberOn(await read('/mfa')))
    return account
  }

  it('the offer of a passkey follows a sign-in by another factor, and adds one after one more confirmation', async () => {
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

  it('the offer of a passkey is not repeated in a browser where the user has declined it', async () => {
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

  it('the offer of a passkey is not made on a device that cannot keep a passkey', async () => {
    const arranged = await arrange({ authenticator: { transport: 'usb' } })
    const { page, url } = arranged
    await approveByDevice(arranged)

    await page.goto(`${url}/mfa`)
    await page.waitForURL(`${url}/account`)

    expect(await answer(page)).toMatchObject({ verified: true })
  })
})

describe('the page for users who need a passkey and have none', () => {
  /** Alice has a device, in another app of the same service; this app requires passkeys. */
  async function arrangeStrict() {
    const lax = await startWebApp()
    await lax.verify(lax.browser(), 'alice')
    const { service, clock } = lax
    const { baseUrl, apiKey, fetch } = await service.connect()
    const client = createClient({ baseUrl, apiKey, fetch })
    const { id } = await client.users.getByUsername('alice')
    return {
      mfa: { service, clock, phishingResistant: 'require' },
      /** @param minutes Its lifetime; 0 as for recovery codes. */
      createCode: async (minutes: number) =>
        (await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: minutes })).code ?? '',
    } as const
  }

  /** The same without JavaScript, after a code was entered. */
  async function enterCode(minutes: number) {
    const { mfa, createCode } = await arrangeStrict()
    const app = await startWebApp({ mfa })
    const user = createBrowser(app.url.replace('127.0.0.1', 'localhost'))
    await app.signIn(user, 'alice')
    const challengePage = await user.visit('/account')
    const { headers } = await user.submit('/mfa/passkey/code', { code: await createCode(minutes) })
    return { user, challengePage, page: await user.visit(headers['location'] ?? '') }
  }

  it('the page for users who lack a required passkey takes an administrator’s code, which leads to one that signs in', async () => {
    const { mfa, createCode } = await arrangeStrict()
    const { page, url } = await arrange({ mfa })
    await page.goto(`${url}/account`)
    await heading(page, 'A passkey is needed')

    await page.getByLabel('Code from your administrator').pressSequentially(await createCode(30))
    await press(page, 'Continue')
    await heading(page, 'Add a passkey')
    await page.goto(`${url}/account`)
    await page.goto(`${url}/mfa/enroll/passkey`)
    await press(page, 'Add passkey')
    await page.waitForURL(`${url}/account`)

    expect(await answer(page)).toMatchObject({ verified: true, mfa: { verified: { factor: 'passkey' } } })
  })

  it('the page for users who lack a required passkey takes no recovery code', async () => {
    const { user, challengePage, page } = await enterCode(0)

    expect(challengePage.text).toContain('Code from your administrator')
    expect(page.text).toContain('That code didn&#39;t work')
    expect((await user.visit('/mfa/enroll/passkey')).path).toBe('/mfa')
  })

  it('the page for users who lack a required passkey takes the code without JavaScript, and says that passkeys need it', async () => {
    const { page } = await enterCode(30)

    expect(page.text).toContain('Add a passkey</h1>')
    expect(page.text).toMatch(/<noscript>[^]*Passkeys need JavaScript\./)
  })
})
