import type { MfaOptions } from 'second-factor'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn } from '../support/web-app.ts'
import { codesOf, codesOn, isIn, secretOn, startOwnApp } from './own-factors.ts'

describe('an authenticator app as the first factor', () => {
  inFullRun(
    'an authenticator app as the first factor is offered beside the device, to scan, open or type',
    async () => {
      const app = await startOwnApp()
      const { browser, page } = await app.newcomer()

      const setupPage = await browser.open('/mfa/enroll/app')

      expect(page.text).toContain('href="/mfa/enroll/app"')
      const secret = secretOn(setupPage)
      expect(Buffer.byteLength(secret)).toBe(32)
      expect(setupPage.text).toContain(`otpauth://totp/Test:alice?issuer=Test&amp;secret=${secret}`)
      expect(setupPage.text).toContain('autocomplete="one-time-code"')
      expect(setupPage.headers['cache-control']).toBe('no-store')
    },
  )

  inFullRun.each([
    ['the longest names there can be', '漢'.repeat(64), '漢'.repeat(128)],
    ['names that would say something else', 'Shop:Evil&issuer=Evil', 'al:ice&secret=AAAA"><img src=x>'],
  ])(
    'the setup of a first authenticator app fits into a QR code and an address that contain nothing else, for %s',
    async (_what, appName, username) => {
      const app = await startOwnApp({ appName, user: () => ({ username, email: 'a@example.com' }) })
      const { browser } = await app.newcomer()

      const { text } = await browser.open('/mfa/enroll/app')

      const [, address = ''] = /href="(otpauth:[^"]+)"/.exec(text) ?? []
      const { searchParams, pathname } = new URL(address.replaceAll('&amp;', '&'))
      expect([...searchParams.keys()]).toEqual(['issuer', 'secret', 'algorithm', 'digits', 'period'])
      expect(searchParams.get('secret')).toBe(secretOn({ text }))
      expect(appName.replaceAll(':', '-')).toContain(searchParams.get('issuer'))
      // Apps divide the label at its first colon: a second one would move a part of one name into the other.
      expect(decodeURIComponent(pathname).split(':')).toEqual([
        expect.stringContaining(searchParams.get('issuer') ?? ''),
        expect.stringContaining(username.slice(0, 1)),
      ])
      expect(text).not.toContain('<img src=x')
    },
  )

  inFullRun(
    'a first authenticator app has one secret however often its page is loaded, and another in another web session',
    async () => {
      const app = await startOwnApp()
      const [{ browser }, { browser: other }] = [await app.newcomer(), await app.newcomer()]

      const [firstSecret, reloadedSecret, otherSecret] = [
        await browser.open('/mfa/enroll/app'),
        await browser.open('/mfa/enroll/app'),
        await other.open('/mfa/enroll/app'),
      ].map(secretOn)

      expect(reloadedSecret).toBe(firstSecret)
      expect(otherSecret).not.toBe(firstSecret)
    },
  )

  it('a first authenticator app is stored with its first code, which verifies nobody: the next one does', async () => {
    const app = await startOwnApp()
    const { browser } = await app.newcomer()
    const code = codesOf(app, await browser.open('/mfa/enroll/app'))

    const stored = await browser.submit('/mfa/enroll/app', { code: code() })
    const page = await browser.visit(stored.headers['location'] as string)
    expect(await isIn(browser)).toBe(false)
    await browser.submit('/mfa/code', { code: code() })
    expect(await isIn(browser)).toBe(false)
    await app.clock.advance(30)
    const done = await browser.submit('/mfa/code', { code: code() })

    expect(page.text).toContain('Your app is set up')
    expect(done.headers['location']).toBe('/account')
    expect((await browser.fetch('/account')).body.mfa.verified.factor).toBe('otp')
    expect(app.happened()).toContain('factor.added')
  })

  inFullRun('a first authenticator app is not stored after a wrong code, and keeps its secret', async () => {
    const app = await startOwnApp()
    const { browser } = await app.newcomer()
    const secretBefore = secretOn(await browser.open('/mfa/enroll/app'))

    const wrong = await browser.submit('/mfa/enroll/app', { code: '000000' })
    const page = await browser.visit(wrong.headers['location'] as string)

    expect(page.text).toContain('role="alert"')
    expect(secretOn(page)).toBe(secretBefore)
    expect(await app.user()).toMatchObject({ hardware: '', everEnrolled: false })
  })

  inFullRun('a first authenticator app is stored once, however many web sessions set one up at once', async () => {
    const app = await startOwnApp()
    const people = await Promise.all(Array.from({ length: 4 }, () => app.newcomer()))
    const codes = await Promise.all(
      people.map(async ({ browser }) => codesOf(app, await browser.open('/mfa/enroll/app'))),
    )

    await Promise.all(people.map(({ browser }, index) => browser.submit('/mfa/enroll/app', { code: codes[index]!() })))
    await app.clock.advance(30)
    await Promise.all(people.map(({ browser }, index) => browser.submit('/mfa/code', { code: codes[index]!() })))

    const verified = await Promise.all(people.map(({ browser }) => isIn(browser)))
    expect(verified.filter(Boolean)).toHaveLength(1)
    expect((await app.client.hardware.list()).length).toBe(1)
  })

  it('users who had any factor, in any domain, cannot add a first authenticator app, even if it was removed', async () => {
    const app = await startOwnApp()
    const [{ browser: late }, { browser: owner }] = [await app.newcomer(), await app.newcomer()]
    const code = codesOf(app, await late.open('/mfa/enroll/app'))
    await app.activate(await owner.visit('/mfa'))
    const { id } = await app.user()
    await app.client.tokens.revoke(app.domainId, id)

    const page = await late.open('/mfa/enroll/app')
    const posted = await late.submit('/mfa/enroll/app', { code: code() })

    expect([page.headers['location'], posted.headers['location']]).toEqual(['/mfa', '/mfa'])
    expect(await app.user()).toMatchObject({ hardware: '' })
  })

  it('the setup of a first authenticator app is shown to no user of the organization outside the domain', async () => {
    const app = await startOwnApp()
    const user = await app.client.users.create({ username: 'bob', name: 'Bob', email: 'bob@example.com' })
    const { browser, page } = await app.newcomer('bob')

    const setupAnswer = await browser.open('/mfa/enroll/app')
    const posted = await browser.submit('/mfa/enroll/app', { code: '123456' })

    expect(page.text).toContain('Ask your administrator to add you')
    expect([setupAnswer.headers['location'], posted.headers['location']]).toEqual(['/mfa', '/mfa'])
    expect(await app.client.users.get(user.id)).toMatchObject({ domains: [], hardware: '', everEnrolled: false })
  })

  inFullRun(
    'a first authenticator app is sent as a first factor, so that the service decides when it stores it',
    async () => {
      const app = await startOwnApp()
      const { browser } = await app.newcomer()
      const code = codesOf(app, await browser.open('/mfa/enroll/app'))
      const written = vi.spyOn(JSON, 'stringify')
      onTestFinished(() => void vi.restoreAllMocks())

      await browser.submit('/mfa/enroll/app', { code: code() })

      const sentBodies = written.mock.calls.map(([value]) => value as unknown)
      expect(sentBodies).toContainEqual(expect.objectContaining({ otp: code(), first: true }))
    },
  )

  inFullRun(
    'a first authenticator app invalidates the activation code that an attacker with the password has noted',
    async () => {
      const app = await startOwnApp()
      const { page } = await app.newcomer()

      await app.withApp()

      await expect(app.activate(page)).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
      expect((await app.user()).factors).toEqual(['otp'])
    },
  )

  inFullRun('the setup of a first authenticator app is not started from another site, nor by preloading', async () => {
    const app = await startOwnApp()
    const { browser } = await app.newcomer()
    const code = codesOf(app, await browser.open('/mfa/enroll/app'))

    const crossed = await browser.submit('/mfa/enroll/app', { code: code() }, { 'sec-fetch-site': 'cross-site' })
    const prefetched = await browser.open('/mfa/enroll/app', { 'sec-purpose': 'prefetch' })

    expect([crossed.status, prefetched.status]).toEqual([403, 503])
    expect(await app.user()).toMatchObject({ hardware: '' })
  })

  it('a first authenticator app is bound to its user: its secret does not open in another user’s web session', async () => {
    const app = await startOwnApp()
    const [{ browser: mallory }, { browser: alice }] = [await app.newcomer('mallory'), await app.newcomer('alice')]
    const code = codesOf(app, await mallory.open('/mfa/enroll/app'))
    await alice.open('/mfa/enroll/app')
    const [plantedSession, ownSession] = [app.webSession('username:mallory'), app.webSession('username:alice')]
    ownSession.write({ ...ownSession.read(), setup: { ...plantedSession.read().setup, userKey: 'username:alice' } })
    const cookie = alice.cookies().replace(/mfa-setup=[^;]*/, `mfa-setup=${mallory.cookie('mfa-setup')}`)

    const answer = await alice.submit('/mfa/enroll/app', { code: code() }, { cookie })

    expect(answer.headers['location']).toBe('/mfa/enroll/app')
    expect(await app.user()).toMatchObject({ hardware: '', everEnrolled: false })
  })

  it('a first authenticator app has its secret only on its page: not in the store, events, log or other pages', async () => {
    const app = await startOwnApp()
    const { browser } = await app.newcomer()
    const setupPage = await browser.open('/mfa/enroll/app')
    const secret = secretOn(setupPage)
    const hex = Buffer.from(
      secret.replace(/./g, (letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')),
    )
      .toString()
      .replace(/[01]{4}/g, (bits) => Number.parseInt(bits, 2).toString(16))
    const texts = [app.kept()]
    await browser.submit('/mfa/enroll/app', { code: codesOf(app, setupPage)() })
    for (const path of ['/mfa', '/mfa?use=code', '/mfa/devices']) texts.push((await browser.visit(path)).text)
    texts.push(app.kept(), JSON.stringify(app.events), app.trouble.join())

    expect(hex).toHaveLength(40)
    for (const text of texts) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(hex)
    }
  })

  inFullRun('the setup of a first authenticator app expires after ten minutes, and starts over', async () => {
    const app = await startOwnApp()
    const { browser } = await app.newcomer()
    const setupPage = await browser.open('/mfa/enroll/app')
    await app.clock.advance(600)

    const late = await browser.submit('/mfa/enroll/app', { code: codesOf(app, setupPage)() })

    expect(late.headers['location']).toBe('/mfa/enroll/app')
    expect(secretOn(await browser.open('/mfa/enroll/app'))).not.toBe(secretOn(setupPage))
    expect(await app.user()).toMatchObject({ hardware: '' })
  })
})

describe('a first factor that an administrator decides about', () => {
  /** What an attacker who knows the password gets, by each way there is. */
  async function tryAll(app: Awaited<ReturnType<typeof startOwnApp>>, username = 'alice') {
    const { browser, page } = await app.newcomer(username)
    const setupAnswer = await browser.open('/mfa/enroll/app')
    const posted = await browser.submit('/mfa/enroll/app', { code: '123456' })
    return { browser, page, app: [setupAnswer, posted].map(({ headers }) => headers['location']) }
  }

  it.each([
    ['selfEnrollment: false', { selfEnrollment: false }],
    ['mayEnroll says no', { mayEnroll: () => false }],
    ['mayEnroll says nothing that is true', { mayEnroll: () => 'yes' as unknown as boolean }],
    ['selfEnrollment: false, whatever mayEnroll says', { selfEnrollment: false, mayEnroll: () => true }],
  ] satisfies [string, Partial<MfaOptions>][])(
    'a first factor that an administrator decides about cannot be set up with the password alone: %s',
    async (_what, mfa) => {
      const app = await startOwnApp(mfa)

      const tried = await tryAll(app)

      expect(tried.page.text).toContain('Type the activation code that your administrator gave you')
      expect(tried.page.text).not.toMatch(/#code=|class="code"|enroll\/app/)
      expect(tried.app).toEqual(['/mfa', '/mfa'])
      const user = await app.user()
      expect(user).toMatchObject({ hardware: '', everEnrolled: false })
      await expect(app.client.tokens.get(app.domainId, user.id)).rejects.toMatchObject({
        code: 'api.error.notfound.token',
      })
      expect(app.happened()).not.toContain('enrollment.offered')
    },
  )

  it('mayEnroll decides about a first factor for each user and each factor', async () => {
    const usernames: (string | undefined)[] = []
    const app = await startOwnApp({
      mayEnroll: (_req, { username }) => {
        usernames.push(username)
        return username === 'alice'
      },
    })

    const [alice, bob] = [await app.newcomer('alice'), await tryAll(app, 'bob')]
    const setupPage = await alice.browser.open('/mfa/enroll/app')

    expect(alice.page.text).toContain('#code=')
    expect(secretOn(setupPage)).toHaveLength(32)
    expect(bob.app).toEqual(['/mfa', '/mfa'])
    expect(usernames.filter((name) => name === 'bob')).toHaveLength(3)
  })

  it('a first factor can be set up with the code of an administrator, which no page shows', async () => {
    const app = await startOwnApp()
    const { id } = await app.client.users.create({ username: 'alice', name: 'Alice', email: 'alice@example.com' })
    await app.client.domains.addUser(app.domainId, id)
    const { code = '' } = await app.client.tokens.issue(app.domainId, id)

    const tried = await tryAll(app)
    const laterPage = await tried.browser.visit('/mfa')
    const account = await app.device.activate(`${app.url}/mfa`, code, { name: 'Test device' })
    await app.answer(account, 'approve', numberOn(await tried.browser.visit('/mfa')))
    await tried.browser.submit('/mfa/complete')

    for (const { text } of [tried.page, laterPage]) {
      expect(text).toContain('Type the activation code that your administrator gave you')
      expect(text.replaceAll(' ', '')).not.toContain(code)
    }
    expect(tried.app).toEqual(['/mfa', '/mfa'])
    expect(await isIn(tried.browser)).toBe(true)
  })

  it('a first-factor setup ends if it started before the administrator issued a code', async () => {
    const app = await startOwnApp()
    const { browser } = await app.newcomer()
    const code = codesOf(app, await browser.open('/mfa/enroll/app'))
    const { id } = await app.user()
    await app.client.tokens.issue(app.domainId, id)

    const posted = await browser.submit('/mfa/enroll/app', { code: code() })

    expect(posted.headers['location']).toBe('/mfa')
    expect(await app.user()).toMatchObject({ hardware: '', everEnrolled: false })
  })

  inFullRun(
    'a code that an administrator issued for a device is neither shown nor withdrawn on /mfa/devices',
    async () => {
      const app = await startOwnApp()
      const { browser } = await app.withApp()
      const { id } = await app.user()
      const { code = '' } = await app.client.tokens.issue(app.domainId, id)

      const page = await browser.open('/mfa/devices')
      const offered = await browser.submit('/mfa/devices/device')
      await browser.submit('/mfa/devices/device/cancel')

      expect(page.text).toContain('Your administrator gave you an activation code for a device')
      expect(page.text.replaceAll(' ', '')).not.toContain(code)
      expect(offered.headers['location']).toBe('/mfa/devices')
      expect(await app.client.tokens.get(app.domainId, id)).toEqual({ state: 'pending', code })
    },
  )
})

describeInFullRun('recovery codes after setting up a first factor', () => {
  it('recovery codes after a first factor are offered once, shown once, and lead to the page requested first', async () => {
    const app = await startOwnApp({ recoveryCodes: true })
    const { browser } = await app.signedIn()

    const offer = await browser.open('/mfa/recovery')
    const makeAnswer = await browser.submit('/mfa/devices/codes')
    const codesPage = await browser.open('/mfa/devices/codes')
    const saved = await browser.submit('/mfa/devices/codes/done')
    const secondOffer = await browser.open('/mfa/recovery')

    expect(offer.text).toContain('Save recovery codes')
    const codes = codesOn(codesPage)
    expect(new Set(codes).size).toBe(5)
    expect([makeAnswer, saved, secondOffer].map(({ headers }) => headers['location'])).toEqual([
      '/mfa/devices/codes',
      '/account',
      '/',
    ])
    expect((await app.user()).bypasscodes).toHaveLength(5)
    expect(app.events.at(-1)).toMatchObject({ type: 'recovery_codes.made', count: 5 })
    expect(JSON.stringify(app.events) + app.kept()).not.toContain(codes[0])
  })

  it('recovery codes are also offered if the approval comes while sending again', async () => {
    const app = await startOwnApp({ recoveryCodes: true })
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await app.answer(account, 'approve', numberOn(page))

    const sendAnswer = await browser.submit('/mfa/send')

    expect(sendAnswer.headers['location']).toBe('/mfa/recovery')
    expect(await isIn(browser)).toBe(true)
  })

  it('recovery codes after a first factor can be declined, and are never offered again', async () => {
    const app = await startOwnApp({ recoveryCodes: true })
    const { browser } = await app.signedIn()

    const declined = await browser.submit('/mfa/recovery/later')

    expect(declined.headers['location']).toBe('/account')
    expect((await browser.open('/mfa/recovery')).headers['location']).toBe('/')
  })

  it('recovery codes are not offered if nothing was set up', async () => {
    const app = await startOwnApp({ recoveryCodes: true })
    const { account } = await app.signedIn()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.visit('/account')

    const done = await app.stepUp(browser, account)

    expect(done.headers['location']).toBe('/account')
  })

  it('recovery codes work once each, and never expire', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()
    const [code = ''] = codesOn(await app.makeCodes(browser))
    app.clock.skip(86_400)
    const [firstBrowser, otherBrowser] = [app.browser(), app.browser()]

    for (const each of [firstBrowser, otherBrowser]) {
      await app.signIn(each, 'alice')
      await each.visit('/account')
      await each.submit('/mfa/code', { code })
    }

    expect([await isIn(firstBrowser), await isIn(otherBrowser)]).toEqual([true, false])
  })

  it('recovery codes can be saved as a file without JavaScript, and the file contains only codes', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()
    const codes = codesOn(await app.makeCodes(browser))

    const file = await browser.submit('/mfa/devices/codes/file', { codes: codes.join(' ') })
    const misused = await browser.submit('/mfa/devices/codes/file', { codes: '<script>alert(1)</script>' })

    expect(file.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(file.headers['content-disposition']).toBe('attachment; filename="recovery-codes.txt"')
    expect(file.text.replaceAll(' ', '')).toContain(codes.join('\r\n'))
    expect(misused.status).toBe(303)
  })
})
