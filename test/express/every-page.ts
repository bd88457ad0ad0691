import session from 'express-session'
import { Secret, TOTP } from 'otpauth'
import type { MfaOptions } from 'second-factor'
import { ApiError, UnreachableError, createClient } from 'second-factor/client'
import { startTestService } from 'second-factor/testing'

import type { CreationOptions, RequestOptions } from '../../src/contract/webauthn.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import type { SoftwareAuthenticator } from '../../src/testing/software-authenticator.ts'
import type { WebApp } from '../support/web-app.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import { postJson, startBank } from './approving-app.ts'

/** A page, at the moment it can be looked at: with the cookies of `browser`, before the next one is asked for. */
export interface Place {
  readonly name: string
  readonly url: string
  readonly path: string
  readonly browser: Browser
}

type Walk = (mfa?: Partial<MfaOptions>) => AsyncGenerator<Place>

/** Walks over every page that people can come to. Each can be opened more than once while it is its turn. */
export const walks: Readonly<Record<string, Walk>> = {
  'of a device': pagesOfADevice,
  'of codes': pagesOfCodes,
  'without a device': pagesWithoutDevice,
  'of own factors': pagesOfOwnFactors,
  'of passkeys': pagesOfPasskeys,
  'of approvals': pagesOfApprovals,
  'of an old service': pagesOfAnOldService,
  'of an app that moves': pagesOfMoving,
  'of trouble': pagesOfTrouble,
}

async function* pagesOfADevice(mfa: Partial<MfaOptions> = {}): AsyncGenerator<Place> {
  const app = await startWebApp({ mfa })
  const browser = app.browser()
  const placeAt = placesOf(app, browser)
  yield placeAt('nobody is signed in', '/mfa')
  await app.signIn(browser, 'alice')
  // Showing the first secret gives the web session a new id, which the caller must use from then on.
  await browser.visit('/mfa')
  yield placeAt('setting up a device', '/mfa')
  yield placeAt('setting up a device, not reloading', '/mfa?still')
  const account = await app.activate(await browser.visit('/mfa'))

  yield placeAt('waiting', '/mfa')
  yield placeAt('other ways than the device', '/mfa?use=other')
  yield placeAt('sending again too soon', '/mfa?early')
  await app.clock.advance(75)
  yield placeAt('waiting, with little time left', '/mfa')
  await app.clock.advance(15)
  yield placeAt('time ran out', '/mfa')
  await browser.submit('/mfa/send')
  await app.answer(account, 'deny')
  yield placeAt('denied', '/mfa')
  await browser.submit('/mfa/send')
  const number = numberOn(await browser.visit('/mfa'))
  await app.answer(account, 'approve', number === '11' ? '12' : '11')
  yield placeAt('wrong number', '/mfa')
  await browser.submit('/mfa/send')
  await browser.submit('/mfa/cancel')
  yield placeAt('stopped', '/mfa')

  const verified = app.browser()
  await app.signIn(verified, 'alice')
  await app.answer(account, 'approve', numberOn(await verified.visit('/account')))
  yield placesOf(app, verified)('approved', '/mfa')
  await verified.submit('/mfa/complete')
  await app.clock.advance(301)
  await verified.visit('/danger')
  yield placesOf(app, verified)('waiting for a step-up', '/mfa')
  await app.answer(account, 'report')
  yield placesOf(app, verified)('reported', '/mfa')
  await browser.submit('/mfa/send')
  yield placeAt('asked too often', '/mfa')
}

async function* pagesOfCodes(mfa: Partial<MfaOptions> = {}): AsyncGenerator<Place> {
  const app = await startWebApp({ mfa })
  const browser = app.browser()
  const placeAt = placesOf(app, browser)
  await app.enroll(browser, 'alice')
  const { baseUrl, apiKey, fetch } = await app.service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })
  const { id } = await client.users.getByUsername('alice')
  await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
  yield placeAt('other ways, with a recovery code', '/mfa?use=other')
  yield placeAt('entering the code of the device', '/mfa?use=otp')
  yield placeAt('entering a recovery code', '/mfa?use=bypass')
  yield placeAt('entering a code', '/mfa?use=code')
  await browser.submit('/mfa/code', { code: '1' })
  yield placeAt('not a code', '/mfa?use=code')
  for (let guess = 0; guess < 3; guess++) await browser.submit('/mfa/code', { code: '000000' })
  yield placeAt('wrong code', '/mfa?use=code')
  await browser.submit('/mfa/code', { code: '000000' })
  yield placeAt('one try left', '/mfa?use=code')
  await browser.submit('/mfa/code', { code: '000000' })
  yield placeAt('codes are paused', '/mfa?use=code')
  yield placeAt('other ways while codes are paused', '/mfa?use=other')
  await browser.submit('/mfa/cancel')
  yield placeAt('codes are paused, and nobody is asked', '/mfa?use=code')
}

/** Actions that wait for an approval, and how they end. */
async function* pagesOfApprovals(mfa: Partial<MfaOptions> = {}): AsyncGenerator<Place> {
  const bank = await startBank({ mfa })
  const { browser, account } = await bank.signedIn()
  const placeAt = placesOf(bank, browser)
  const ask = async (amount: string) =>
    (await postJson(browser, '/transfer', { to: 'DE89 3704 0044 0532 0130 00', amount })).body.approval
  const first = await ask('€250.00')
  yield placeAt('an action of a script waits', first.page)
  await bank.answer(account, 'approve', first.number)
  yield placeAt('an action was approved', first.page)
  const denied = await ask('€10.00')
  await bank.answer(account, 'deny')
  yield placeAt('an action was denied', denied.page)
  const wrong = await ask('€20.00')
  await bank.answer(account, 'approve', wrong.number === '11' ? '12' : '11')
  yield placeAt('an action with a wrong number', wrong.page)
  const late = await ask('€30.00')
  await bank.clock.advance(301)
  yield placeAt('nobody has answered', late.page)
  yield placeAt('a page waits for its approval', '/pay/anna')
  await bank.answer(account, 'deny')
  yield placeAt('a page was denied, and can ask again', '/pay/anna')
  const reported = await ask('€40.00')
  await bank.answer(account, 'report')
  yield placeAt('an action was reported', reported.page)
}

/** An administrator took away the device, then the membership. */
async function* pagesWithoutDevice(mfa: Partial<MfaOptions> = {}): AsyncGenerator<Place> {
  const app = await startWebApp({ mfa })
  const { baseUrl, apiKey, domainId, fetch } = await app.service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })
  await app.enroll(app.browser(), 'alice')
  const { id } = await client.users.getByUsername('alice')
  await client.tokens.revoke(domainId, id)
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  yield placesOf(app, browser)('no device', '/mfa')
  await client.bypassCodes.create(id, { usesAllowed: 9, expirationTime: 60 })
  yield placesOf(app, browser)('nothing but codes', '/mfa')
  for (let guess = 0; guess < 6; guess++) await browser.submit('/mfa/code', { code: '000000' })
  yield placesOf(app, browser)('nothing but codes, and they are paused', '/mfa')
  await client.domains.removeUser(domainId, id)
  const other = app.browser()
  await app.signIn(other, 'alice')
  yield placesOf(app, other)('no member', '/mfa')
  const twin = app.browser()
  await app.signIn(twin, 'ALICE')
  yield placesOf(app, twin)('a name that could be mistaken for another one', '/mfa')
}

/** What people set up and change by themselves. */
async function* pagesOfOwnFactors(mfa: Partial<MfaOptions> = {}): AsyncGenerator<Place> {
  const app = await startWebApp({ mfa: { remember: { days: 30 }, recoveryCodes: true, locate: () => 'Lyon', ...mfa } })
  const browser = app.browser()
  const placeAt = placesOf(app, browser)
  await app.signIn(browser, 'alice')
  await browser.visit('/account')
  yield placeAt('setting up an authenticator app', '/mfa/enroll/app')
  const account = await app.activate(await browser.visit('/mfa'))
  yield placeAt('waiting, where browsers can be remembered', '/mfa')
  yield placeAt('entering a code, where browsers can be remembered', '/mfa?use=code')
  await browser.submit('/mfa/remember', { remember: 'yes' })
  await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
  await browser.submit('/mfa/complete')
  yield placeAt('keeping recovery codes', '/mfa/recovery')
  await browser.submit('/mfa/devices/codes')
  yield placeAt('new recovery codes', '/mfa/devices/codes')
  await browser.submit('/mfa/devices/codes/done')
  yield placeAt('recovery codes that were seen', '/mfa/devices/codes')
  yield placeAt('own factors', '/mfa/devices')
  await browser.open('/mfa/devices/app')
  await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
  await browser.submit('/mfa/complete')
  yield placeAt('adding an authenticator app', '/mfa/devices/app')
  await browser.submit('/mfa/devices/device')
  yield placeAt('replacing the device', '/mfa/devices/device')
}

/** Browsers show these at names only. */
async function* pagesOfPasskeys(mfa: Partial<MfaOptions> = {}): AsyncGenerator<Place> {
  const app = await startWebApp({ mfa: { remember: { days: 30 }, ...mfa } })
  const { url: atAddress } = app
  const url = atAddress.replace('127.0.0.1', 'localhost')
  const browser = createBrowser(url)
  const placeAt = placesOf({ url }, browser)
  await app.signIn(browser, 'alice')
  await browser.visit('/account')
  yield placeAt('a passkey as the first factor', '/mfa/enroll/passkey')
  const account = await app.activate(await browser.visit('/mfa'), `${atAddress}/mfa`)
  await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
  await browser.submit('/mfa/complete', { passkeys: 'yes' })
  yield placeAt('a passkey is offered', '/mfa/passkeys')
  yield placeAt('no passkey', '/mfa/devices')
  await browser.visit('/mfa/devices/passkey')
  await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
  await browser.submit('/mfa/complete')
  yield placeAt('adding a passkey', '/mfa/devices/passkey')
  const authenticator = createAuthenticator({ origin: url })
  await addPasskey(browser, authenticator, 'Laptop')
  // A user who has a passkey confirms another one with it.
  await browser.visit('/mfa/devices/passkey')
  yield placeAt('confirming with a passkey', '/mfa')
  await usePasskey(browser, authenticator)
  await addPasskey(browser, createAuthenticator({ origin: url, flags: { be: true, bs: true } }), 'Password manager')
  yield placeAt('two passkeys', '/mfa/devices')
  yield placeAt('a passkey was added', '/mfa/devices?done=passkey')

  const next = createBrowser(url)
  await app.signIn(next, 'alice')
  await next.visit('/account')
  yield placesOf({ url }, next)('using a passkey', '/mfa')
  yield placesOf({ url }, next)('other ways than a passkey', '/mfa?use=other')

  // Another app of the same users, in which nothing else counts.
  await app.verify(createBrowser(url), 'carol')
  const strict = await startWebApp({
    mfa: { service: app.service, clock: app.clock, phishingResistant: 'require', ...mfa },
  })
  const strictUrl = strict.url.replace('127.0.0.1', 'localhost')
  const [owner, other] = [createBrowser(strictUrl), createBrowser(strictUrl)]
  await strict.signIn(owner, 'alice')
  await owner.visit('/account')
  yield placesOf({ url: strictUrl }, owner)('other ways where only a passkey counts', '/mfa?use=other')
  yield placesOf({ url: strictUrl }, owner)('a lost passkey', '/mfa?use=handed-over')
  await strict.signIn(other, 'carol')
  await other.visit('/account')
  const without = placesOf({ url: strictUrl }, other)
  yield without('a passkey is needed', '/mfa')
  await other.submit('/mfa/passkey/code', { code: '000000000' })
  yield without('the wrong code for a passkey', '/mfa?use=handed-over')
  for (let guess = 0; guess < 4; guess++) await other.submit('/mfa/passkey/code', { code: '000000000' })
  yield without('codes are paused, and a passkey is needed', '/mfa?use=handed-over')
  yield placesOf({ url }, next)('a code in place of a passkey', '/mfa?use=code')
  await next.submit('/mfa/passkey', { response: '{}' })
  yield placesOf({ url }, next)('wrong passkey', '/mfa?use=passkey')
  await next.submit('/mfa/send')
  yield placesOf({ url }, next)('other ways than the device, with a passkey', '/mfa?use=other')
}

async function usePasskey(browser: Browser, authenticator: SoftwareAuthenticator): Promise<void> {
  const { text } = await browser.submit('/mfa/passkey/options')
  await browser.submit('/mfa/passkey', {
    response: JSON.stringify(authenticator.use(JSON.parse(text) as RequestOptions)),
  })
}

async function addPasskey(browser: Browser, authenticator: SoftwareAuthenticator, name: string): Promise<void> {
  const { text } = await browser.submit('/mfa/devices/passkey/options')
  const response = JSON.stringify(authenticator.make(JSON.parse(text) as CreationOptions))
  await browser.submit('/mfa/devices/passkey', { name, response })
}

/** What is e-mailed is said by hand: it needs neither a server for mail nor a service that has one. */
async function* pagesOfAnOldService(mfa: Partial<MfaOptions> = {}): AsyncGenerator<Place> {
  const service = await startTestService()
  const store = new session.MemoryStore()
  const app = await startWebApp({
    session: { store },
    mfa: {
      clock: service.clock,
      service: { ...service, connect: async () => ({ ...(await service.connect()), version: '1.3' as const }) },
      factors: ['push', 'otp', 'email'],
      mayEnroll: () => true,
      ...mfa,
    },
  })
  const browser = app.browser()
  const placeAt = placesOf(app, browser)
  await service.addUser('alice')
  await app.signIn(browser, 'alice')
  await browser.visit('/mfa')
  yield placeAt('setting up a device of another make', '/mfa')
  await service.enroll('alice')
  yield placeAt('waiting without a number', '/mfa')
  yield placeAt('other ways, with e-mail', '/mfa?use=other')
  yield placeAt('codes by e-mail', '/mfa?use=email')
  say(store, { kind: 'email_sent' })
  yield placeAt('a code was e-mailed', '/mfa?use=email')
  say(store, { kind: 'email_paused', until: service.clock.now() + 50 })
  yield placeAt('no further e-mail yet', '/mfa?use=email')
  say(store, { kind: 'email_failed' })
  yield placeAt('the e-mail could not be sent', '/mfa?use=email')
  await service.close()
}

function say(store: session.MemoryStore, notice: object): void {
  const { sessions } = store as unknown as { sessions: Record<string, string> }
  for (const [id, text] of Object.entries(sessions)) {
    const webSession = JSON.parse(text) as { mfa?: { challenges?: readonly object[] } }
    for (const challenge of webSession.mfa?.challenges ?? []) Object.assign(challenge, { notice })
    sessions[id] = JSON.stringify(webSession)
  }
}

/** The app has a store of its own, from before. */
async function* pagesOfMoving(mfa: Partial<MfaOptions> = {}): AsyncGenerator<Place> {
  const totp = new TOTP({ secret: new Secret({ size: 20 }) })
  const otpauth = totp.toString()
  const stored: Record<string, { otpauth: string; recovery?: string[] }> = {
    alice: { otpauth },
    bob: { otpauth, recovery: ['4fgh-82kq', '7xyz-19ab'] },
    carol: { otpauth: 'https://wiki.example' },
  }
  const app = await startWebApp({ mfa: { importFactors: ({ username = '' }) => stored[username], ...mfa } })
  const [alice, bob, carol] = [app.browser(), app.browser(), app.browser()]
  await app.signIn(alice, 'alice')
  await alice.visit('/account')
  yield placesOf(app, alice)('a code of the app from before', '/mfa')
  yield placesOf(app, alice)('other ways than the app from before', '/mfa?use=other')
  await alice.submit('/mfa/code', { code: '000000' })
  yield placesOf(app, alice)('a wrong code of the app from before', '/mfa?use=code')
  await app.signIn(bob, 'bob')
  await bob.visit('/account')
  yield placesOf(app, bob)('a code or a recovery code from before', '/mfa')
  await bob.submit('/mfa/code', { code: '4fgh-82kq' })
  const next = app.browser()
  await app.signIn(next, 'bob')
  await next.visit('/account')
  yield placesOf(app, next)('a recovery code from before', '/mfa?use=bypass')
  await app.signIn(carol, 'carol')
  yield placesOf(app, carol)('the app cannot read its store', '/mfa')
}

async function* pagesOfTrouble(mfa: Partial<MfaOptions> = {}): AsyncGenerator<Place> {
  const refused = (status: number) => new ApiError({ code: 'api.error.internal', message: 'no', status })
  const troubles: Record<string, Error> = {
    'the service does not answer': new UnreachableError('network', 'no'),
    'the service is slow': new UnreachableError('timeout', 'no'),
    'the service refuses the app': refused(401),
    'the service is busy': refused(429),
  }
  for (const [name, error] of Object.entries(troubles)) {
    const service = { routes: () => {}, connect: () => Promise.reject(error), close: () => Promise.resolve() }
    const app = await startWebApp({ mfa: { service, ...mfa } })
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    yield placesOf(app, browser)(name, '/mfa')
    if (name === 'the service is busy') yield placesOf(app, browser)('nothing is there', '/mfa/nowhere')
  }
}

function placesOf({ url }: Pick<WebApp, 'url'>, browser: Browser) {
  return (name: string, path: string): Place => ({ name, url, path, browser })
}
