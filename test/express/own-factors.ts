import session from 'express-session'
import { Secret, TOTP } from 'otpauth'
import { createClient } from 'second-factor/client'
import type { MfaEvent, MfaOptions } from 'second-factor'

import type { Clock } from '../../src/ground/clock.ts'
import { startOn } from '../support/frameworks.ts'
import type { Framework } from '../support/frameworks.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import type { WebApp, WebAppOptions } from '../support/web-app.ts'

type Browser = ReturnType<WebApp['browser']>

/** An app whose people set up their own factors; what its web sessions hold can be read, on Express. */
export async function startOwnApp(
  mfa: Partial<MfaOptions> = {},
  login: object = {},
  database?: string,
  routes?: WebAppOptions['routes'],
  service?: WebAppOptions['service'],
  framework: Framework = 'Express 5',
) {
  const events: MfaEvent[] = []
  const store = new session.MemoryStore()
  const options = {
    ...(service && { service }),
    mfa: { onEvent: (event: MfaEvent) => void events.push(event), ...mfa },
  }
  const app =
    framework === 'Express 5'
      ? await startWebApp({ ...options, login, database, ...(routes && { routes }), session: { store } })
      : await startOn(framework, options)
  const raw = (store as unknown as { sessions: Record<string, string> }).sessions
  const { baseUrl, apiKey, domainId, fetch } = await app.service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })

  async function newcomer(username = 'alice') {
    const browser = app.browser()
    await app.signIn(browser, username)
    const page = await browser.visit('/account')
    return { browser, page }
  }

  /** A verified user whose first factor is an authenticator app. */
  async function withApp(username = 'alice') {
    const { browser } = await newcomer(username)
    const code = codesOf(app, await browser.open('/mfa/enroll/app'))
    await browser.submit('/mfa/enroll/app', { code: code() })
    await app.clock.advance(30)
    await browser.submit('/mfa/code', { code: code() })
    await app.clock.advance(30)
    await passByCode(browser, code())
    await app.clock.advance(30)
    return { browser, code }
  }

  /** A verified user with a device who has passed again to change factors. */
  async function withDevice(username = 'alice') {
    const { browser, account } = await signedIn(username)
    await passByDevice(browser, account)
    return { browser, account }
  }

  /** A verified user with a device, which is not enough to change factors. */
  async function signedIn(username = 'alice') {
    const browser = app.browser()
    const account = await app.verify(browser, username)
    return { browser, account }
  }

  /** Approves the change that the browser asks for. */
  async function passByDevice(browser: Browser, account: Parameters<WebApp['answer']>[0]) {
    await browser.open('/mfa/devices/app')
    await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
    return browser.submit('/mfa/complete')
  }

  async function passByCode(browser: Browser, code: string) {
    await browser.open('/mfa/devices/app')
    await browser.visit('/mfa?use=code')
    return browser.submit('/mfa/code', { code })
  }

  return {
    ...app,
    client,
    domainId,
    events,
    kept: () => Object.values(raw).join('\n'),
    /** What we keep in the web session of a user. */
    webSession: (userKey: string) => openWebSession(raw, userKey),
    /** What we keep in the web session of a browser, as it is stored. */
    storedIn: (browser: Browser) =>
      openStored(raw, decodeURIComponent(browser.cookie('connect.sid') ?? '').slice(2, 34)),
    happened: () => events.map(({ type }) => type),
    newcomer,
    codesOf: (page: { text: string }) => codesOf(app, page),
    withApp,
    withDevice,
    signedIn,
    passByDevice,
    passByCode,
    addApp: async (browser: Browser) => {
      const code = codesOf(app, await browser.open('/mfa/devices/app'))
      const answer = await browser.submit('/mfa/devices/app', { code: code() })
      return { code, answer }
    },
    stepUp: async (browser: Browser, account: Parameters<WebApp['answer']>[0]) => {
      await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
      return browser.submit('/mfa/complete')
    },
    /** Makes recovery codes, and opens the page that shows them. */
    makeCodes: async (browser: Browser) => {
      await browser.submit('/mfa/devices/codes', { again: 'yes' })
      return browser.open('/mfa/devices/codes')
    },
    user: () => client.users.getByUsername('alice'),
  }
}

/** The secret that a page shows. */
export function secretOn(page: { text: string }): string {
  const secret = /id="secret">([A-Z2-7 ]+)</.exec(page.text)?.[1]
  if (secret === undefined) throw new Error(`no secret on the page: ${page.text}`)
  return secret.replaceAll(' ', '')
}

/** The recovery codes that a page shows. */
export const codesOn = (page: { text: string }) =>
  [...page.text.matchAll(/<li class="code">([\d ]+)</g)].map(([, code = '']) => code.replaceAll(' ', ''))

/** What an app that scanned the page shows from now on. */
export function codesOf(app: { readonly clock: Pick<Clock, 'now'> }, page: { text: string }) {
  const totp = new TOTP({ secret: Secret.fromBase32(secretOn(page)), digits: 6, period: 30 })
  return (steps = 0) => totp.generate({ timestamp: (app.clock.now() + steps * 30) * 1000 })
}

export const isIn = async (browser: Browser) => (await browser.fetch('/account')).body.verified === true

type Kept = Record<string, object | undefined>

function openWebSession(raw: Record<string, string>, userKey: string) {
  return openStored(raw, Object.keys(raw).find((each) => raw[each]?.includes(`"userKey":"${userKey}"`)) ?? '')
}

function openStored(raw: Record<string, string>, id: string) {
  const stored = () => JSON.parse(raw[id] ?? '{}') as { mfa?: Kept }
  return {
    read: () => stored().mfa ?? {},
    write: (mfa: Kept) => void (raw[id] = JSON.stringify({ ...stored(), mfa })),
  }
}

/** The same on any framework, with the options that each has. */
export const startOwnAppOn =
  (framework: Framework) =>
  (mfa: Partial<MfaOptions> = {}) =>
    startOwnApp(mfa, {}, undefined, undefined, undefined, framework)
