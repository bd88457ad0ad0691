import session from 'express-session'
import { requireMfa } from 'second-factor'
import type { MfaEvent, MfaOptions, RequireMfaOptions } from 'second-factor'
import { onTestFinished } from 'vitest'

import type { PhishingResistance } from '../../src/contract/phishing-resistance.ts'
import type { CreationOptions, RequestOptions } from '../../src/contract/webauthn.ts'
import { hardwareToken } from '../service/features/codes/code-holder.ts'
import { startService } from '../service/start-service.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { random128 } from '../support/device-signer.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

export interface PolicyOptions {
  /** The policy of the domain. */
  readonly domain?: PhishingResistance
  readonly mfa?: Partial<MfaOptions>
  /** What the route `/guarded` requires. */
  readonly guard?: RequireMfaOptions
}

/** An app at a name, and alice with a device and a hardware token; codes by e-mail are allowed. */
export async function startPolicyApp({ domain: policy = 'off', mfa = {}, guard = {} }: PolicyOptions = {}) {
  const service = await startService({}, { phishingResistant: policy, emailOtpEnabled: true, bypassEnabled: true })
  onTestFinished(() => service.close())
  const { origin, apiKey, domain, organization, clock, call } = service
  const connection = { baseUrl: `${origin}/api`, apiKey, domainId: domain.id }
  const store = new session.MemoryStore()
  const events: MfaEvent[] = []

  /** Another process of the app, with the same web sessions. */
  const startApp = async (options: Partial<MfaOptions> = {}) => {
    const app = await startWebApp({
      mfa: {
        service: connection,
        clock,
        factors: ['passkey', 'push', 'otp', 'email', 'bypass'],
        onEvent: (event) => void events.push(event),
        ...options,
      },
      session: { store },
      routes: (routes) => void routes.get('/guarded', requireMfa(guard), (_req, res) => res.send('guarded')),
    })
    return { ...app, url: app.url.replace('127.0.0.1', 'localhost') }
  }
  const app = await startApp(mfa)
  const { url } = app
  const authenticator = createAuthenticator({ origin: url })
  const alice = await service.enroll('alice')
  const token = await hardwareToken(service)
  await call('PUT', `/users/${alice.user.id}/hardware/${token.id}`)
  const passkeys = `/domains/${domain.id}/users/${alice.user.id}/passkeys`

  /** What alice's device asks for is approved. */
  async function approve(number?: string): Promise<void> {
    const [request] = await alice.pending()
    if (!request) throw new Error('nothing is pending')
    await alice.device.answer(request.id, { nonce: request.nonce, decision: 'approve', ...(number && { number }) })
  }

  /** Alice adds a passkey for the app. */
  async function givePasskey(): Promise<void> {
    const challenge = random128()
    const approvalRequest = await alice.ask({ purpose: 'change_devices', challenge })
    await approve()
    await call('POST', `${alice.sessions}/${approvalRequest.id}/redeem`, { body: { challenge } })
    const allowed = { challenge, pass: approvalRequest.id }
    const rp = { id: 'localhost', origins: [url], name: 'Test' }
    const started = await call('POST', `${passkeys}/registration`, { body: { rp, ...allowed } })
    const response = authenticator.make(started.json as CreationOptions)
    const added = await call('POST', passkeys, { body: { response, name: 'Laptop', ...allowed } })
    if (added.status !== 200) throw new Error(added.text)
  }

  /** She signs in, and opens a page. */
  async function signIn(username = 'alice', path = '/account') {
    const browser = createBrowser(url)
    await app.signIn(browser, username)
    return { browser, page: await browser.visit(path) }
  }

  /** She opens a page that asks for the second step; if the page asks for another one, she has passed the first by push. */
  async function enter(path: string) {
    const { browser, page } = await signIn()
    if (path === '/account') return { browser, page }
    await browser.submit('/mfa/send')
    await byPush(browser)
    return { browser, page: await browser.visit(path) }
  }

  async function byPush(browser: Browser) {
    await approve(numberOn(await browser.visit('/mfa')))
    return browser.submit('/mfa/complete')
  }

  async function byPasskey(browser: Browser) {
    const { text } = await browser.submit('/mfa/passkey/options')
    const response = JSON.stringify(authenticator.use(JSON.parse(text) as RequestOptions))
    return browser.submit('/mfa/passkey', { response })
  }

  /** All that a hand-made request can try. */
  async function tryOtherWays(browser: Browser): Promise<void> {
    await browser.submit('/mfa/send')
    await browser.visit('/mfa?use=push')
    await browser.submit('/mfa/email')
    await browser.submit('/mfa/code', { code: token.code() })
    await browser.submit('/mfa/complete')
  }

  const setPolicy = (phishingResistant: PhishingResistance) =>
    service.service.administration.setDomain(organization.id, domain.id, { phishingResistant })

  return {
    app,
    service,
    url,
    alice,
    token,
    events,
    authenticator,
    startApp,
    approve,
    givePasskey,
    signIn,
    enter,
    byPush,
    byPasskey,
    tryOtherWays,
    setPolicy,
  }
}

export const isVerified = async (browser: Browser) => (await browser.open('/account')).status === 200
