import { mfa, requireMfa } from 'second-factor'
import type { RequireMfaOptions } from 'second-factor'
import { describe, expect, it } from 'vitest'

import type { MfaOptions } from '../../src/express/options/mfa-options.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { createBrowserKey } from '../support/browser-key.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn } from '../support/web-app.ts'
import { isVerified, startPolicyApp } from './policy-app.ts'

/** An app, and alice, whose page has a key. */
async function start(options: Partial<MfaOptions> = {}, guard: RequireMfaOptions = {}) {
  const started = await startPolicyApp({ mfa: options, guard })
  const { url, app, alice, service } = started
  const key = createBrowserKey()

  /** Her device approves the request of the page. @returns what it was told of the browser. */
  async function approve(browser: Browser, answer: object = {}, fields: Record<string, string> = {}) {
    const page = await browser.visit('/mfa')
    const [request] = await alice.pending()
    if (!request) return undefined
    const deviceAnswer = { nonce: request.nonce, decision: 'approve', number: numberOn(page), ...answer }
    await alice.device.answer(request.id, deviceAnswer)
    await browser.submit('/mfa/complete', fields)
    service.clock.skip(120)
    return request.newBrowser ? 'new' : 'kept'
  }

  /** A browser in which she has passed, and which she keeps. */
  async function keep(answer: object = { keepBrowser: true }, fields = { browserKey: key.publicKey }) {
    const { browser } = await started.signIn()
    const browserState = await approve(browser, answer, fields)
    return { browser, browserState }
  }

  /** She signs in anew. @param origin Of the page that signs. */
  async function signInAgain(browser: Browser, signing: SigningOptions = {}) {
    await browser.open('/logout')
    await app.signIn(browser, 'alice')
    return prove(browser, signing)
  }

  /** The page of the challenge signs it, if it is asked to. */
  async function prove(
    browser: Browser,
    { origin = url, signer = key, signature }: SigningOptions = {},
    path = '/mfa',
  ) {
    const page = await browser.visit(path)
    const proof = /data-proof="([^"]+)"/.exec(page.text)?.[1]
    if (proof !== undefined) {
      await browser.submit('/mfa/browser', { signature: signature ?? signer.signature(proof, origin) })
    }
    return { proof, page }
  }
  return { ...started, key, keep, signInAgain, prove, approve }
}

interface SigningOptions {
  readonly origin?: string
  readonly signer?: ReturnType<typeof createBrowserKey>
  readonly signature?: string
}

const policies = ['passkey', 'deny'] as const

describe('a browser that its user keeps', () => {
  inFullRun('a browser is new to the device until its user keeps it, and kept from then on', async () => {
    const { keep, signInAgain, approve } = await start()
    const { browser, browserState } = await keep()

    const { page } = await signInAgain(browser)

    expect(browserState).toBe('new')
    expect(page.text).toContain('One moment')
    expect(await approve(browser)).toBe('kept')
    expect(await isVerified(browser)).toBe(true)
  })

  it('the kept browser is the one that asked, not an attacker’s that completes first with the same web session', async () => {
    const { url, alice, service, signIn, signInAgain, approve, key } = await start()
    const { browser, page } = await signIn()
    const attacker = createBrowser(url, new Map([['connect.sid', browser.cookie('connect.sid') ?? '']]))
    const [request] = await alice.pending()
    const answer = { nonce: request?.nonce, decision: 'approve', number: numberOn(page), keepBrowser: true }
    await alice.device.answer(request?.id ?? '', answer)
    const other = createBrowserKey()

    await attacker.submit('/mfa/complete', { browserKey: other.publicKey })
    await browser.submit('/mfa/complete', { browserKey: key.publicKey })

    service.clock.skip(120)
    await signInAgain(browser)
    expect(await approve(browser)).toBe('kept')
    await signInAgain(browser, { signer: other })
    expect(await approve(browser)).toBe('new')
  })

  inFullRun('keeping a browser is reported in an event, once', async () => {
    const { keep, signInAgain, approve, events } = await start()
    const { browser } = await keep()
    await signInAgain(browser)
    await approve(browser, {}, {})

    expect(events.filter(({ type }) => type === 'browser.kept')).toMatchObject([
      { until: expect.any(Number) as number },
    ])
  })

  it.each<[string, object, Record<string, string>]>([
    ['no answer on the device', {}, {}],
    ['the answer no', { keepBrowser: false }, {}],
  ])('a browser is not asked to sign after %s, so that no sign-in takes longer', async (_, answer) => {
    const { keep, signInAgain, approve } = await start()
    const { browser } = await keep(answer)

    const { proof, page } = await signInAgain(browser)

    expect(proof).toBeUndefined()
    expect(page.text).toContain('id="number"')
    expect(await approve(browser)).toBe('new')
  })

  inFullRun('a browser without a key is not kept, such as one without JavaScript', async () => {
    const { keep, signInAgain, approve } = await start()
    const { browser } = await keep({ keepBrowser: true }, { browserKey: '' })
    await signInAgain(browser)

    expect(await approve(browser)).toBe('new')
  })

  it.each<[string, SigningOptions]>([
    ['with another key', { signer: createBrowserKey() }],
    ['on another origin', { origin: 'https://relay.example' }],
    ['with nothing', { signature: '' }],
    ['with garbage', { signature: 'A'.repeat(86) }],
    ['with too much', { signature: 'A'.repeat(5000) }],
  ])('a kept browser counts as new if its page signs %s', async (_, wrong) => {
    const { keep, signInAgain, approve } = await start()
    const { browser } = await keep()
    await signInAgain(browser, wrong)

    expect(await approve(browser)).toBe('new')
  })

  inFullRun('a kept browser without JavaScript signs in as a new one', async () => {
    const { keep, app, approve } = await start()
    const { browser } = await keep()
    await browser.open('/logout')
    await app.signIn(browser, 'alice')
    const { text } = await browser.visit('/mfa')
    const [, next = ''] = /<noscript><meta http-equiv="refresh" content="0;url=([^"]+)">/.exec(text) ?? []

    await browser.visit(next)

    expect(await approve(browser)).toBe('new')
  })

  inFullRun('a kept browser signs once for all requests of a sign-in', async () => {
    const { keep, signInAgain, approve, service } = await start()
    const { browser } = await keep()
    await signInAgain(browser)
    await browser.visit('/mfa')
    await service.clock.advance(60)
    await browser.submit('/mfa/send')

    expect(await approve(browser)).toBe('kept')
  })

  it('a kept browser is listed on the page of devices, and is new once it is removed there', async () => {
    const { keep, signInAgain, prove, approve } = await start({ locate: () => 'Lyon, France' })
    const { browser } = await keep()
    const { text } = await browser.visit('/mfa/devices')
    const [, id = ''] = /name="browser" value="([0-9a-f]{40})"/.exec(text) ?? []
    const remove = () => browser.submit('/mfa/devices/forget', { browser: id })
    const demanded = await remove()
    await prove(browser)
    await approve(browser)
    await remove()
    await signInAgain(browser)

    expect(demanded.headers['location']).toBe('/mfa')
    expect(text).toMatch(/This browser.*Lyon, France.*Kept until /s)
    expect(await approve(browser)).toBe('new')
  })

  it.each([
    ['ends the other sessions', '/mfa/devices/sessions'],
    ['forgets all browsers', '/mfa/devices/forget'],
  ])('a kept browser stays kept when an attacker with a copied cookie %s', async (_, path) => {
    const { keep, signInAgain, approve } = await start()
    const { browser } = await keep()

    await browser.copy().submit(path)

    await signInAgain(browser)
    expect(await approve(browser)).toBe('kept')
  })
})

describe.each(policies)('unknownBrowser: %s', (unknownBrowser) => {
  it('an app with unknownBrowser offers a new browser nothing but a passkey, and sends nothing', async () => {
    const { signIn, alice } = await start({ unknownBrowser })

    const { page } = await signIn()

    expect(page.text).toContain('This browser is new')
    expect(page.text).not.toContain('/mfa/code')
    expect(page.text.includes('name="browserKey"')).toBe(unknownBrowser === 'deny')
    expect(page.text).toContain('/mfa/passkey/code')
    expect(await alice.pending()).toEqual([])
  })

  inFullRun(
    'an app with unknownBrowser accepts nothing but a passkey from a new browser, not even by hand-made requests',
    async () => {
      const { signIn, alice, tryOtherWays } = await start({ unknownBrowser })
      const { browser } = await signIn()

      await tryOtherWays(browser)

      expect(await alice.pending()).toEqual([])
      expect(await isVerified(browser)).toBe(false)
    },
  )

  it('an app with unknownBrowser rejects other factors with an invented proof, because the service verifies it', async () => {
    const { signIn, alice, tryOtherWays, events } = await start({ unknownBrowser })
    const { browser } = await signIn()
    await browser.submit('/mfa/browser', { signature: 'A'.repeat(86) })

    await tryOtherWays(browser)

    expect(await alice.pending()).toEqual([])
    expect(await isVerified(browser)).toBe(false)
    expect(events).toContainEqual(expect.objectContaining({ type: 'push.ended', reason: 'unknown_browser' }))
    expect((await browser.visit('/mfa')).text).toContain('This browser is new')
  })

  inFullRun('an app with unknownBrowser lets a new browser pass with a passkey', async () => {
    const { givePasskey, signIn, byPasskey } = await start({ unknownBrowser })
    await givePasskey()
    const { browser } = await signIn()

    await byPasskey(browser)

    expect(await isVerified(browser)).toBe(true)
  })

  inFullRun('an app with unknownBrowser lets a new user make a passkey first', async () => {
    const { signIn } = await start({ unknownBrowser })

    const { page } = await signIn('carol')

    expect(page.path).toBe('/mfa/enroll/passkey')
  })

  inFullRun('an app with unknownBrowser asks the device from a browser that was kept before', async () => {
    const { keep, startApp, key, approve } = await start()
    const { browser } = await keep()
    const stricter = await startApp({ unknownBrowser })
    const other = browser.copy(stricter.url)
    await other.open('/logout')
    await stricter.signIn(other, 'alice')
    const [, proof = ''] = /data-proof="([^"]+)"/.exec((await other.visit('/mfa')).text) ?? []
    await other.submit('/mfa/browser', { signature: key.signature(proof, stricter.url) })

    expect(await approve(other)).toBe('kept')
    expect(await isVerified(other)).toBe(true)
  })

  inFullRun(
    'an app with unknownBrowser does not redeem an approval that was started before the option was set',
    async () => {
      const { signIn, startApp, alice } = await start()
      const { browser, page } = await signIn()
      const [request] = await alice.pending()
      await alice.device.answer(request!.id, { nonce: request!.nonce, decision: 'approve', number: numberOn(page) })
      const other = browser.copy((await startApp({ unknownBrowser })).url)

      await other.submit('/mfa/complete')

      expect(await isVerified(other)).toBe(false)
    },
  )

  it.each<[string, Partial<MfaOptions>]>([
    ['without passkeys', { passkeys: false }],
    ["without 'passkey' among factors", { factors: ['push'] }],
    ['at an IP address', { publicUrl: 'https://192.0.2.1' }],
  ])('the option unknownBrowser is an error at startup %s, as no user could ever pass', (_, options) => {
    const service = { baseUrl: 'http://127.0.0.1:1/api', apiKey: 'k', domainId: 'd' }
    const logger = { info() {}, warn() {}, error() {} }

    expect(() => mfa({ service, logger, authenticatorUrl: 'https://mfa.example', unknownBrowser, ...options })).toThrow(
      /unknownBrowser/,
    )
  })

  it('an app with unknownBrowser does not count an earlier pass with another factor in a new browser', async () => {
    const { signIn, approve, startApp } = await start()
    const { browser } = await signIn()
    await approve(browser)

    const other = browser.copy((await startApp({ unknownBrowser })).url)

    expect(await isVerified(browser)).toBe(true)
    expect(await isVerified(other)).toBe(false)
  })

  inFullRun(
    'an app with unknownBrowser counts an earlier pass by a passkey, or in a browser that had shown its key',
    async () => {
      const { keep, signInAgain, approve, givePasskey, signIn, byPasskey, startApp } = await start()
      const { browser: keptBrowser } = await keep()
      await signInAgain(keptBrowser)
      await approve(keptBrowser)
      await givePasskey()
      const { browser: withPasskey } = await signIn()
      await byPasskey(withPasskey)
      const { url } = await startApp({ unknownBrowser })

      expect(await isVerified(keptBrowser.copy(url))).toBe(true)
      expect(await isVerified(withPasskey.copy(url))).toBe(true)
    },
  )

  it('the option unknownBrowser excludes remembered browsers, as they pass the gate without showing a key', () => {
    const service = { baseUrl: 'http://127.0.0.1:1/api', apiKey: 'k', domainId: 'd' }
    const options = { service, authenticatorUrl: 'https://mfa.example', remember: { days: 30 } }

    expect(() => mfa({ ...options, unknownBrowser })).toThrow(TypeError)
    expect(() => mfa({ ...options, unknownBrowser })).toThrow(`unknownBrowser: '${unknownBrowser}' excludes remember`)
  })
})

describe.each(policies)('requireMfa({ unknownBrowser: %s })', (unknownBrowser) => {
  const guard = { unknownBrowser }

  it('requireMfa({ unknownBrowser }) is not satisfied by another factor in a new browser, and leads to a step-up by passkey', async () => {
    const { signIn, approve, givePasskey, byPasskey } = await start({}, guard)
    await givePasskey()
    const { browser } = await signIn()
    await browser.submit('/mfa/send')
    await approve(browser)

    const pageBefore = await browser.visit('/guarded')
    await byPasskey(browser)

    expect(pageBefore.text).toContain('Confirm with your passkey')
    expect((await browser.open('/guarded')).text).toBe('guarded')
  })

  inFullRun(
    'requireMfa({ unknownBrowser }) is satisfied by another factor in a browser that has shown its key',
    async () => {
      const { keep, signInAgain, approve } = await start({}, guard)
      const { browser } = await keep()
      const statusBefore = (await browser.open('/guarded')).status
      await signInAgain(browser)
      await approve(browser)

      expect(statusBefore).toBe(303)
      expect((await browser.open('/guarded')).text).toBe('guarded')
    },
  )

  inFullRun(
    'requireMfa({ unknownBrowser }) accepts nothing but a passkey in a new browser, not even by hand-made requests',
    async () => {
      const { signIn, approve, alice, tryOtherWays } = await start({}, guard)
      const { browser } = await signIn()
      await approve(browser)

      const page = await browser.visit('/guarded')
      await tryOtherWays(browser)

      expect(page.text).toContain('This browser is new')
      expect(await alice.pending()).toEqual([])
      expect((await browser.open('/guarded')).status).toBe(303)
    },
  )

  inFullRun(
    'requireMfa({ unknownBrowser }) rejects other factors with an invented proof, because the service verifies it',
    async () => {
      const { signIn, approve, alice, tryOtherWays } = await start({}, guard)
      const { browser } = await signIn()
      await approve(browser)
      await browser.open('/guarded')
      await browser.submit('/mfa/browser', { signature: 'A'.repeat(86) })

      await tryOtherWays(browser)

      expect(await alice.pending()).toEqual([])
      expect((await browser.open('/guarded')).status).toBe(303)
    },
  )

  it('requireMfa({ unknownBrowser }) opens a challenge of its own beside one that accepts any browser', async () => {
    const { signIn, approve, alice } = await start({}, guard)
    const { browser } = await signIn()
    await approve(browser)
    await browser.visit('/mfa?purpose=step_up&returnTo=/danger')
    const pendingBefore = await alice.pending()

    const page = await browser.visit('/guarded')

    expect(pendingBefore).toHaveLength(1)
    expect(page.text).toContain('This browser is new')
  })

  inFullRun('requireMfa({ unknownBrowser }) tells a script which challenge to open', async () => {
    const { signIn, approve } = await start({}, guard)
    const { browser } = await signIn()
    await approve(browser)

    const { challenge } = (await browser.fetch('/guarded')).body as { challenge: string }
    const page = await browser.visit(challenge)

    expect(challenge).toBe(`/mfa?purpose=step_up&unknownBrowser=${unknownBrowser}`)
    expect(page.text).toContain('This browser is new')
  })

  inFullRun(
    'requireMfa({ unknownBrowser }) is an error where the app has no passkeys, or its factors leave them out',
    async () => {
      const { signIn, approve } = await start({ passkeys: false }, guard)
      const { browser } = await signIn()
      await approve(browser)

      const page = await browser.visit('/guarded')

      expect(page.status).toBe(500)
      expect(page.text).toContain(`unknownBrowser: '${unknownBrowser}' of a route needs passkeys, which are off`)
      expect(() => requireMfa({ ...guard, factors: ['push'] })).toThrow(
        "requireMfa: unknownBrowser needs 'passkey' among factors",
      )
    },
  )
})

describe('a code that an administrator hands over where unknown browsers are denied', () => {
  async function lockedOut() {
    const started = await start({ unknownBrowser: 'deny' })
    const { service, alice } = started
    const body = { usesAllowed: 1, expirationTime: 30 }
    const { json } = await service.call('POST', `/users/${alice.user.id}/bypasscodes`, { body })
    const { browser } = await started.signIn()
    const enter = (fields: Record<string, string> = { browserKey: started.key.publicKey }) =>
      browser.submit('/mfa/passkey/code', { code: json.code as string, ...fields })
    return { ...started, browser, enter }
  }

  it('where unknown browsers are denied, a handed-over code keeps the browser, in which the user then signs in as usual', async () => {
    const { browser, enter, prove, approve, events } = await lockedOut()

    const entered = await enter()
    const afterCode = await isVerified(browser)
    await prove(browser, {}, String(entered.headers['location']))
    const browserState = await approve(browser)

    expect(entered.headers['location']).toBe('/mfa?returnTo=%2Faccount')
    expect([afterCode, browserState, await isVerified(browser)]).toEqual([false, 'kept', true])
    expect(events.filter(({ type }) => type === 'browser.kept')).toHaveLength(1)
  })

  it('where unknown browsers are denied, a handed-over code is not enough to sign in, nor to add a passkey', async () => {
    const { browser, enter } = await lockedOut()
    await enter()

    const added = await browser.submit('/mfa/enroll/passkey/options')

    expect(added.headers['location']).toBe('/mfa')
    expect(await isVerified(browser)).toBe(false)
  })

  it('a handed-over code renews the session id, so that an attacker who knows the old one is shut out', async () => {
    const { browser, enter } = await lockedOut()
    const cookieBefore = browser.cookie('connect.sid')

    await enter()

    expect(browser.cookie('connect.sid')).not.toBe(cookieBefore)
  })

  it('a handed-over code is not used up in a browser without a key, such as one without JavaScript', async () => {
    const { browser, enter } = await lockedOut()

    const refused = await enter({})
    const page = await browser.visit(String(refused.headers['location']))
    const entered = await enter()

    expect(page.text).toContain('This browser can’t be kept.')
    expect(entered.headers['location']).toBe('/mfa?returnTo=%2Faccount')
  })
})
