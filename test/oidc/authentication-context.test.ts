import { randomBytes, randomUUID } from 'node:crypto'

import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { parametersOf } from '../../src/contract/hardware.ts'
import type { User } from '../../src/contract/users.ts'
import type { RequestOptions } from '../../src/contract/webauthn.ts'
import { codeAt, stepAt } from '../../src/service/features/codes/totp.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import { random128 } from '../support/device-signer.ts'
import { inFullRun } from '../support/full-run.ts'
import { startMailServer } from '../support/mail-server.ts'
import type { MailServer } from '../support/mail-server.ts'
import { ask, startProvider } from './start-provider.ts'
import type { StartedProvider } from './start-provider.ts'
import type { Tabs, Visited } from './tabs.ts'

let provider: StartedProvider
let mail: MailServer
let config: openid.Configuration
let mfa: string

beforeAll(async () => {
  mail = await startMailServer()
  const smtp = { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' }
  provider = await startProvider({}, {}, {}, { smtp, notify: { mail: false } })
  await provider.setDomain({ emailOtpEnabled: true, bypassEnabled: true })
  config = await provider.configure(provider.external)
  mfa = provider.pages('external')
})
afterAll(async () => {
  await provider.close()
  await mail.close()
})

/** What a person does on the page of the second step. @returns where it leads. */
type Pass = (browser: Tabs, page: Visited['page']) => Promise<Visited>

/** Sets up a factor for a person. @returns how they use it. */
type SetUp = (user: User) => Promise<Pass>

const enterCode =
  (code: () => string): Pass =>
  async (browser) =>
    browser.follow(await browser.submit(`${mfa}/code`, { code: code() }))

/** A generator of codes with a random seed. */
function generator() {
  const seed = randomBytes(20).toString('hex')
  const parameters = parametersOf({})
  const code = (steps = 0) =>
    codeAt({ seed, ...parameters }, stepAt(Math.floor(Date.now() / 1000), parameters.period) + steps)
  return { seed, code }
}

const authenticatorApp: SetUp = async ({ id }) => {
  const { seed, code } = generator()
  const words = { type: 'TOTP6', timeStep: 30, seed, otp: code(-1), first: true } as const
  await provider.api.hardware.enroll(provider.domainId, id, words)
  return enterCode(() => code())
}

const hardwareToken: SetUp = async ({ id }) => {
  const { seed, code } = generator()
  const token = { type: 'TOTP6', timeStep: 30, seed, serialNumber: randomUUID() } as const
  const created = await provider.api.hardware.create(token)
  await provider.api.hardware.assign(id, created.id)
  return enterCode(() => code())
}

const recoveryCode: SetUp = async ({ id }) => {
  await hardwareToken({ id } as User)
  const { code = '' } = await provider.api.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 30 })
  return enterCode(() => code)
}

const push: SetUp = async ({ id }) => {
  const { code = '' } = await provider.api.tokens.issue(provider.domainId, id)
  const account = await provider.device.activate(provider.url + mfa, code, { name: 'Phone' })
  return (browser, page) => provider.approve(browser, account, page)
}

/** @param flags What the authenticator says of itself: `be` and `bs` that it can be synced, `uv` that it has verified the person. */
const passkey =
  (flags: object): SetUp =>
  async ({ id }) => {
    const { api, domainId, url } = provider
    const authenticator = createAuthenticator({ origin: url, flags })
    const challenge = random128()
    const rp = { id: new URL(url).hostname, name: 'Test', origins: [url] }
    const options = await api.passkeys.startRegistration(domainId, id, { rp, challenge, first: true })
    const made = { response: authenticator.make(options), challenge, name: 'Passkey', first: true }
    await api.passkeys.register(domainId, id, made)
    return async (browser) => {
      const { text } = await browser.submit(`${mfa}/passkey/options`)
      const response = JSON.stringify(authenticator.use(JSON.parse(text) as RequestOptions))
      return browser.follow(await browser.submit(`${mfa}/passkey`, { response }))
    }
  }

const secondStep = 'urn:second-factor:second-step'

describe('the tokens of a client', () => {
  inFullRun.each<[string, SetUp, readonly string[], string]>([
    ['a passkey of one device', passkey({}), ['hwk', 'user', 'mfa'], 'phrh'],
    ['a passkey of one device that was only touched', passkey({ uv: false }), ['hwk', 'user'], 'phrh'],
    ['a synced passkey', passkey({ be: true, bs: true }), ['swk', 'user', 'mfa'], 'phr'],
    ['a passkey that can be synced, and was only touched', passkey({ be: true, uv: false }), ['swk', 'user'], 'phr'],
    ['push', push, ['swk'], secondStep],
    ['an authenticator app', authenticatorApp, ['otp'], secondStep],
    ['a hardware token', hardwareToken, ['otp', 'hwk'], secondStep],
    ['a recovery code', recoveryCode, ['urn:second-factor:recovery'], secondStep],
  ])('the tokens of a client call %s what the documentation says', async (_, setUp, amr, acr) => {
    const user = await provider.addUser(`person-${randomUUID()}`)
    const pass = await setUp(user)
    const browser = provider.browser()
    const { checks, page } = await ask(config, browser, { login_hint: user.username })

    const { left } = await pass(browser, page)
    const tokens = await openid.authorizationCodeGrant(config, left!, checks)

    expect(tokens.claims()).toMatchObject({ sub: user.id, amr, acr })
    expect(provider.trouble).toEqual([])
  })

  it('no client gets tokens for a code by e-mail, which is never sent, also where the domain has them', async () => {
    const user = await provider.addUser(`person-${randomUUID()}`)
    await hardwareToken(user)
    const browser = provider.browser()
    const { page } = await ask(config, browser, { login_hint: user.username })

    await browser.submit(`${mfa}/email`)
    const { left } = await browser.follow(await browser.submit(`${mfa}/code`, { code: '000000' }))

    expect(page.text).not.toContain(`${mfa}/email`)
    expect(mail.mails).toEqual([])
    expect(left).toBeUndefined()
  })
})
