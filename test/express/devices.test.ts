import type { MfaUser } from '../../src/challenge/user.ts'
import { describe, expect, it } from 'vitest'

import { mainFrameworks } from '../support/frameworks.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { isIn, startOwnApp, startOwnAppOn } from './own-factors.ts'

describeInFullRun('/mfa/devices', () => {
  it('/mfa/devices shows the factors to verified users, as a page and as JSON', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()

    const page = await browser.open('/mfa/devices')
    const { body } = await browser.fetch('/mfa/devices')

    expect(page.text).toContain('Test device')
    expect(page.text).toContain('Last used 1 minute ago')
    const now = app.clock.now()
    expect(body).toEqual({
      device: { id: expect.stringMatching(/^[0-9a-f]{40}$/), name: 'Test device', createdAt: now, lastUsedAt: now },
      pending: null,
      hardware: null,
      recoveryCodes: 0,
      email: 'person@example.com',
      browsers: [],
    })
  })

  it('/mfa/devices leads unverified users through the second step first, and back', async () => {
    const app = await startOwnApp()
    const { account } = await app.withDevice()
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const firstAnswer = await browser.open('/mfa/devices')
    const script = await browser.fetch('/mfa/devices')
    const done = await app.stepUp(browser, account)

    expect([firstAnswer.headers['location'], script.status]).toEqual(['/mfa', 403])
    expect(script.text).not.toContain('Test device')
    expect(done.headers['location']).toBe('/mfa/devices')
    expect((await browser.open('/mfa/devices')).status).toBe(200)
  })

  it('/mfa/devices shows each user only their own factors', async () => {
    const app = await startOwnApp()
    await app.withDevice('alice')
    const { browser } = await app.withApp('bob')

    const { body } = await browser.fetch('/mfa/devices')

    expect(body).toMatchObject({ device: null, hardware: { selfEnrolled: true } })
  })
})

describeInFullRun('renaming the device', () => {
  inFullRun('renaming the device needs no further pass, and changes nothing else', async () => {
    const app = await startOwnApp()
    const { browser } = await app.signedIn()
    const devicesBefore = (await browser.fetch('/mfa/devices')).body

    const renamed = await browser.submit('/mfa/devices/name', { name: ' <b>Phone' })
    const page = await browser.open(renamed.headers['location'] as string)

    expect(page.text).toContain('Your device has a new name.')
    // What was done is announced with the headline, which has the focus.
    expect(page.text).toContain('<h1 tabindex="-1" autofocus aria-describedby="said">')
    expect(page.text).toContain('<bdi> &lt;b&gt;Phone</bdi>')
    const device = { ...(devicesBefore.device as { id: string }), name: ' <b>Phone' }
    expect((await browser.fetch('/mfa/devices')).body).toEqual({ ...devicesBefore, device })
    expect(app.events.at(-1)).toMatchObject({ type: 'device.renamed', id: device.id })
    expect(await isIn(browser)).toBe(true)
  })

  it.each(['', 'x'.repeat(65)])(
    'renaming the device ignores a name that is too short or too long: %j',
    async (name) => {
      const app = await startOwnApp()
      const { browser } = await app.signedIn()

      const answer = await browser.submit('/mfa/devices/name', { name })

      expect(answer.headers['location']).toBe('/mfa/devices')
      expect((await browser.fetch('/mfa/devices')).body).toMatchObject({ device: { name: 'Test device' } })
    },
  )
})

describe.each(mainFrameworks)('changing what the second step is passed with on %s', (framework) => {
  const start = startOwnAppOn(framework)

  /** With the page that follows once the second step is passed. */
  const changes: [string, Record<string, string>, string][] = [
    ['/mfa/devices/device', {}, '/mfa/devices/device'],
    ['/mfa/devices/device/cancel', {}, '/mfa/devices'],
    // A code of an app is not kept: it has to be typed again.
    ['/mfa/devices/app', { code: '000000' }, '/mfa/devices'],
    ['/mfa/devices/remove', { what: 'device' }, '/mfa/devices?done=removed'],
    ['/mfa/devices/codes', {}, '/mfa/devices/codes'],
  ]

  /** Withdrawing a code only removes what an attacker could use. */
  const withdrawal = '/mfa/devices/device/cancel'

  it.each(changes.filter(([path]) => path !== withdrawal))(
    'changing factors requires a second step not older than ten minutes: %s',
    async (path, fields, next) => {
      const app = await start()
      const { browser, account } = await app.withDevice()
      await app.addApp(browser)
      const userBefore = await app.user()
      await app.clock.advance(601)

      const stale = await browser.submit(path, fields)
      const script = await browser.submit(path, fields, { accept: 'application/json', 'sec-fetch-mode': 'cors' })
      const userAfter = await app.user()
      await browser.submit(path, fields)
      const done = await app.stepUp(browser, account)

      expect([stale.headers['location'], script.status]).toEqual(['/mfa', 403])
      expect(userAfter).toEqual(userBefore)
      expect(done.headers['location']).toBe(next)
    },
  )

  inFullRun.each(['/mfa/devices/app', '/mfa/devices/device'])(
    'a page that changes factors shows no secret after the pass has expired: %s',
    async (path) => {
      const app = await start()
      const { browser } = await app.withDevice()
      await browser.submit('/mfa/devices/device')
      await browser.open('/mfa/devices/app')
      await app.clock.advance(601)

      const stale = await browser.open(path)

      expect(stale.headers['location']).toBe('/mfa')
      expect(stale.text).toBe('')
    },
  )

  it('changing factors is rejected from another site, whatever is changed', async () => {
    const app = await start()
    const { browser } = await app.withDevice()
    await app.addApp(browser)
    const userBefore = await app.user()

    const statuses = []
    for (const [path, fields] of changes) {
      const { status } = await browser.submit(path, fields, { 'sec-fetch-site': 'cross-site' })
      statuses.push([path, status])
    }

    expect(statuses).toEqual(changes.map(([path]) => [path, 403]))
    expect(await app.user()).toEqual(userBefore)
  })

  inFullRun('changing factors works with the page’s own forms from browsers that send no headers', async () => {
    const app = await start()
    const { browser } = await app.withDevice()
    const page = await browser.open('/mfa/devices')
    const token = /name="page" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const cookie = browser.cookies()
    const send = (fields: Record<string, string>) =>
      fetch(`${app.url}/mfa/devices/codes`, {
        method: 'POST',
        headers: { cookie },
        body: new URLSearchParams(fields),
        redirect: 'manual',
      })

    const statuses = [await send({ page: 'A'.repeat(22) }), await send({}), await send({ page: token })]

    expect(token).toMatch(/^[\w-]{22}\.[\w-]{8}$/)
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 303])
  })

  inFullRun('changing factors is rejected for unverified users, whatever is changed', async () => {
    const app = await start()
    await app.withDevice()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const userBefore = await app.user()

    const destinations = []
    for (const [path, fields] of changes) {
      const { headers } = await browser.submit(path, fields)
      destinations.push([path, headers['location']])
    }

    expect(destinations).toEqual(changes.map(([path]) => [path, '/mfa']))
    expect(await app.user()).toEqual(userBefore)
  })
})

describe('replacing the device', () => {
  inFullRun(
    'the old device stays active until its replacement is set up; then it and the app are notified',
    async () => {
      const app = await startOwnApp()
      const { browser, account } = await app.withDevice()
      const old = await app.user()

      const offered = await browser.submit('/mfa/devices/device')
      const page = await browser.open(offered.headers['location'] as string)
      expect((await app.device.requests(account)).requests).toEqual([])
      const next = await app.activate(page)
      const done = await browser.open('/mfa/devices/device')

      expect(page.text).toContain('Replace your device')
      expect(done.headers['location']).toBe('/mfa/devices?done=device')
      await expect(app.device.requests(account)).rejects.toMatchObject({ code: 'api.error.device.moved' })
      expect((await app.device.requests(next)).requests).toEqual([])
      expect(await app.user()).toEqual({ ...old, epoch: expect.any(String) })
      const { body } = await browser.fetch('/mfa/devices')
      expect(app.events.at(-1)).toMatchObject({ type: 'factor.replaced', kind: 'device', id: body.device.id })
    },
  )

  inFullRun('replacing a device updates the page at once, and verifies no one', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()
    await browser.submit('/mfa/devices/device')
    const page = await browser.open('/mfa/devices/device')
    const waiting = browser.fetch('/mfa/devices/device/status')
    const stranger = app.browser()
    await app.signIn(stranger, 'alice')

    await app.activate(page)
    await app.clock.advance(1)

    expect((await waiting).body).toEqual({ change: 'activated' })
    expect(await isIn(stranger)).toBe(false)
  })

  inFullRun('a device replacement can be canceled: the code then becomes invalid', async () => {
    const app = await startOwnApp()
    const { browser, account } = await app.withDevice()
    await browser.submit('/mfa/devices/device')
    const page = await browser.open('/mfa/devices/device')

    await browser.submit('/mfa/devices/device/cancel')

    await expect(app.activate(page)).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
    expect((await app.device.requests(account)).requests).toEqual([])
    expect((await browser.open('/mfa/devices/device')).headers['location']).toBe('/mfa/devices')
  })

  inFullRun('a device replacement is shown as pending for 15 minutes, and can be withdrawn at any time', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()
    await browser.submit('/mfa/devices/device')
    const page = await browser.open('/mfa/devices/device')
    const { body } = await browser.fetch('/mfa/devices')
    await app.clock.advance(840)

    const overview = await browser.open('/mfa/devices')
    await browser.submit('/mfa/devices/device/cancel')
    const laterOverview = await browser.open('/mfa/devices')

    expect(page.text).toContain('Time left for this code: 15 minutes.')
    expect(body.pending).toEqual({ expiresAt: app.clock.now() + 60 })
    expect(overview.text).toContain('A code for a new device is waiting to be used. Time left: 60 seconds.')
    expect(overview.text).toContain('Withdraw the code')
    expect(overview.text).not.toContain('#code=')
    expect(laterOverview.text).not.toContain('waiting to be used')
    await expect(app.activate(page)).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
  })

  it('a device replacement expires after 15 minutes', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()
    await browser.submit('/mfa/devices/device')
    const page = await browser.open('/mfa/devices/device')
    await app.clock.advance(900)

    await expect(app.activate(page)).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
    expect((await browser.open('/mfa/devices')).text).not.toContain('waiting to be used')
  })

  it.each([
    ['at the way out that mfa() knows', { logoutPath: '/logout' }],
    ['by Passport', { logoutPath: undefined }],
  ])('a device replacement is invalid after signing out: %s', async (_how, mfa) => {
    const app = await startOwnApp(mfa)
    const { browser } = await app.withDevice()
    await browser.submit('/mfa/devices/device')
    const page = await browser.open('/mfa/devices/device')

    await browser.open('/logout')

    const { id } = await app.user()
    await expect.poll(() => app.client.tokens.get(app.domainId, id)).not.toHaveProperty('replacement')
    await expect(app.activate(page)).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
  })

  it.each([
    ['req.mfa.forget() was called', '/forget'],
    ['the user resolver says nobody', '/leave'],
    ['somebody else signs in', '/become/bob'],
    ['the app has destroyed the web session at its logoutPath', '/destroy'],
  ])('a device replacement is invalid once %s', async (_when, path) => {
    const app = await startOwnApp(
      { user: ({ session }) => (session as { person?: MfaUser }).person ?? null, logoutPath: '/destroy' },
      {},
      undefined,
      (web) => {
        web.post('/become/:username', (req, res) => {
          Object.assign(req.session, { person: { username: req.params.username, email: 'person@example.com' } })
          res.sendStatus(204)
        })
        web.post('/forget', (req, res, next) => void req.mfa?.forget().then(() => res.sendStatus(204), next))
        web.post('/destroy', (req, res) => req.session.destroy(() => res.sendStatus(204)))
        web.post('/leave', (req, res) => {
          Object.assign(req.session, { person: null })
          res.sendStatus(204)
        })
      },
    )
    const browser = app.browser()
    await browser.submit('/become/alice')
    const account = await app.activate(await browser.visit('/account'))
    await app.stepUp(browser, account)
    await app.passByDevice(browser, account)
    await browser.submit('/mfa/devices/device')
    const page = await browser.open('/mfa/devices/device')

    await browser.submit(path)
    await browser.open('/')

    await expect(app.activate(page)).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
  })

  it.each(['bob', 'alice'])(
    'a device replacement is invalid after a login by Passport without a sign-out before: %s',
    async (username) => {
      const app = await startOwnApp()
      const { browser } = await app.withDevice()
      await browser.submit('/mfa/devices/device')
      const page = await browser.open('/mfa/devices/device')

      await app.signIn(browser, username)

      const { id } = await app.user()
      await expect.poll(() => app.client.tokens.get(app.domainId, id)).not.toHaveProperty('replacement')
      await expect(app.activate(page)).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
    },
  )

  inFullRun('a pending device replacement does not prevent signing out while the service is unreachable', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withDevice()
    await browser.submit('/mfa/devices/device')
    await browser.open('/mfa/devices/device')
    await app.service.close()

    const signOutAnswer = await browser.open('/logout')

    expect([signOutAnswer.status, signOutAnswer.headers['location']]).toEqual([303, '/'])
    expect((await browser.fetch('/account')).body.user).toBeNull()
  })

  inFullRun('the page for replacing a device also gives users with an app their first device', async () => {
    const app = await startOwnApp()
    const { browser } = await app.withApp()

    await browser.submit('/mfa/devices/device')
    const page = await browser.open('/mfa/devices/device')
    expect(page.text).toContain('>Withdraw the code</button>')
    expect(page.text).not.toContain('Keep the old one')
    const account = await app.activate(page)
    await browser.open('/mfa/devices/device')

    expect((await app.device.requests(account)).requests).toEqual([])
    expect(app.events.at(-1)).toMatchObject({ type: 'factor.added', kind: 'device' })
  })
})

describeInFullRun.each(mainFrameworks)('an authenticator app of one’s own on %s', (framework) => {
  const start = startOwnAppOn(framework)

  it('a user’s own authenticator app is added beside the device, and replaced by another one', async () => {
    const app = await start()
    const { browser, account } = await app.withDevice()

    const firstApp = await app.addApp(browser)
    await app.clock.advance(30)
    const secondApp = await app.addApp(browser)
    await app.clock.advance(30)

    expect([firstApp.answer, secondApp.answer].map(({ headers }) => headers['location'])).toEqual(
      Array(2).fill('/mfa/devices?done=app'),
    )
    expect(
      app
        .happened()
        .filter((type) => type.startsWith('factor.'))
        .slice(1),
    ).toEqual(['factor.added', 'factor.replaced'])
    const other = app.browser()
    await app.signIn(other, 'alice')
    await other.visit('/account')
    await other.submit('/mfa/code', { code: firstApp.code() })
    expect(await isIn(other)).toBe(false)
    await other.submit('/mfa/code', { code: secondApp.code() })
    expect(await isIn(other)).toBe(true)
    expect((await app.device.requests(account)).requests).toEqual([])
  })

  it('an authenticator app does not replace an administrator’s hardware token, which can only be reported lost', async () => {
    const app = await start()
    const { browser } = await app.withDevice()
    const { id } = await app.user()
    const token = await app.client.hardware.create({
      alias: 'Key ring',
      serialNumber: 'S-1',
      type: 'TOTP6',
      timeStep: 30,
      seed: '31'.repeat(20),
    })
    await app.client.hardware.assign(id, token.id)

    const page = await browser.open('/mfa/devices')
    const add = await browser.open('/mfa/devices/app')
    const lost = await browser.submit('/mfa/devices/remove', { what: 'hardware' })

    expect(page.text).toContain('Key ring')
    expect(page.text).not.toContain('/mfa/devices/app')
    expect(add.headers['location']).toBe('/mfa/devices')
    expect(lost.headers['location']).toBe('/mfa/devices?done=removed')
    expect((await app.client.hardware.get(token.id)).user).toBe('')
    expect(app.events.at(-1)).toMatchObject({ type: 'factor.removed', kind: 'hardware', id: token.id })
  })
})

describe.each(mainFrameworks)('removing on %s', (framework) => {
  const start = startOwnAppOn(framework)

  inFullRun('removing a device keeps the authenticator app, and the device can answer no request', async () => {
    const app = await start()
    const { browser, account } = await app.withDevice()
    await app.addApp(browser)

    await browser.submit('/mfa/devices/remove', { what: 'device' })

    await expect(app.device.requests(account)).rejects.toMatchObject({ code: 'api.error.device.revoked' })
    expect((await app.user()).factors).toEqual(['otp'])
    expect(app.events.at(-1)).toMatchObject({ type: 'factor.removed', kind: 'device' })
  })

  it.each([
    ['device', 'withDevice'],
    ['hardware', 'withApp'],
  ] as const)('removing the last factor is refused, with the reason: %s', async (what, arrange) => {
    const app = await start()
    const { browser } = await app[arrange]()
    await browser.submit('/mfa/devices/codes')
    const userBefore = await app.user()

    const answer = await browser.submit('/mfa/devices/remove', { what })

    expect(answer.status).toBe(409)
    expect(answer.text).toContain('This is your only one')
    expect(await app.user()).toEqual(userBefore)
  })

  inFullRun('removing a factor that does not exist changes nothing', async () => {
    const app = await start()
    const { browser } = await app.withDevice()

    for (const what of ['hardware', 'user', '', '__proto__']) await browser.submit('/mfa/devices/remove', { what })

    expect((await app.user()).factors).toEqual(['push', 'otp'])
  })
})

describeInFullRun.each(mainFrameworks)('new recovery codes on %s', (framework) => {
  const start = startOwnAppOn(framework)

  it('new recovery codes invalidate the old ones', async () => {
    const app = await start()
    const { browser } = await app.withDevice()
    await browser.submit('/mfa/devices/codes')
    const { bypasscodes: old } = await app.user()

    await browser.submit('/mfa/devices/codes', { again: 'yes' })

    const { bypasscodes: now } = await app.user()
    expect(now).toHaveLength(5)
    expect(now.filter((id) => old.includes(id))).toEqual([])
  })

  it('new recovery codes are returned to scripts as well', async () => {
    const app = await start()
    const { browser } = await app.withDevice()

    const { body } = await browser.submit('/mfa/devices/codes', {}, { accept: 'application/json' })

    expect(body.codes).toHaveLength(5)
  })
})

describeInFullRun('a user with a bypass code who never had a factor', () => {
  it('a user with a bypass code who never had a factor sets up a device only after using the code', async () => {
    const app = await startOwnApp()
    const user = await app.client.users.create({ username: 'alice', name: 'Alice', email: 'person@example.com' })
    await app.client.domains.addUser(app.domainId, user.id)
    const { code = '' } = await app.client.bypassCodes.create(user.id, { usesAllowed: 2, expirationTime: 60 })
    const { browser, page } = await app.newcomer()

    await browser.submit('/mfa/code', { code })
    await app.passByCode(browser, code)
    await browser.submit('/mfa/devices/device')
    const account = await app.activate(await browser.open('/mfa/devices/device'))

    expect(page.text).toContain('Enter a code')
    expect(page.text).not.toContain('#code=')
    expect((await app.device.requests(account)).requests).toEqual([])
  })
})
