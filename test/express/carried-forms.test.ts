import { describe, expect, it } from 'vitest'
import { requireMfa } from 'second-factor'

import type { Carried } from '../../src/challenge/challenge.ts'
import { createBrowser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn } from '../support/web-app.ts'
import { codesOn, startOwnApp } from './own-factors.ts'

type App = Awaited<ReturnType<typeof startOwnApp>>
type Person = Awaited<ReturnType<App['signedIn']>>

/** A verified user with two factors, who has to confirm a change. */
async function arrange(mfa: Parameters<typeof startOwnApp>[0] = {}) {
  const app = await startOwnApp(mfa)
  const person = await app.withDevice()
  await app.addApp(person.browser)
  await app.clock.advance(601)
  return { app, ...person }
}

/** Approves what the page asks for. */
async function confirm({ app, browser, account }: Person & { readonly app: App }) {
  await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
  return browser.submit('/mfa/complete')
}

/** Whether the authenticator app is still there. */
const hasApp = async (app: App) => (await app.user()).hardware !== ''

/** The forms that the challenges of a web session carry. */
const carriedIn = (app: App, browser: Person['browser']) => {
  const { challenges = [] } = app.storedIn(browser).read() as { readonly challenges?: readonly { carried?: Carried }[] }
  return challenges.map(({ carried }) => carried)
}

/** Another browser, with nothing but the cookie of the web session. */
const withSessionOf = ({ url }: App, browser: Person['browser']) =>
  createBrowser(url, new Map([['connect.sid', browser.cookie('connect.sid') ?? '']]))

const destination = ({ headers }: { headers: Record<string, unknown> }) => headers['location']

describe('a form of one’s own factors that a confirmation interrupts', () => {
  inFullRun.each([
    ['/mfa/devices/remove', { what: 'hardware' }, '/mfa/devices?done=removed', 'factor.removed'],
    ['/mfa/devices/device', {}, '/mfa/devices/device', undefined],
    ['/mfa/devices/codes', {}, '/mfa/devices/codes', 'recovery_codes.made'],
  ] as const)(
    'a self-service form that a confirmation interrupts is carried out after it, once: %s',
    async (path, fields, next, event) => {
      const arranged = await arrange()
      const { app, browser } = arranged
      const countBefore = app.happened().filter((type) => type === event).length

      const firstAnswer = await browser.submit(path, fields)
      const done = await confirm(arranged)
      const repeatedAnswers = [await browser.submit('/mfa/complete'), await browser.open('/mfa')]

      expect([firstAnswer, done].map(destination)).toEqual(['/mfa', next])
      expect(app.happened().filter((type) => type === event)).toHaveLength(countBefore + (event ? 1 : 0))
      // What is passed is over: the back button and a repeated form lead nowhere else.
      expect(repeatedAnswers.map(destination)).not.toContain(next === '/mfa/devices/device' ? 'never' : next)
    },
  )

  it('an interrupted form is carried out once, even when two requests complete the confirmation', async () => {
    const { app, browser, account } = await arrange()
    await browser.submit('/mfa/devices/codes')
    await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))

    await Promise.all([browser.submit('/mfa/complete'), browser.copy().submit('/mfa/complete')])

    expect(app.happened().filter((type) => type === 'recovery_codes.made')).toHaveLength(1)
  })

  inFullRun('an interrupted form is carried out after a confirmation by code as well', async () => {
    const { app, browser } = await arrange()
    const { id } = await app.user()
    const { code = '' } = await app.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
    await browser.submit('/mfa/devices/remove', { what: 'hardware' })

    const done = await browser.submit('/mfa/code', { code })

    expect(destination(done)).toBe('/mfa/devices?done=removed')
    expect(await hasApp(app)).toBe(false)
  })

  inFullRun('an interrupted form leads a script to the page that the form leads to', async () => {
    const { app, browser, account } = await arrange()
    await browser.submit('/mfa/devices/remove', { what: 'hardware' })
    await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))

    const done = await browser.submit('/mfa/complete', {}, { accept: 'application/json', 'sec-fetch-mode': 'cors' })

    expect(done.body).toMatchObject({ location: '/mfa/devices?done=removed' })
    expect(await hasApp(app)).toBe(false)
  })

  inFullRun('an interrupted form also waits for the sign-in, and then for the confirmation', async () => {
    const { app, account } = await arrange()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const firstAnswer = await browser.submit('/mfa/devices/remove', { what: 'hardware' })

    const signedIn = await confirm({ app, browser, account })
    const hadApp = await hasApp(app)
    const done = await confirm({ app, browser, account })

    expect([firstAnswer, signedIn, done].map(destination)).toEqual(['/mfa', '/mfa', '/mfa/devices?done=removed'])
    expect(hadApp).toBe(true)
    expect(await hasApp(app)).toBe(false)
  })

  inFullRun.each(['cancel', 'deny'])(
    'an interrupted form is dropped when the confirmation is given up: %s',
    async (how) => {
      const { app, browser, account } = await arrange()
      await browser.submit('/mfa/devices/remove', { what: 'hardware' })
      const page = await browser.visit('/mfa')
      if (how === 'deny') await app.answer(account, 'deny', numberOn(page))
      await browser.submit(how === 'deny' ? '/mfa/complete' : '/mfa/cancel')

      await browser.open('/mfa/devices/app')
      await browser.submit('/mfa/send')
      const done = await confirm({ app, browser, account })

      expect(destination(done)).toBe('/mfa/devices/app')
      expect(await hasApp(app)).toBe(true)
    },
  )

  it('an interrupted form is dropped for another user of the same web session', async () => {
    const { app, browser } = await arrange()
    await app.withApp('bob')
    await browser.submit('/mfa/devices/remove', { what: 'hardware' })

    await app.signIn(browser, 'bob')
    await browser.visit('/account')

    expect(carriedIn(app, browser)).toEqual([undefined])
    expect(await hasApp(app)).toBe(true)
  })

  it('an interrupted form is dropped after ten minutes', async () => {
    const arranged = await arrange()
    const { app, browser } = arranged
    await browser.submit('/mfa/devices/remove', { what: 'hardware' })
    await app.clock.advance(601)

    const done = await confirm(arranged)

    expect(destination(done)).toBe('/mfa/devices')
    expect(await hasApp(app)).toBe(true)
  })

  it('an interrupted form is replaced by the one that was submitted last', async () => {
    const arranged = await arrange()
    const { app, browser } = arranged
    await browser.submit('/mfa/devices/remove', { what: 'hardware' })
    await browser.submit('/mfa/devices/codes')

    const done = await confirm(arranged)

    expect(destination(done)).toBe('/mfa/devices/codes')
    expect(await hasApp(app)).toBe(true)
  })

  inFullRun('an interrupted form is carried out only in the browser that sent it', async () => {
    const { app, browser, account } = await arrange()
    const thief = withSessionOf(app, browser)
    await browser.submit('/mfa/devices/remove', { what: 'hardware' })
    await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))

    await thief.submit('/mfa/complete')

    expect(await hasApp(app)).toBe(true)
    expect(destination(await browser.submit('/mfa/complete'))).toBe('/mfa/devices?done=removed')
  })

  it('an interrupted form is not kept if it comes from another site', async () => {
    const { app, browser, account } = await arrange()

    const refused = await browser.submit(
      '/mfa/devices/remove',
      { what: 'hardware' },
      { 'sec-fetch-site': 'cross-site' },
    )
    await app.passByDevice(browser, account)

    expect(refused.status).toBe(403)
    expect(await hasApp(app)).toBe(true)
  })

  it('an interrupted form is kept with ids, names and choices alone, and never for a route that carries a code', async () => {
    const { app, browser } = await arrange()
    await browser.submit('/mfa/devices/remove', { what: 'hardware', code: '123456', page: 'x', extra: 'y' })
    const ofForm = carriedIn(app, browser)
    await browser.submit('/mfa/devices/app', { code: '123456' })
    const ofCode = carriedIn(app, browser)
    await browser.submit('/mfa/devices/remove', { what: 'Hardware 7' })

    expect(ofForm).toEqual([{ path: '/devices/remove', fields: { what: 'hardware' }, askedAt: app.clock.now() }])
    expect(ofCode).toEqual([undefined])
    expect(carriedIn(app, browser).map((carried) => carried?.fields)).toEqual([{}])
  })

  inFullRun('a form of the app itself is never carried out after a confirmation', async () => {
    let orders = 0
    const app = await startOwnApp({}, {}, undefined, (web) => {
      web.post('/order', requireMfa({ maxAge: 60 }), (_req, res) => {
        orders += 1
        res.send('ordered')
      })
    })
    const { browser, account } = await app.signedIn()
    await app.clock.advance(61)

    const firstAnswer = await browser.submit('/order')
    const done = await app.stepUp(browser, account)

    expect([firstAnswer, done].map(destination)).toEqual(['/mfa', '/'])
    expect(orders).toBe(0)
  })
})

describe('the page of new recovery codes', () => {
  async function withCodes() {
    const app = await startOwnApp({ recoveryCodes: true })
    const person = await app.signedIn()
    await person.browser.submit('/mfa/devices/codes')
    return { app, ...person, codesPage: await person.browser.open('/mfa/devices/codes') }
  }

  inFullRun('the page of new recovery codes shows the same codes when it is loaded again', async () => {
    const { app, browser, codesPage } = await withCodes()

    const reloadedPage = await browser.open('/mfa/devices/codes')

    expect(codesOn(reloadedPage)).toHaveLength(5)
    expect(codesOn(reloadedPage)).toEqual(codesOn(codesPage))
    expect(app.happened().filter((type) => type === 'recovery_codes.made')).toHaveLength(1)
  })

  it('a second click or the back button makes no new recovery codes', async () => {
    const { app, browser, codesPage } = await withCodes()

    const repeated = await browser.submit('/mfa/devices/codes')

    expect(destination(repeated)).toBe('/mfa/devices/codes')
    expect(codesOn(await browser.open('/mfa/devices/codes'))).toEqual(codesOn(codesPage))
    expect(app.happened().filter((type) => type === 'recovery_codes.made')).toHaveLength(1)
  })

  inFullRun('the page of new recovery codes asks whether to make others, once the codes are saved', async () => {
    const { browser } = await withCodes()
    await browser.submit('/mfa/devices/codes/done')

    await browser.submit('/mfa/devices/codes')
    const questionPage = await browser.open('/mfa/devices/codes')

    expect(questionPage.text).toContain('already seen these codes')
    expect(questionPage.text).toContain('Make new ones? The old ones stop working.')
    expect(codesOn(questionPage)).toEqual([])
  })

  inFullRun('the page of new recovery codes shows nothing ten minutes later', async () => {
    const { app, browser } = await withCodes()
    await app.clock.advance(600)

    expect(codesOn(await browser.open('/mfa/devices/codes'))).toEqual([])
  })

  it('the page of new recovery codes shows no codes that another request has replaced', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()
    const firstPage = await app.makeCodes(browser)
    const { codes } = app.storedIn(browser).read()
    await app.makeCodes(browser)
    const stored = app.storedIn(browser)
    stored.write({ ...stored.read(), codes })

    expect(codesOn(firstPage)).toHaveLength(5)
    expect((await browser.open('/mfa/devices/codes')).text).toContain('already seen these codes')
  })

  it('the page of new recovery codes shows nothing in a browser with a copied web session', async () => {
    const { app, browser } = await withCodes()
    const thief = withSessionOf(app, browser)

    expect(codesOn(await thief.open('/mfa/devices/codes'))).toEqual([])
  })

  inFullRun(
    'the page of new recovery codes also follows the offer for users to whom an administrator once gave a code',
    async () => {
      const app = await startOwnApp({ recoveryCodes: true })
      const { browser, page } = await app.newcomer()
      const account = await app.activate(page)
      const { id } = await app.user()
      await app.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
      await app.client.bypassCodes.deleteAll(id)
      await app.stepUp(browser, account)

      const firstAnswer = await browser.submit('/mfa/devices/codes')
      const done = await app.stepUp(browser, account)

      expect([firstAnswer, done].map(destination)).toEqual(['/mfa', '/mfa/devices/codes'])
      expect(codesOn(await browser.open('/mfa/devices/codes'))).toHaveLength(5)
    },
  )

  it('opening the page of new recovery codes makes none', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()

    const answer = await browser.open('/mfa/devices/codes')

    expect(destination(answer)).toBe('/mfa/devices')
    expect((await app.user()).bypasscodes).toEqual([])
  })
})

describe('the offer of recovery codes', () => {
  it('the offer of recovery codes needs a confirmation in a browser that did not set up the factor', async () => {
    const app = await startOwnApp({ recoveryCodes: true })
    const { browser } = await app.signedIn()
    const stored = app.storedIn(browser)
    const { offer, ...state } = stored.read()
    stored.write({ ...state, offer: { ...offer, binding: 'that of another browser' } })

    const answer = await browser.submit('/mfa/devices/codes')

    expect(destination(answer)).toBe('/mfa')
    expect((await app.user()).bypasscodes).toEqual([])
  })

  inFullRun('the devices page does not tell users who never made recovery codes that none are left', async () => {
    const app = await startOwnApp()
    const { browser, account } = await app.withDevice()
    const pageBefore = await browser.open('/mfa/devices')
    await browser.submit('/mfa/devices/codes')
    await app.client.bypassCodes.deleteAll((await app.user()).id)

    await browser.open('/mfa/devices')
    await app.stepUp(browser, account)
    const pageAfter = await browser.open('/mfa/devices')

    expect(pageBefore.text).toContain('any yet.')
    expect(pageBefore.text).not.toContain('none left')
    expect(pageAfter.text).toContain('You have none left.')
  })
})

describeInFullRun('a wrong recovery code', () => {
  it('a wrong recovery code is told apart from a wrong code of an app', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()
    const [old = ''] = codesOn(await app.makeCodes(browser))
    await app.makeCodes(browser)
    await browser.open('/logout')
    await app.signIn(browser, 'alice')
    await browser.visit('/account')

    await browser.submit('/mfa/code', { code: old })
    const ofList = await browser.visit('/mfa?use=bypass')
    await browser.submit('/mfa/code', { code: '123456' })
    const ofApp = await browser.visit('/mfa?use=code')

    const sentence = 'Each recovery code works once. Codes from an older list no longer work.'
    expect(ofList.text).toContain(sentence)
    expect(ofApp.text).not.toContain(sentence)
  })
})
