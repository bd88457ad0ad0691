import type { MfaUser } from '../../src/challenge/user.ts'
import { describe, expect, it } from 'vitest'

import { startOwnApp } from '../express/own-factors.ts'
import { createBrowser } from '../support/browser.ts'
import { numberOn } from '../support/web-app.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'

type App = Awaited<ReturnType<typeof startOwnApp>>
type Person = Awaited<ReturnType<App['signedIn']>>

/** A person with a device, and a browser in which they are signed in to the app alone. */
async function arrange(...options: Parameters<typeof startOwnApp>) {
  const app = await startOwnApp(...options)
  const { account, browser } = await app.signedIn()
  const pending = async () => (await app.device.requests(account)).requests ?? []
  return { app, account, browser, pending }
}

/** A request waits for this browser. */
async function ask(app: App, browser = app.browser()) {
  await app.signIn(browser, 'alice')
  return { browser, page: await browser.visit('/account') }
}

describe('a request on a device', () => {
  inFullRun('all tabs, reloads and the back button of a browser share one request on the device', async () => {
    const { app, pending } = await arrange()
    const { browser, page } = await ask(app)

    const otherPages = await Promise.all(['/account', '/', '/mfa'].map((path) => browser.visit(path)))

    expect(new Set([page, ...otherPages].map((each) => numberOn(each))).size).toBe(1)
    expect(await pending()).toHaveLength(1)
  })

  it('a request replaces the older one from the same browser, whatever web session that had', async () => {
    const { app, account, pending } = await arrange()
    const { browser } = await ask(app)
    const [firstRequest] = await pending()
    // The browser has lost its web session, and keeps its other cookies.
    const laterBrowser = createBrowser(
      app.url,
      new Map(browser.cookiesAt(app.url).flatMap(({ name, value }) => (name === 'connect.sid' ? [] : [[name, value]]))),
    )
    const { page } = await ask(app, laterBrowser)

    const requests = await pending()
    expect(requests).toHaveLength(1)
    expect(requests[0]?.id).not.toBe(firstRequest?.id)
    await app.answer(account, 'approve', numberOn(page))
    await laterBrowser.submit('/mfa/complete')
    expect((await laterBrowser.fetch('/account')).body.verified).toBe(true)
  })

  it('a request stays beside that of another browser, and a wrong number ends its own one alone', async () => {
    const { app, account, pending } = await arrange()
    const first = await ask(app)
    const second = await ask(app)
    const [newer, older] = await pending()
    expect(newer?.id).not.toBe(older?.id)

    // The number of the other request is a wrong one, and opens nothing.
    const answer = await app.device.answer(account, newer!, { decision: 'approve', number: numberOn(first.page) })
    await Promise.all([first, second].map(({ browser }) => browser.submit('/mfa/complete')))

    expect(answer).toMatchObject({ state: 'denied', reason: 'wrong_number' })
    expect((await pending()).map(({ id }) => id)).toEqual([older?.id])
    expect((await second.browser.fetch('/account')).body.verified).not.toBe(true)
  })

  it('a request on a device is canceled when another challenge takes its place', async () => {
    const { app, browser, account, pending } = await arrange()
    await app.clock.advance(301)
    await browser.visit('/danger')
    const [stepUp] = await pending()

    await browser.open('/mfa/devices/app')
    await expect.poll(pending).toEqual([])

    expect(stepUp).toBeDefined()
    await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/mfa/devices/app')
  })

  it.each([
    ['at the way out that mfa() knows', { logoutPath: '/logout' }],
    ['by Passport', { public: ['/logout'] }],
  ])('a request on a device is canceled when the user signs out: %s', async (_how, mfa) => {
    const { app, pending } = await arrange(mfa)
    const { browser } = await ask(app)

    await browser.open('/logout')

    await expect.poll(pending).toEqual([])
  })

  inFullRun.each([
    ['req.mfa.forget() was called', '/forget'],
    ['the user resolver says nobody', '/leave'],
    ['somebody else signs in', '/become/bob'],
  ])('a request on a device is canceled once %s', async (_when, path) => {
    const app = await startOwnApp(
      {
        user: ({ session }) => (session as { person?: MfaUser }).person ?? null,
        public: ['/forget', '/leave', '/become/*'],
      },
      {},
      undefined,
      (web) => {
        web.post('/become/:username', (req, res) => {
          Object.assign(req.session, { person: { username: req.params.username, email: 'person@example.com' } })
          res.sendStatus(204)
        })
        web.post('/forget', (req, res, next) => void req.mfa?.forget().then(() => res.sendStatus(204), next))
        web.post('/leave', (req, res) => {
          Object.assign(req.session, { person: null })
          res.sendStatus(204)
        })
      },
    )
    const browser = app.browser()
    await browser.submit('/become/alice')
    const account = await app.activate(await browser.visit('/account'))
    await browser.visit('/mfa')
    const pending = async () => (await app.device.requests(account)).requests
    expect(await pending()).toHaveLength(1)

    await browser.submit(path)
    await browser.open('/')

    await expect.poll(pending).toEqual([])
  })

  it('a request on a device is canceled when somebody signs in to the app again', async () => {
    const app = await startOwnApp({ public: ['/again'] }, {}, undefined, (web) => {
      web.post('/again', (req, res, next) =>
        req.logIn({ username: 'bob' }, (error) => (error ? next(error) : res.sendStatus(204))),
      )
    })
    const { account } = await app.signedIn()
    const { browser } = await ask(app)
    const pending = async () => (await app.device.requests(account)).requests

    await browser.submit('/again')

    await expect.poll(pending).toEqual([])
  })

  inFullRun('an open request does not keep a user signed in while the service does not respond', async () => {
    const { app } = await arrange()
    const { browser } = await ask(app)
    await app.service.close()

    const signOutAnswer = await browser.open('/logout')

    expect([signOutAnswer.status, signOutAnswer.headers['location']]).toEqual([303, '/'])
  })
})

describeInFullRun('the warning of a new browser', () => {
  const warned = async (person: Person, app: App) => {
    const [request] = (await app.device.requests(person.account)).requests ?? []
    return request?.neverPassed === true
  }

  it('the warning of a new browser appears in a private window, but not where the user enrolled or passed', async () => {
    const app = await startOwnApp()
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    const person = { browser, account }
    const atEnrollment = await warned(person, app)
    await app.answer(account, 'approve', numberOn(page))
    await browser.submit('/mfa/complete')

    await browser.submit('/logout')
    await ask(app, browser)
    const warnedLater = await warned(person, app)
    await browser.submit('/logout')
    await ask(app)
    const privately = await warned(person, app)

    expect([atEnrollment, warnedLater, privately]).toEqual([false, false, true])
  })
})
