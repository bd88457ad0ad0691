import { describe, expect, it, onTestFinished } from 'vitest'

import type { PhishingResistance } from '../../src/contract/phishing-resistance.ts'
import type { CreationOptions, RequestOptions } from '../../src/contract/webauthn.ts'
import { hardwareToken } from '../service/features/codes/code-holder.ts'
import { passkeyPage } from '../service/features/passkeys/passkey-holder.ts'
import { startService } from '../service/start-service.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import { startWebApp } from '../support/web-app.ts'

/** An app on a domain with a policy, and alice with a device and a hardware token. */
async function startApp(phishingResistant: PhishingResistance) {
  const service = await startService({}, { phishingResistant })
  onTestFinished(() => service.close())
  const { origin, apiKey, domain } = service
  const connection = { baseUrl: `${origin}/api`, apiKey, domainId: domain.id }
  const app = await startWebApp({ mfa: { service: connection, clock: service.clock } })
  const url = app.url.replace('127.0.0.1', 'localhost')
  const alice = await service.enroll('alice')
  const token = await hardwareToken(service)
  await service.call('PUT', `/users/${alice.user.id}/hardware/${token.id}`)
  const signIn = async (username: string) => {
    const browser = createBrowser(url)
    await app.signIn(browser, username)
    return { browser, page: await browser.visit('/account') }
  }
  return { service, alice, token, url, signIn }
}

const isVerified = async (browser: Browser) => (await browser.open('/account')).status === 200

describe('mfa() on a domain that requires passkeys', () => {
  it('mfa() on a domain that requires passkeys sends no request, and says that a passkey is needed', async () => {
    const { signIn, alice } = await startApp('require')

    const { browser, page } = await signIn('alice')

    expect(page.text).toContain('A passkey is needed')
    expect(await alice.pending()).toEqual([])
    expect(await isVerified(browser)).toBe(false)
  })

  it('mfa() on a domain that requires passkeys takes no code', async () => {
    const { signIn, token } = await startApp('require')
    const { browser } = await signIn('alice')

    await browser.submit('/mfa/code', { code: token.code() })

    expect(await isVerified(browser)).toBe(false)
  })

  it('mfa() on a domain that requires passkeys lets a new user make a passkey, which then signs in', async () => {
    const { signIn, url } = await startApp('require')
    const authenticator = createAuthenticator({ origin: url })
    const { browser } = await signIn('bob')

    const creationAnswer = await browser.submit('/mfa/enroll/passkey/options')
    const response = JSON.stringify(authenticator.make(JSON.parse(creationAnswer.text) as CreationOptions))
    await browser.submit('/mfa/enroll/passkey', { name: 'Laptop', response })
    const started = await browser.submit('/mfa/passkey/options')
    const answer = JSON.stringify(authenticator.use(JSON.parse(started.text) as RequestOptions))
    await browser.submit('/mfa/passkey', { response: answer })

    expect(await isVerified(browser)).toBe(true)
  })
})

describe('mfa() on a domain that prefers passkeys', () => {
  it('mfa() on a domain that prefers passkeys asks the device of a user whose passkey is for another app', async () => {
    const { service, signIn, alice } = await startApp('off')
    const { id } = alice.user
    const { domain, organization, call } = service
    const challenge = 'A'.repeat(22)
    const session = await alice.ask({ purpose: 'change_devices', challenge })
    const [request] = await alice.pending()
    await alice.device.answer(session.id, { nonce: request!.nonce, decision: 'approve' })
    await call('POST', `${alice.sessions}/${session.id}/redeem`, { body: { challenge } })
    const added = await passkeyPage(service, { id }).addPasskey({ pass: session.id })
    await service.service.administration.setDomain(organization.id, domain.id, { phishingResistant: 'prefer' })

    await signIn('alice')

    expect(added.status).toBe(200)
    expect(await alice.pending()).toHaveLength(1)
  })
})
