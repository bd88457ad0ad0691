import type { Page } from 'playwright-core'
import type { MfaOptions } from 'second-factor'
import { onTestFinished } from 'vitest'

import type { DeviceRequest } from '../../../src/contract/device.ts'
import { hardwareToken } from '../../service/codes/code-holder.ts'
import { activateDevice, startService } from '../../service/start-service.ts'
import { shownCode } from '../shown-code.ts'
import { addAuthenticator } from '../virtual-authenticator.ts'
import { startWebApp } from '../web-app.ts'
import { appUrl, relayUrl, serveOrigins } from './tls-origins.ts'

/**
 * A person with a passkey, a device, a hardware token, and a kept browser, who does all that the pages of a relay say: types the
 * password and the number, scans the code, follows the link on the phone, types codes, and touches the authenticator. The relay has
 * even stolen the cookies of the kept browser, but not its key.
 */
export async function startVictim(mfa: Partial<MfaOptions> = {}) {
  const service = await startService()
  onTestFinished(() => service.close())
  const { origin, apiKey, domain, clock, call } = service
  const connection = { baseUrl: `${origin}/api`, apiKey, domainId: domain.id }
  const app = await startWebApp({ mfa: { service: connection, clock, publicUrl: appUrl, ...mfa } })
  const { chromium, relay } = await serveOrigins(app.url)
  const context = await chromium.newContext()
  const page = await context.newPage()
  const authenticator = await addAuthenticator(page)

  /** The password, on either origin. */
  async function logIn(url: string): Promise<void> {
    await page.goto(`${url}/account`)
    await page.evaluate(async () => {
      const body = new URLSearchParams({ username: 'bob', password: 'secret' })
      await fetch('/login', { method: 'POST', body, redirect: 'manual' })
    })
    await page.goto(`${url}/account`)
  }

  async function addPasskey(): Promise<void> {
    await logIn(appUrl)
    const other = page.getByRole('link', { name: 'Use a passkey instead' })
    await other.or(page.getByRole('button', { name: 'Add passkey', exact: true })).waitFor()
    if (await other.isVisible()) await other.click()
    await page.getByRole('button', { name: 'Add passkey', exact: true }).click()
    await page.waitForURL(`${appUrl}/account`)
  }

  /** What an administrator adds. Known browsers end with it. */
  async function equip() {
    const { json: user } = await call('GET', '/users?username=bob')
    const { json: token } = await call('PUT', `/domains/${domain.id}/users/${user.id}/token`)
    const device = await activateDevice(origin, clock, token.code)
    const hardware = await hardwareToken(service)
    await call('PUT', `/users/${user.id}/hardware/${hardware.id}`)
    return { ...device, hardware }
  }

  await addPasskey()
  const owned = await equip()
  // The passkey keeps the browser.
  await context.clearCookies({ name: 'connect.sid' })
  await logIn(appUrl)
  await page.waitForURL(`${appUrl}/account`)
  const cookies = (await context.cookies(appUrl)).filter(({ name }) => /mfa-(browser|kept)$/.test(name))
  if (cookies.length !== 2) throw new Error('The browser is not kept.')
  relay.steal(Object.fromEntries(cookies.map(({ name, value }) => [name, value])))

  /** The number, in one of the ways that a page offers it. */
  const numbers = {
    typed: () => page.locator('#number').innerText(),
    async scanned({ id, nonce }: DeviceRequest) {
      const secret = shownCode({ text: await page.content() })?.secret
      return ((await (await owned.device.scan(id, { nonce, secret })).json()) as { number: string }).number
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
    const [request] = await owned.pending()
    if (!request) return undefined
    const number = await numbers[way](request)
    await owned.device.answer(request.id, { nonce: request.nonce, decision: 'approve', number })
    await page.waitForURL(/\/account$/)
    return request.newBrowser === true
  }

  const post = (path: string, fields: Record<string, string> = {}) =>
    page.evaluate(
      async ([to, body]) => {
        await fetch(to, { method: 'POST', body: new URLSearchParams(body), redirect: 'manual' })
      },
      [path, fields] as const,
    )

  /** All that a relay can ask of the person. */
  const ways = {
    'the number, typed': () => approve('typed'),
    'the number, scanned': () => approve('scanned'),
    'the link on the phone': () => approve('by the link'),
    'a code': () => post('/mfa/code', { code: owned.hardware.code() }),
    'the passkey': () => touch(page),
  } satisfies Record<string, () => Promise<unknown>>

  /** One visit to the relay. @returns whether it has a verified web session, and what the device said. */
  async function visit(way: keyof typeof ways) {
    clock.skip(900)
    await context.clearCookies({ domain: 'relay.example' })
    relay.forget()
    await logIn(relayUrl)
    await page.locator('main:not([data-proof])').waitFor()
    const warned = await ways[way]()
    return { isIn: await relay.isIn(), warned }
  }

  /** Signs in on the app itself, with the device. @returns whether that warned of a new browser. */
  async function signIn(): Promise<boolean | undefined> {
    // Else the passkey would sign in by itself.
    await authenticator.setPresent(false)
    await context.clearCookies({ name: 'connect.sid' })
    await logIn(appUrl)
    await page.locator('#passkey').waitFor()
    return approve('typed')
  }

  return { visit, ways, signIn }
}

export type Way = keyof Awaited<ReturnType<typeof startVictim>>['ways']

/** The page of the relay asks for the passkey, in vain: the browser says so on the page. */
async function touch(page: Page): Promise<void> {
  await page.goto(`${relayUrl}/mfa?use=passkey`)
  await page.locator('#passkey').click()
  await page.locator('#passkey-news:not(:empty)').waitFor()
}
