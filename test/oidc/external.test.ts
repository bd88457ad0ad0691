import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { ask, authorizationRequest, errorIn, startProvider } from './start-provider.ts'
import type { StartedProvider } from './start-provider.ts'

let provider: StartedProvider
let config: openid.Configuration

beforeAll(async () => {
  provider = await startProvider()
  config = await provider.configure(provider.external)
})
afterAll(() => provider.close())

/** A person who has passed the second step for a client in this browser. */
async function signedIn(username: string) {
  const { user, account } = await provider.enroll(username)
  const browser = provider.browser()
  const first = await ask(config, browser, { login_hint: username })
  const { left } = await provider.approve(browser, account, first.page)
  return { user, account, browser, left: left as URL, checks: first.checks }
}

describe('an external second factor', () => {
  inFullRun(
    'an external second factor asks the device of the user whom the client names, and says how and when',
    async () => {
      const { user, left, checks } = await signedIn('ada')

      const tokens = await openid.authorizationCodeGrant(config, left, checks)

      expect(left.href).toMatch(/^https:\/\/app\.example\/callback\?/)
      expect(tokens.claims()).toMatchObject({
        sub: user.id,
        acr: 'urn:second-factor:second-step',
        amr: ['swk'],
        auth_time: expect.any(Number),
        preferred_username: 'ada',
        email: 'ada@example.com',
      })
      expect(provider.events).toContainEqual(expect.objectContaining({ event: 'signed_in', userId: user.id }))
    },
  )

  inFullRun('an external second factor accepts a recovery code as what it is', async () => {
    const { user } = await provider.enroll('bea')
    const { code = '' } = await provider.api.bypassCodes.create(user.id, { usesAllowed: 1, expirationTime: 30 })
    const browser = provider.browser()
    const { checks } = await ask(config, browser, { login_hint: 'bea' })

    const { left } = await browser.follow(await browser.submit(`${provider.pages('external')}/code`, { code }))
    const tokens = await openid.authorizationCodeGrant(config, left!, checks)

    expect(tokens.claims()).toMatchObject({
      acr: 'urn:second-factor:second-step',
      amr: ['urn:second-factor:recovery'],
    })
  })

  it.each([
    ['a bare login_hint', { login_hint: 'cyd' }, 'login_hint counts only in a pushed authorization request'],
    ['no login_hint', {}, 'login_hint is missing'],
  ])('an external second factor refuses %s in the address, by name', async (_, hint, message) => {
    const browser = provider.browser()
    const { request } = await authorizationRequest(hint)

    const { left } = await browser.visit(openid.buildAuthorizationUrl(config, request).href)

    expect(errorIn(left)).toBe('invalid_request')
    expect(left?.searchParams.get('error_description')).toContain(message)
  })

  it('an external second factor asks the user of the pushed request, whoever the address names', async () => {
    const { user, account } = await provider.enroll('dan')
    await provider.enroll('eve')
    const browser = provider.browser()
    const { request, checks } = await authorizationRequest({ login_hint: 'dan' })
    const pushed = await openid.buildAuthorizationUrlWithPAR(config, request)
    pushed.searchParams.set('login_hint', 'eve')

    const { page } = await browser.visit(pushed.href)
    const { left } = await provider.approve(browser, account, page)
    const tokens = await openid.authorizationCodeGrant(config, left!, checks)

    expect(tokens.claims()?.sub).toBe(user.id)
  })

  it('an external second factor does not ask again in the same browser, unless the client wants it', async () => {
    const { browser, account } = await signedIn('fay')

    const again = await ask(config, browser, { login_hint: 'fay' })
    const fresh = await ask(config, browser, { login_hint: 'fay', prompt: 'login' })
    const { left } = await provider.approve(browser, account, fresh.page)
    const sameAge = await ask(config, browser, { login_hint: 'fay', max_age: '0' })

    expect(again.left?.searchParams.get('code')).toEqual(expect.any(String))
    expect(fresh.left).toBeUndefined()
    expect(left?.searchParams.get('code')).toEqual(expect.any(String))
    expect(sameAge.left).toBeUndefined()
  })

  it('an external second factor asks another user of the same browser, whoever has passed there before', async () => {
    const { browser } = await signedIn('gil')
    const { user, account } = await provider.enroll('hal')

    const other = await ask(config, browser, { login_hint: 'hal' })
    const { left } = await provider.approve(browser, account, other.page)
    const tokens = await openid.authorizationCodeGrant(config, left!, other.checks)

    expect(other.left).toBeUndefined()
    expect(tokens.claims()?.sub).toBe(user.id)
  })

  it('an external second factor answers prompt=none only for the user who has passed in this browser', async () => {
    const { browser, user } = await signedIn('ida')
    await provider.enroll('jon')

    const same = await ask(config, browser, { login_hint: 'ida', prompt: 'none' })
    const other = await ask(config, browser, { login_hint: 'jon', prompt: 'none' })
    const elsewhere = await ask(config, provider.browser(), { login_hint: 'ida', prompt: 'none' })
    const tokens = await openid.authorizationCodeGrant(config, same.left!, same.checks)

    expect(tokens.claims()).toMatchObject({ sub: user.id, amr: ['swk'] })
    expect([errorIn(other.left), errorIn(elsewhere.left)]).toEqual(['login_required', 'login_required'])
  })

  it('an external second factor asks again once the sessions of the user were ended', async () => {
    const { browser, user } = await signedIn('kay')
    await provider.api.users.endSessions(provider.domainId, user.id)

    const silent = await ask(config, browser, { login_hint: 'kay', prompt: 'none' })
    const asked = await ask(config, browser, { login_hint: 'kay' })

    expect(errorIn(silent.left)).toBe('login_required')
    expect(asked.left).toBeUndefined()
  })

  inFullRun(
    'an external second factor tells the client of a person who gives up, and of a user who is no member',
    async () => {
      await provider.enroll('leo')
      const browser = provider.browser()
      await ask(config, browser, { login_hint: 'leo' })

      const gaveUp = await browser.follow(await browser.submit(`${provider.pages('external')}/cancel`))
      const unknown = await ask(config, provider.browser(), { login_hint: 'nobody' })

      expect([errorIn(gaveUp.left), errorIn(unknown.left)]).toEqual(['access_denied', 'access_denied'])
      expect(provider.events).toContainEqual(expect.objectContaining({ event: 'refused', reason: 'access_denied' }))
    },
  )

  it('an external second factor takes a login_hint as a username, also one that looks like the id of somebody else', async () => {
    const { user: owner } = await provider.enroll('pia')
    const nobody = await ask(config, provider.browser(), { login_hint: owner.id })
    const { user, account } = await provider.enroll(owner.id)
    const browser = provider.browser()

    const { page, checks } = await ask(config, browser, { login_hint: owner.id })
    const { left } = await provider.approve(browser, account, page)
    const tokens = await openid.authorizationCodeGrant(config, left!, checks)

    expect(errorIn(nobody.left)).toBe('access_denied')
    expect(tokens.claims()?.sub).toBe(user.id)
  })

  it('an external second factor opens in no other browser than the one that the client has sent', async () => {
    await provider.enroll('mia')
    const attacker = provider.browser()
    const { address } = await ask(config, attacker, { login_hint: 'mia' })
    const redirect = await attacker.get(address.pathname + address.search)

    const { page } = await provider.browser().visit(String(redirect.headers['location']))

    expect(page.status).toBe(400)
    expect(page.text).toContain('This sign-in can&#39;t continue')
  })

  inFullRun(
    'an external second factor names what it cannot reach: an unknown acr at once, a passkey after it was asked for',
    async () => {
      const { browser } = await signedIn('ned')
      const essential = (value: string) => JSON.stringify({ id_token: { acr: { essential: true, value } } })

      const unknown = await ask(config, browser, { login_hint: 'ned', claims: essential('urn:other') })
      const passkey = await ask(config, browser, { login_hint: 'ned', claims: essential('phr') })

      expect(errorIn(unknown.left)).toBe('unmet_authentication_requirements')
      expect(passkey.left).toBeUndefined()
    },
  )

  it.each(['/code', '/passkey', '/passkey/options'])(
    'an external second factor takes no other person by a code or passkey of theirs at %s',
    async (path) => {
      await provider.enroll(`oda${path.replaceAll('/', '-')}`)
      const other = await provider.addUser(`other${path.replaceAll('/', '-')}`)
      const { code = '' } = await provider.api.bypassCodes.create(other.id, { usesAllowed: 1, expirationTime: 30 })
      const browser = provider.browser()
      const { address } = await ask(config, browser, { login_hint: `oda${path.replaceAll('/', '-')}` })
      const redirect = await browser.get(address.pathname + address.search)
      const base = new URL(String(redirect.headers['location']), provider.url).pathname

      const answer = await browser.submit(base + path, { username: other.username, code })

      expect(base).toContain('/oidc/interaction/')
      expect(answer.status).toBe(400)
    },
  )

  inFullRun('an external second factor keeps the sign-ins of two tabs apart', async () => {
    const { account } = await provider.enroll('ola')
    const browser = provider.browser()
    const first = await ask(config, browser, { login_hint: 'ola' })
    const second = await ask(config, browser, { login_hint: 'ola' })

    const { left } = await provider.approve(browser, account, second.page)
    const other = await browser.visit(first.path)
    const tokens = await openid.authorizationCodeGrant(config, left!, second.checks)

    expect(tokens.claims()).toMatchObject({ amr: ['swk'] })
    expect(other.left ?? other.page.status).toBeDefined()
  })
})
