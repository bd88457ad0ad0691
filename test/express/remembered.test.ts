import type { MfaOptions } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { isIn, startOwnApp } from './own-factors.ts'

const name = 'mfa-browser'
const day = 86_400

async function arrange(mfa: Partial<MfaOptions> = {}, login: object = {}) {
  const app = await startOwnApp({ remember: { days: 30 }, ...mfa }, login)

  /** A user who signs in again in a browser that has this cookie and no web session. */
  async function comeBack(marker: string, username = 'alice') {
    const browser = createBrowser(app.url, new Map([[name, marker]]))
    await app.signIn(browser, username)
    return browser
  }
  /** A user with a device who chose to have the browser remembered. */
  async function remembered(username = 'alice') {
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, username)
    await browser.submit('/mfa/remember', { remember: 'yes' })
    const done = await app.stepUp(browser, account)
    return { browser, account, page, done, marker: browser.cookie(name) ?? '' }
  }
  const passes = async (browser: Awaited<ReturnType<typeof comeBack>>) => (await browser.fetch('/x')).status === 200
  return { ...app, comeBack, remembered, passes }
}

describe('a remembered browser', () => {
  inFullRun('a browser is remembered only if the app offers it and the user chooses it', async () => {
    const app = await arrange()
    const { page, marker, done } = await app.remembered()
    const { browser: other } = await app.withDevice('bob')

    expect(page.text).toContain('Don&#39;t ask again on this browser for 30 days')
    expect(marker).toMatch(/^[\w-]{22}$/)
    expect(String(done.headers['set-cookie'])).toContain(
      `${name}=${marker}; Path=/; Max-Age=${180 * day}; HttpOnly; SameSite=Lax`,
    )
    expect(await app.passes(await app.comeBack(marker))).toBe(true)
    expect(await app.passes(await app.comeBack(other.cookie(name) ?? '', 'bob'))).toBe(false)
  })

  inFullRun('no browser is remembered unless the app offers it', async () => {
    const app = await arrange({ remember: false })
    const { page, marker } = await app.remembered()

    expect(page.text).not.toContain('on this browser')
    expect(await app.passes(await app.comeBack(marker))).toBe(false)
  })

  inFullRun(
    'remembering can be chosen without JavaScript: the waiting page has a button, and the code is sent with the choice',
    async () => {
      const app = await arrange()
      const browser = app.browser()
      const { page } = await app.enroll(browser, 'alice')
      await browser.submit('/mfa/remember', { remember: 'yes' })

      const [waiting, entry] = [await browser.visit('/mfa'), await browser.visit('/mfa?use=code')]

      expect(page.text).toMatch(
        /action="\/mfa\/remember".*<noscript><button type="submit" class="link">Save<\/button>/s,
      )
      expect(page.text).not.toContain(' checked>')
      expect(waiting.text).toContain(' checked>')
      expect(entry.text).toMatch(/action="\/mfa\/code".*name="remembers".*name="remember" .* checked>.*Verify/s)
    },
  )

  it.each([
    ['checked', {}, { remembers: 'yes', remember: 'yes' }, true],
    ['cleared again', { remember: 'yes' }, { remembers: 'yes' }, false],
    ['checked before, and not in this form', { remember: 'yes' }, {}, true],
    ['any other value', {}, { remembers: 'yes', remember: 'on' }, false],
  ])(
    'a browser is remembered only if its user chose it with the code: %s',
    async (_what, earlierForm, form, isRemembered) => {
      const app = await arrange()
      const browser = app.browser()
      await app.enroll(browser, 'alice')
      const { id } = await app.user()
      const { code = '' } = await app.client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })

      await browser.submit('/mfa/remember', earlierForm)
      await browser.submit('/mfa/code', { code, ...form })

      expect(await app.passes(await app.comeBack(browser.cookie(name) ?? ''))).toBe(isRemembered)
    },
  )

  it('a remembered browser passes the gate without a second step, and is never verified', async () => {
    const app = await arrange()
    const { marker } = await app.remembered()

    const browser = await app.comeBack(marker)

    expect((await browser.fetch('/x')).body).toMatchObject({ verified: false, mfa: { remembered: true } })
    expect(await isIn(browser)).toBe(false)
    expect((await browser.fetch('/danger')).status).toBe(403)
    expect((await browser.fetch('/mfa/devices')).status).toBe(403)
    expect(app.happened().filter((type) => type.startsWith('browser.'))).toEqual([
      'browser.remembered',
      'browser.recognized',
    ])
  })

  it('a browser is remembered for its own user alone', async () => {
    const app = await arrange()
    const { marker } = await app.remembered()
    await app.withDevice('bob')

    const browser = await app.comeBack(marker, 'bob')

    expect(await app.passes(browser)).toBe(false)
  })

  inFullRun('a browser is remembered for each of its users who chose that, and only for them', async () => {
    const app = await arrange()
    const { browser, marker } = await app.remembered()
    await browser.open('/logout')
    await app.verify(browser, 'bob')
    const shared = browser.cookie(name) ?? ''

    expect(shared).not.toBe(marker)
    expect(await app.passes(await app.comeBack(shared))).toBe(true)
    expect(await app.passes(await app.comeBack(shared, 'bob'))).toBe(false)
  })

  inFullRun(
    'a browser is not remembered for the next user of the web session, even when Passport keeps it',
    async () => {
      const app = await arrange({}, { keepSessionInfo: true })
      const { marker } = await app.remembered()
      await app.withDevice('bob')
      const browser = await app.comeBack(marker)
      expect(await app.passes(browser)).toBe(true)

      await app.signIn(browser, 'bob')

      expect(await app.passes(browser)).toBe(false)
    },
  )

  inFullRun('a remembered browser is forgotten after the configured days', async () => {
    const app = await arrange({ remember: { days: 1 } })
    const { marker } = await app.remembered()

    app.clock.skip(day)

    expect(await app.passes(await app.comeBack(marker))).toBe(false)
  })

  inFullRun.each(['', 'none', 'k1.AAAA', '../..', 'a'.repeat(2000)])(
    'a browser is not remembered by a cookie that only says so: %s',
    async (cookie) => {
      const app = await arrange()
      await app.withDevice()

      expect(await app.passes(await app.comeBack(cookie))).toBe(false)
    },
  )

  const changes: [string, (app: Awaited<ReturnType<typeof arrange>>, browser: never) => Promise<unknown>][] = [
    ['an app is added', (app, browser) => app.addApp(browser)],
    [
      'the browsers are forgotten',
      (_app, browser: ReturnType<typeof createBrowser>) => browser.submit('/mfa/devices/forget'),
    ],
    ['the token is revoked', async (app) => app.client.tokens.revoke(app.domainId, (await app.user()).id)],
    [
      'the device is replaced',
      async (app, browser: ReturnType<typeof createBrowser>) => {
        await browser.submit('/mfa/devices/device')
        await app.activate(await browser.open('/mfa/devices/device'))
      },
    ],
  ]

  it.each(changes)(
    'a remembered browser is forgotten when %s, within a minute also in its web sessions',
    async (_what, change) => {
      const app = await arrange()
      const { browser, account, marker } = await app.remembered()
      await app.passByDevice(browser, account)
      const begun = await app.comeBack(marker)
      expect(await app.passes(begun)).toBe(true)

      await change(app, browser as never)
      await app.clock.advance(60)

      expect(await app.passes(begun)).toBe(false)
      expect(await app.passes(await app.comeBack(marker))).toBe(false)
    },
  )

  it('a remembered browser requires the second step while the service is unreachable', async () => {
    const app = await arrange()
    const { marker } = await app.remembered()
    const browser = await app.comeBack(marker)
    await app.service.close()

    expect(await app.passes(browser)).toBe(false)
  })

  inFullRun('a remembered browser is not checked for users who need no second step, nor at sign-out', async () => {
    const app = await arrange({ required: (_req, user) => user.username !== 'guest' })
    const { marker } = await app.remembered()
    const [guest, leaving] = [await app.comeBack(marker, 'guest'), await app.comeBack('none')]

    const passed = await guest.fetch('/x')
    await leaving.open('/logout')

    expect(passed.status).toBe(200)
    expect([guest.cookie(name), leaving.cookie(name)]).toEqual([marker, 'none'])
  })

  it('a remembered browser is listed for its user, and can be forgotten alone', async () => {
    const app = await arrange()
    const { browser, marker } = await app.remembered()
    const page = await browser.open('/mfa/devices')
    const [{ id }] = (await browser.fetch('/mfa/devices')).body.browsers as [{ id: string }]

    const unknown = await browser.submit('/mfa/devices/forget', { browser: 'x' })
    const stillPasses = await app.passes(await app.comeBack(marker))
    const done = await browser.submit('/mfa/devices/forget', { browser: id })

    expect(page.text).toContain('This browser')
    expect(page.text).not.toContain(marker.slice(marker.indexOf('=') + 1))
    expect([unknown.headers['location'], stillPasses]).toEqual(['/mfa/devices', true])
    expect(done.headers['location']).toBe('/mfa/devices?done=removed')
    expect(await app.passes(await app.comeBack(marker))).toBe(false)
  })

  inFullRun(
    'remembering a browser cannot be chosen, and a browser cannot be forgotten, from another site',
    async () => {
      const app = await arrange()
      const { browser, marker } = await app.remembered()
      const crossed = { 'sec-fetch-site': 'cross-site' }

      const statuses = [
        await browser.submit('/mfa/remember', { remember: 'yes' }, crossed),
        await browser.submit('/mfa/devices/forget', {}, crossed),
      ].map(({ status }) => status)

      expect(statuses).toEqual([403, 403])
      expect(await app.passes(await app.comeBack(marker))).toBe(true)
    },
  )

  inFullRun('the cookie of a remembered browser is in no event, log or web session', async () => {
    const app = await arrange()
    const { marker } = await app.remembered()
    await app.passes(await app.comeBack(marker))

    expect(JSON.stringify(app.events) + app.kept() + app.trouble.join()).not.toContain(marker)
  })

  inFullRun('a remembered browser has a __Host- cookie if the app uses https', async () => {
    const app = await arrange({ publicUrl: 'https://app.example' })
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')
    await browser.submit('/mfa/remember', { remember: 'yes' })

    const done = await app.stepUp(browser, account)

    expect(String(done.headers['set-cookie'])).toMatch(/__Host-mfa-browser=[\w.-]+; Path=\/; .*; Secure/)
  })

  it.each([{ days: 0 }, { days: 91 }, { days: 30, secret: 's' }, true])(
    'the option remember is read strictly: %j',
    async (remember) => {
      await expect(arrange({ remember: remember as never })).rejects.toThrow(/^mfa: remember/)
    },
  )
})
