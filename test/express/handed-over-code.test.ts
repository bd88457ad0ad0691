import type { MfaOptions } from 'second-factor'
import { describe, expect, it } from 'vitest'

import type { CreationOptions } from '../../src/contract/webauthn.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { isVerified, startPolicyApp } from './policy-app.ts'
import type { PolicyOptions } from './policy-app.ts'

/** An app that requires passkeys, and alice who has other factors. */
async function arrange(options: PolicyOptions = { mfa: { phishingResistant: 'require' } }) {
  const arranged = await startPolicyApp(options)
  const { service, alice } = arranged
  const { call } = service

  /** A bypass code of alice; by default one that is handed over. @param expirationTime Minutes. */
  async function newCode({ usesAllowed = 1, expirationTime = 30 } = {}): Promise<string> {
    const created = await call('POST', `/users/${alice.user.id}/bypasscodes`, { body: { usesAllowed, expirationTime } })
    return (created.json as { code: string }).code
  }

  /** She makes a passkey in this browser, where that is allowed. */
  async function addPasskey(browser: Browser): Promise<boolean> {
    const { text, status } = await browser.submit('/mfa/enroll/passkey/options')
    if (status !== 200) return false
    const response = JSON.stringify(arranged.authenticator.make(JSON.parse(text) as CreationOptions))
    const { headers } = await browser.submit('/mfa/enroll/passkey', { name: 'Laptop', response })
    return headers['location'] === '/mfa'
  }

  const enter = (browser: Browser, code: string) => browser.submit('/mfa/passkey/code', { code })

  return { ...arranged, newCode, addPasskey, enterCode: enter }
}

/** What changes factors without a pass for exactly that. */
const otherPages = [
  '/mfa/devices',
  '/mfa/devices/passkey',
  '/mfa/devices/app',
  '/mfa/devices/device',
  '/mfa/enroll/app',
]

describe('the page for users who need a passkey and have none', () => {
  inFullRun(
    'the page for users without a required passkey says what to do, and has a field for an administrator’s code',
    async () => {
      const { signIn } = await arrange()

      const { page } = await signIn()

      expect(page.text).toContain('Ask your administrator for a code, in person.')
      expect(page.text).toContain('action="/mfa/passkey/code"')
    },
  )

  it('the page for users without a required passkey has no field where bypass codes change nothing in this app', async () => {
    const { signIn, newCode, enterCode, addPasskey } = await arrange({
      mfa: { phishingResistant: 'require', devices: { factors: ['passkey', 'push'] } },
    })
    const { browser, page } = await signIn()

    await enterCode(browser, await newCode())

    expect(page.text).toContain('A passkey is needed')
    expect(page.text).not.toContain('/mfa/passkey/code')
    expect(await addPasskey(browser)).toBe(false)
  })

  inFullRun('the page for an administrator’s code is there for users who have lost their passkeys', async () => {
    const { signIn, givePasskey } = await arrange()
    await givePasskey()

    const { browser } = await signIn()
    const ways = await browser.visit('/mfa?use=other')
    const page = await browser.visit('/mfa?use=handed-over')

    expect(ways.text).toContain('href="/mfa?use=handed-over"')
    expect(page.text).toContain('If you can&#39;t use your passkey anymore')
  })
})

describe('a code that an administrator hands over', () => {
  it('a handed-over code leads to a new passkey, and only that verifies the web session', async () => {
    const { signIn, newCode, enterCode, addPasskey, byPasskey } = await arrange()
    const { browser } = await signIn()

    const entered = await enterCode(browser, await newCode())
    const afterCode = await isVerified(browser)
    const added = await addPasskey(browser)
    const afterAdding = await isVerified(browser)
    await byPasskey(browser)

    expect(entered.headers['location']).toBe('/mfa/enroll/passkey')
    expect([afterCode, added, afterAdding]).toEqual([false, true, false])
    expect(await isVerified(browser)).toBe(true)
  })

  inFullRun.each(['the app', 'the domain'])(
    'a handed-over code leads to a new passkey where %s prefers passkeys and the user has lost theirs',
    async (place) => {
      const { signIn, newCode, enterCode, addPasskey, byPasskey, givePasskey, setPolicy } = await arrange(
        place === 'the app' ? { mfa: { phishingResistant: 'prefer' } } : {},
      )
      await givePasskey()
      if (place === 'the domain') await setPolicy('prefer')
      const { browser } = await signIn()

      await enterCode(browser, await newCode())
      const added = await addPasskey(browser)
      await byPasskey(browser)

      expect(added).toBe(true)
      expect(await isVerified(browser)).toBe(true)
    },
  )

  it('a handed-over code leads nowhere else than to a new passkey', async () => {
    const { signIn, newCode, enterCode } = await arrange()
    const { browser } = await signIn()
    await enterCode(browser, await newCode())

    const opened = await Promise.all(otherPages.map((path) => browser.open(path)))

    expect(opened.map(({ headers }) => headers['location'])).toEqual(otherPages.map(() => '/mfa'))
  })

  it('a handed-over code allows only one passkey', async () => {
    const { signIn, newCode, enterCode, addPasskey } = await arrange()
    const { browser } = await signIn()
    await enterCode(browser, await newCode())

    const added = [await addPasskey(browser), await addPasskey(browser)]

    expect(added).toEqual([true, false])
  })

  it('a handed-over code renews the session id, so that an attacker who knows the old one adds no passkey', async () => {
    const { signIn, newCode, enterCode, addPasskey } = await arrange()
    const { browser } = await signIn()
    const attacker = browser.copy()

    await enterCode(browser, await newCode())

    expect(await addPasskey(attacker)).toBe(false)
  })

  it('a handed-over code is worth nothing in another browser, which has only the cookie of the web session', async () => {
    const { url, signIn, newCode, enterCode, addPasskey } = await arrange()
    const { browser } = await signIn()
    await enterCode(browser, await newCode())
    const attacker = createBrowser(url, new Map([['connect.sid', browser.cookie('connect.sid') ?? '']]))
    await attacker.visit('/mfa')

    expect(await addPasskey(attacker)).toBe(false)
    expect(await addPasskey(browser)).toBe(true)
  })

  inFullRun('a handed-over code is worth nothing to the next user of the web session', async () => {
    const user: MfaOptions['user'] = (req) => {
      const { username } = (req.user ?? {}) as { username?: string }
      return username !== undefined && { username: req.get('x-user') ?? username }
    }
    const { signIn, newCode, enterCode, service } = await arrange({ mfa: { phishingResistant: 'require', user } })
    await service.enroll('bob')
    const { browser } = await signIn()
    await enterCode(browser, await newCode())

    const ofBob = await browser.submit('/mfa/enroll/passkey/options', {}, { 'x-user': 'bob' })

    expect(ofBob.status).not.toBe(200)
  })

  it('a handed-over code is worth nothing ten minutes after it was entered', async () => {
    const { service, signIn, newCode, enterCode, addPasskey } = await arrange()
    const { browser } = await signIn()
    await enterCode(browser, await newCode())

    await service.clock.advance(601)
    const page = await browser.open('/mfa/enroll/passkey')

    expect(page.headers['location']).toBe('/mfa')
    expect(await addPasskey(browser)).toBe(false)
  })

  inFullRun('a handed-over code is reported as an event, and so is the new passkey', async () => {
    const { signIn, newCode, enterCode, addPasskey, events } = await arrange()
    const { browser } = await signIn()

    await enterCode(browser, await newCode())
    await addPasskey(browser)

    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['challenge.opened', 'passkey.allowed', 'factor.added']),
    )
  })

  it('a handed-over code does not count where other factors are accepted', async () => {
    const { signIn, newCode, enterCode, addPasskey } = await arrange({})
    const { browser } = await signIn()

    const entered = await enterCode(browser, await newCode())

    expect(entered.headers['location']).toBe('/mfa')
    expect(await addPasskey(browser)).toBe(false)
  })
})

describe('other codes', () => {
  it.each([
    ['a recovery code', { expirationTime: 0 }],
    ['a code with two uses', { usesAllowed: 2 }],
    ['a code of 31 minutes', { expirationTime: 31 }],
  ])(
    'where a handed-over code is expected, other codes lead nowhere: %s, with the reason in the event',
    async (_, codeOptions) => {
      const { signIn, newCode, enterCode, addPasskey, events } = await arrange()
      const { browser } = await signIn()

      await enterCode(browser, await newCode(codeOptions))
      const page = await browser.visit('/mfa?use=handed-over')

      expect(page.text).toContain(
        'Only a code that your administrator gave you in the last 30 minutes works here. 4 tries left.',
      )
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'code.refused', reason: 'phishing_resistance_required' }),
      )
      expect(await addPasskey(browser)).toBe(false)
    },
  )

  it('where a handed-over code is expected, other codes count as wrong: after five, no other code is taken', async () => {
    const { signIn, newCode, enterCode, addPasskey, events } = await arrange()
    const { browser } = await signIn()
    for (let guess = 0; guess < 5; guess += 1) await enterCode(browser, '000000000')

    await enterCode(browser, await newCode())
    const page = await browser.visit('/mfa?use=handed-over')

    expect(page.text).toContain('Too many tries')
    expect(page.text).not.toContain('/mfa/send')
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['code.wrong', 'code.paused']))
    expect(await addPasskey(browser)).toBe(false)
  })

  inFullRun(
    'where a handed-over code is expected, a code without nine digits is not even sent to the service',
    async () => {
      const { signIn, token, enterCode, events } = await arrange()
      const { browser } = await signIn()

      await enterCode(browser, token.code())
      const page = await browser.visit('/mfa?use=handed-over')

      expect(page.text).toContain('It has 9 digits.')
      expect(events.map(({ type }) => type)).toEqual(['challenge.opened'])
    },
  )
})

describeInFullRun('a user who has a passkey', () => {
  it('where nothing requires passkeys, a user with a passkey adds another one neither by a push nor by a code', async () => {
    const { signIn, givePasskey, byPush } = await arrange({})
    await givePasskey()
    const { browser } = await signIn()
    await browser.submit('/mfa/send')
    await byPush(browser)

    const page = await browser.visit('/mfa/devices/passkey')
    const options = await browser.submit('/mfa/devices/passkey/options')
    const ways = await browser.visit('/mfa?use=other')

    expect(page.text).toContain('Confirm this change with your passkey')
    expect(options.status).not.toBe(200)
    expect(ways.text).not.toMatch(/use=otp|\/mfa\/send/)
  })
})
