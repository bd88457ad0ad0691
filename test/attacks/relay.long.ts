import { request as send } from 'node:http'

import type { MfaOptions } from 'second-factor'
import { expect, describe, it, onTestFinished } from 'vitest'

import type { PhishingResistance } from '../../src/contract/phishing-resistance.ts'
import { hardwareToken } from '../service/features/codes/code-holder.ts'
import { activateDevice, newUser, startService } from '../service/start-service.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { listen } from '../support/listen.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/**
 * A phishing page that passes everything on to the app, in both directions. The person does all that the page says: types the
 * password and the number, approves the request, and touches the authenticator.
 */
const chromium = await sharedChromium()
const attempts = 10

async function arrange(mfa: Partial<MfaOptions> = {}) {
  const service = await startService()
  onTestFinished(() => service.close())
  const { origin, apiKey, domain, clock } = service
  const connection = { baseUrl: `${origin}/api`, apiKey, domainId: domain.id }
  const app = await startWebApp({ mfa: { service: connection, clock, ...mfa } })
  const { port } = new URL(app.url)
  const host = `app.localhost:${port}`
  const relayed = await listen((req, res) => {
    const { origin: from, referer: _, ...headers } = req.headers
    // What the browser says of the page, the relay replaces by what it would say of the app's own.
    const ownHeaders = {
      ...headers,
      host,
      'sec-fetch-site': 'same-origin',
      ...(from === undefined ? {} : { origin: `http://${host}` }),
    }
    const passedOn = send(
      { host: '127.0.0.1', port, method: req.method, path: req.url, headers: ownHeaders },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
      },
    )
    passedOn.on('error', () => res.destroy())
    req.pipe(passedOn)
  })
  const context = await chromium.newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await addAuthenticator(page)

  const logIn = (url: string) =>
    page.goto(url).then(() =>
      page.evaluate(async () => {
        const body = new URLSearchParams({ username: 'bob', password: 'secret' })
        await fetch('/login', { method: 'POST', body, redirect: 'manual' })
      }),
    )

  /** Bob's first factor is a passkey, which he makes on the page of the app itself. */
  async function enrollPasskey() {
    await logIn(`http://${host}/`)
    await page.goto(`http://${host}/account`)
    await page.goto(`http://${host}/mfa/enroll/passkey`)
    await page.getByRole('button', { name: 'Add passkey', exact: true }).click()
    await page.waitForURL(`http://${host}/account`)
    const isIn = (await page.locator('body').innerText()).includes('"verified":true')
    await context.clearCookies()
    return isIn
  }

  /** A device and a hardware token of the user, beside what the user has. */
  async function equip(username: string) {
    const { json: user } = await service.call('GET', `/users?username=${username}`)
    const { id } = user as { id: string }
    const { json: token } = await service.call('PUT', `/domains/${domain.id}/users/${id}/token`)
    const device = await activateDevice(origin, clock, token.code)
    const hardware = await hardwareToken(service)
    await service.call('PUT', `/users/${id}/hardware/${hardware.id}`)
    return { ...device, hardware }
  }

  const policy = (phishingResistant: PhishingResistance) =>
    service.service.administration.setDomain(service.organization.id, domain.id, { phishingResistant })

  return { service, clock, app, page, context, relayed, logIn, enrollPasskey, equip, policy }
}
type Arranged = Awaited<ReturnType<typeof arrange>>
type Owned = Awaited<ReturnType<Arranged['equip']>>

const isIn = async (browser: Browser) => (await browser.open('/account')).status === 200

/** The person does what the relayed pages say, with the device. @returns whether the relay has a verified web session. */
async function byPush({ app, relayed }: Arranged, owned: Owned, username: string): Promise<boolean> {
  const browser = createBrowser(relayed)
  await app.signIn(browser, username)
  await browser.visit('/account')
  const page = await browser.visit('/mfa')
  const numberPage = page.text.includes('id="number"')
    ? page
    : await browser.submit('/mfa/send').then(() => browser.visit('/mfa'))
  const [request] = await owned.pending()
  if (request) {
    const answer = { nonce: request.nonce, decision: 'approve', number: numberOn(numberPage) } as const
    await owned.device.answer(request.id, answer)
    await browser.submit('/mfa/complete')
  }
  return isIn(browser)
}

/** The same with the code of a hardware token. */
async function byCode({ app, relayed }: Arranged, owned: Owned, username: string): Promise<boolean> {
  const browser = createBrowser(relayed)
  await app.signIn(browser, username)
  await browser.visit('/account')
  await browser.submit('/mfa/code', { code: owned.hardware.code() })
  return isIn(browser)
}

/** The same with the passkey, in the browser of the person. */
async function byPasskey({ page, context, relayed, logIn }: Arranged): Promise<boolean> {
  const evil = relayed.replace('127.0.0.1', 'evil.localhost')
  await context.clearCookies()
  await logIn(`${evil}/`)
  await page.goto(`${evil}/account`)
  await page.locator('#passkey-news:not(:empty)').waitFor()
  await page.goto(`${evil}/account`)
  return (await page.locator('body').innerText()).includes('"verified":true')
}

describe('a relay between the person and the app', () => {
  it.each([
    ['domain', 'require'],
    ['domain', 'prefer'],
    ['app', 'require'],
  ] as const)(
    'a relay gets no web session by push, code or passkey where the %s has the policy %s',
    async (place, phishingResistant) => {
      const arranged = await arrange(place === 'app' ? { phishingResistant } : {})
      const enrolled = await arranged.enrollPasskey()
      const bob = await arranged.equip('bob')
      if (place === 'domain') await arranged.policy(phishingResistant)

      const ways = [() => byPush(arranged, bob, 'bob'), () => byCode(arranged, bob, 'bob'), () => byPasskey(arranged)]
      const sessions: boolean[] = []
      for (const way of ways) for (let count = 0; count < attempts; count += 1) sessions.push(await way())

      expect(enrolled).toBe(true)
      expect(sessions).toEqual(Array.from({ length: 3 * attempts }, () => false))
    },
  )

  it('a relay gets in without the policy, even with number matching, because the person types the number', async () => {
    const arranged = await arrange()
    const { call, domain } = arranged.service
    const { json: user } = await call('POST', '/users', { body: newUser('carol') })
    await call('PUT', `/domains/${domain.id}/users/${user.id}`)
    const carol = await arranged.equip('carol')

    const outcomes = [await byPush(arranged, carol, 'carol'), await byCode(arranged, carol, 'carol')]

    expect(outcomes).toEqual([true, true])
  })
})
