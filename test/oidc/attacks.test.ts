import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import type { CreationOptions, RequestOptions } from '../../src/contract/webauthn.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { createBrowserBinding } from '../../src/oidc/browser-binding.ts'
import { hostCookie } from '../../src/oidc/cookie-names.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn } from '../support/web-app.ts'
import { ask, authorizationRequest, errorIn, openSignIn, startProvider, usePasskey } from './start-provider.ts'
import type { StartedProvider } from './start-provider.ts'
import type { Tabs } from './tabs.ts'

let provider: StartedProvider
let external: openid.Configuration
let signIn: openid.Configuration

beforeAll(async () => {
  provider = await startProvider()
  external = await provider.configure(provider.external)
  signIn = await provider.configure(provider.signIn)
})
afterAll(() => provider.close())

describeInFullRun('the web session of one kind of client', () => {
  it('the web session of one kind of client is unknown to another kind, whatever the cookie is called', async () => {
    const { account } = await provider.enroll('ada')
    const browser = provider.browser()
    const { page } = await ask(external, browser, { login_hint: 'ada' })
    await provider.approve(browser, account, page)
    const name = (kind: string) => `oidc-${kind}-${provider.domainId}`
    const taken = browser.jar().find((cookie) => cookie.name === name('external'))

    browser.plant({ ...taken!, name: name('sign-in') })
    const opened = await openSignIn(signIn, browser)

    expect(taken?.value).toEqual(expect.any(String))
    expect(opened.left).toBeUndefined()
    expect(opened.page.text).toContain('Sign in to wiki')
  })
})

/** The cookies of oidc-provider for one request, which a sibling host can plant in another browser. */
const planted = (from: Tabs, to: Tabs, name: string) => {
  const cookies = from.jar().filter((cookie) => cookie.name.startsWith(name))
  expect(cookies).toHaveLength(2)
  for (const cookie of cookies) to.plant(cookie)
}

const bindings = (browser: Tabs) => browser.cookies().filter((name) => name.startsWith('oidc-browser-'))

describe('an authorization request', () => {
  it('an authorization request opens in no browser in which a sibling host has planted its cookies', async () => {
    const [attacker, victim] = [provider.browser(), provider.browser()]
    const { base } = await openSignIn(signIn, attacker)
    planted(attacker, victim, 'oidc-interaction')

    const { page } = await victim.visit(base)
    const own = await attacker.visit(base)

    expect(page.status).toBe(400)
    expect(own.page.text).toContain('Sign in to wiki')
  })

  it('an authorization request is resumed in no browser in which a sibling host has planted its cookies', async () => {
    const user = await provider.addUser('bea')
    const passkey = await provider.addPasskey(user.id)
    const [attacker, victim] = [provider.browser(), provider.browser()]
    const { base } = await openSignIn(signIn, attacker)
    const location = await usePasskey(attacker, base, passkey)
    const leaving = await attacker.get(location ?? '')
    const [, resume = ''] = /url=(.*)$/.exec(String(leaving.headers['refresh'])) ?? []
    planted(attacker, victim, 'oidc-resume')
    const { pathname } = new URL(resume)

    const answer = await victim.get(pathname)
    const own = await attacker.visit(resume)

    expect(answer.status).toBe(400)
    expect(own.left?.searchParams.get('code')).toEqual(expect.any(String))
    expect(bindings(attacker)).toEqual([])
  })

  it('an authorization request ends with a return to the provider that brings no result', async () => {
    await provider.enroll('eva')
    const browser = provider.browser()
    await ask(external, browser, { login_hint: 'eva' })
    const { path = '' } = browser.jar().find(({ name }) => name === 'oidc-resume') ?? {}

    const { left } = await browser.visit(path)
    const again = await browser.visit(path)

    expect(errorIn(left)).toBe('access_denied')
    expect(again.page.status).toBe(400)
  })

  it('an authorization request takes no second step that has become older than max_age while its page was open', async () => {
    let moved = 0
    const late = await startProvider({ clock: { ...systemClock, now: () => systemClock.now() + moved } })
    onTestFinished(() => late.close())
    const config = await late.configure(late.external)
    const { account } = await late.enroll('fay')
    const browser = late.browser()
    const { page } = await ask(config, browser, { login_hint: 'fay', max_age: '30' })
    await late.answer(account, 'approve', numberOn(page))
    const { headers } = await browser.submit(`${late.pages('external')}/complete`)
    const base = String(headers['location'])
    moved = 100

    const old = await browser.visit(base)

    expect(base).toContain('/oidc/interaction/')
    expect(old.page.text).not.toContain('code=')
    expect(old.path).toBe(late.pages('external'))
  })

  inFullRun('an authorization request is one of few that a browser keeps open', async () => {
    const browser = provider.browser()
    const { request } = await authorizationRequest()
    const { href } = openid.buildAuthorizationUrl(signIn, request)
    for (let count = 0; count < 12; count += 1) await browser.visit(href)

    const { page } = await browser.visit(href)

    expect(bindings(browser)).toHaveLength(10)
    expect(page.text).toContain('Sign in to wiki')
  })
})

/** A person who has come in by a code, and has added a passkey that may answer without user verification. */
async function comeIn(username: string) {
  const user = await provider.addUser(username)
  const { code = '' } = await provider.api.bypassCodes.create(user.id, { usesAllowed: 1, expirationTime: 30 })
  const authenticator = createAuthenticator({ origin: provider.url })
  const browser = provider.browser()
  const mfa = provider.pages('sign-in')
  const first = await openSignIn(signIn, browser)
  await browser.submit(`${first.base}/code`, { username, code })
  await browser.get(`${mfa}/enroll/passkey`)
  const creation = JSON.parse((await browser.submit(`${mfa}/enroll/passkey/options`)).text) as CreationOptions
  const response = JSON.stringify(authenticator.make(creation))
  await browser.submit(`${mfa}/enroll/passkey`, { name: 'Key', response })
  return {
    ...first,
    browser,
    user,
    authenticator,
    /** Passes the second step of mfa() by a touch alone. */
    touch: async () => {
      await browser.visit(mfa)
      const options = JSON.parse((await browser.submit(`${mfa}/passkey/options`)).text) as RequestOptions
      const answer = JSON.stringify(authenticator.use(options, { uv: false }))
      return browser.follow(await browser.submit(`${mfa}/passkey`, { response: answer }))
    },
  }
}

describe('a whole sign-in', () => {
  it('a whole sign-in is none by a passkey that has not verified the person, nor is it remembered as one', async () => {
    const { browser, touch, base, checks, authenticator } = await comeIn('cyd')

    const touched = await touch()
    const silent = await openSignIn(signIn, browser, { prompt: 'none' })
    const location = await usePasskey(browser, base, authenticator)
    const { left } = await browser.visit(location ?? '')
    const tokens = await openid.authorizationCodeGrant(signIn, left!, checks)

    expect(touched.left).toBeUndefined()
    expect(touched.page.text).toContain('Sign in to wiki')
    expect(errorIn(silent.left)).toBe('login_required')
    expect(tokens.claims()).toMatchObject({ amr: ['hwk', 'user', 'mfa'] })
  })

  inFullRun('a whole sign-in begins anew with prompt=login, and takes one answer of the passkey', async () => {
    const { browser, base, authenticator } = await comeIn('dan')
    await browser.visit((await usePasskey(browser, base, authenticator)) ?? '')

    const fresh = await openSignIn(signIn, browser, { prompt: 'login' })
    const { left } = await browser.visit((await usePasskey(browser, fresh.base, authenticator)) ?? '')
    const stranger = provider.browser()
    const elsewhere = await openSignIn(signIn, stranger, { prompt: 'login' })
    const other = await stranger.visit((await usePasskey(stranger, elsewhere.base, authenticator)) ?? '')

    expect(fresh.left).toBeUndefined()
    expect(fresh.page.text).toContain('Sign in to wiki')
    expect([left, other.left].map((url) => url?.searchParams.get('code'))).toEqual([
      expect.any(String),
      expect.any(String),
    ])
  })
})

describe('the cookie that ties a request to its browser', () => {
  it('the cookie that ties a request to its browser can be set by no other host, and counts for this request alone', () => {
    const binding = createBrowserBinding('https://id.example', ['new key', 'old key'])
    const res = new ServerResponse(new IncomingMessage(new Socket()))
    binding.bind(new IncomingMessage(new Socket()), res, { uid: 'one', seconds: 60 })
    const line = String(res.getHeader('set-cookie'))
    const [cookie = ''] = line.split(';')
    const holds = (uid: string, sent: string) =>
      binding.isBound(Object.assign(new IncomingMessage(new Socket()), { headers: { cookie: sent } }), uid)

    expect(line).toMatch(
      /^__Host-oidc-browser-[\w-]{16}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=60$/,
    )
    expect(holds('one', `a=b; ${cookie}`)).toBe(true)
    expect(holds('two', cookie)).toBe(false)
    expect(holds('one', cookie.replace('__Host-', ''))).toBe(false)
    expect(holds('one', `${cookie.split('=')[0]}=`)).toBe(false)
  })

  it.each(['browser-x', 'session', `sign-in-${'a'.repeat(40)}`])(
    'the cookie %s of one issuer is none of another one on the same host',
    (name) => {
      const paths = ['', '/mfa', '/mfa/staff', '/MFA'].map((path) => hostCookie(`https://id.example${path}`, name))

      expect(new Set(paths).size).toBe(paths.length)
      expect(paths[0]).toBe(`__Host-oidc-${name}`)
    },
  )
})
