import type { Page } from 'playwright-core'
import type { MfaOptions } from 'second-factor'
import { afterAll } from 'vitest'

import type { DeviceRequest } from '../../../src/contract/device-answers.ts'
import { hardwareToken } from '../../service/features/codes/code-holder.ts'
import { activateDevice, startService } from '../../service/start-service.ts'
import { shownCode } from '../shown-code.ts'
import { addAuthenticator } from '../virtual-authenticator.ts'
import { startWebApp } from '../web-app.ts'
import { appUrl, relayUrl, serveOrigins } from './tls-origins.ts'
import type { Relay } from './tls-origins.ts'

/**
 * A person with a passkey, a device, a hardware token, and a kept browser, who does all that the pages of a relay say: types the
 * password and the number, scans the code, follows the link on the phone, types codes, and touches the authenticator. The relay has
 * even stolen the cookies of the kept browser, but not its key. For the tests of a file: await it at the top.
 */
export async function createVictim() {
  const [origins, service] = await Promise.all([serveOrigins(), startService()])
  afterAll(() => service.close())
  const context = await origins.chromium.newContext()
  const page = await context.newPage()
  const authenticator = await addAuthenticator(page)
  let person: Person | undefined

  async function start(mfa: Partial<MfaOptions> = {}): Promise<Relay> {
    const { origin, apiKey, domain, clock } = service
    const connection = { baseUrl: `${origin}/api`, apiKey, domainId: domain.id }
    const app = await startWebApp({ mfa: { service: connection, clock, publicUrl: appUrl, ...mfa } })
    return origins.leadTo(app.url)
  }

  return {
    /** Leads both origins to an app with these options; it ends with the test. */
    async at(mfa: Partial<MfaOptions> = {}) {
      // Once: the factors are those of the service, which outlives the apps.
      if (person === undefined) {
        await start()
        person = await equip(service, page)
      }
      const { owned: factors, cookies } = person
      const relay = await start(mfa)
      relay.steal(cookies)
      return arrivals({ service, relay, page, authenticator, owned: factors })
    },
  }
}

type Service = Awaited<ReturnType<typeof startService>>
type Owned = Awaited<ReturnType<typeof addDevice>>

interface Person {
  readonly owned: Owned
  /** Of the kept browser. */
  readonly cookies: Readonly<Record<string, string>>
}

/** The password, on either origin. */
async function logIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/account`)
  await page.evaluate(async () => {
    const body = new URLSearchParams({ username: 'bob', password: 'secret' })
    await fetch('/login', { method: 'POST', body, redirect: 'manual' })
  })
  await page.goto(`${url}/account`)
}

/** Gives the person all factors, and keeps the browser. */
async function equip(service: Service, page: Page): Promise<Person> {
  await addPasskey(page)
  const factors = await addDevice(service)
  const context = page.context()
  // The passkey keeps the browser.
  await context.clearCookies({ name: 'connect.sid' })
  await logIn(page, appUrl)
  await page.waitForURL(`${appUrl}/account`)
  const keptCookies = (await context.cookies(appUrl)).filter(({ name }) => /mfa-(browser|kept)$/.test(name))
  if (keptCookies.length !== 2) throw new Error('The browser is not kept.')
  return { owned: factors, cookies: Object.fromEntries(keptCookies.map(({ name, value }) => [name, value])) }
}

async function addPasskey(page: Page): Promise<void> {
  await logIn(page, appUrl)
  await page.getByRole('button', { name: 'This computer' }).click()
  await page.waitForURL(`${appUrl}/account`)
}

/** What an administrator adds. Known browsers end with it. */
async function addDevice(service: Service) {
  const { origin, domain, clock, call } = service
  const { json: user } = await call('GET', '/users?username=bob')
  const { json: token } = await call('PUT', `/domains/${domain.id}/users/${user.id}/token`)
  const device = await activateDevice(origin, clock, token.code)
  const hardware = await hardwareToken(service)
  await call('PUT', `/users/${user.id}/hardware/${hardware.id}`)
  return { ...device, hardware }
}

interface Arriving {
  readonly service: Service
  readonly relay: Relay
  readonly page: Page
  readonly authenticator: Awaited<ReturnType<typeof addAuthenticator>>
  readonly owned: Owned
}

/** How the person arrives at the app, with the relay between or without. */
function arrivals({ service: { clock }, relay, page, authenticator, owned: factors }: Arriving) {
  const context = page.context()

  /** The number, in one of the ways that a page offers it. */
  const numbers = {
    typed: () => page.locator('#number').innerText(),
    async scanned({ id, nonce }: DeviceRequest) {
      const secret = shownCode({ text: await page.content() })?.secret
      return ((await (await factors.device.scan(id, { nonce, secret })).json()) as { number: string }).number
    },
    async 'by the link'({ id }: DeviceRequest) {
      const link = await page.locator('a[href*="#request="]').getAttribute('href')
      if (!link?.endsWith(id)) throw new Error(`The link is for another request: ${link}`)
      return page.locator('#number').innerText()
    },
  }

  /** @returns whether the device warned of a new browser; undefined if it was not asked. */
  async function approve(way: keyof typeof numbers): Promise<boolean | undefined> {
    // Where a passkey comes first, the device can be asked instead.
    if (!(await page.locator('#number').isVisible())) await post('/mfa/send')
    await page.goto(new URL('/mfa', page.url()).href)
    const [request] = await factors.pending()
    if (!request) return undefined
    const number = await numbers[way](request)
    await factors.device.answer(request.id, { nonce: request.nonce, decision: 'approve', number })
    await page.waitForURL(/\/account$/)
    return request.newBrowser === true
  }

  const post = (path: string, fields: Record<string, string> = {}) =>
    page.evaluate(
      async ([url, body]) => {
        await fetch(url, { method: 'POST', body: new URLSearchParams(body), redirect: 'manual' })
      },
      [path, fields] as const,
    )

  /** All that a relay can ask of the person. */
  const ways = {
    'the number, typed': () => approve('typed'),
    'the number, scanned': () => approve('scanned'),
    'the link on the phone': () => approve('by the link'),
    'a code': () => post('/mfa/code', { code: factors.hardware.code() }),
    'the passkey': () => touch(page),
  } satisfies Record<string, () => Promise<unknown>>

  /** One visit to the relay. @returns whether it has a verified web session, and what the device said. */
  async function visit(way: keyof typeof ways) {
    clock.skip(900)
    await context.clearCookies({ domain: 'relay.example' })
    relay.forget()
    await logIn(page, relayUrl)
    await page.locator('main:not([data-proof])').waitFor()
    const warned = await ways[way]()
    return { isIn: await relay.isIn(), warned }
  }

  /** Signs in on the app itself, with the device. @returns whether that warned of a new browser. */
  async function signIn(): Promise<boolean | undefined> {
    // Else the passkey would sign in by itself.
    await authenticator.setPresent(false)
    await context.clearCookies({ name: 'connect.sid' })
    await logIn(page, appUrl)
    await page.locator('main:not([data-proof]) #passkey').waitFor()
    const warned = await approve('typed')
    await authenticator.setPresent(true)
    return warned
  }

  return { visit, signIn }
}

export type Victim = Awaited<ReturnType<typeof createVictim>>
export type Way = Parameters<ReturnType<typeof arrivals>['visit']>[0]

/** The page of the relay asks for the passkey, in vain: the browser says so on the page. */
async function touch(page: Page): Promise<void> {
  await page.goto(`${relayUrl}/mfa?use=passkey`)
  await page.locator('#passkey').click()
  await page.locator('#passkey-news:not(:empty)').waitFor()
}
