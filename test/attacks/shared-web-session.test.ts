import cookieSession from 'cookie-session'
import express5 from 'express'
import express4 from 'express4'
import type { RequestHandler } from 'express'
import session from 'express-session'
import { mfa, requireMfa } from 'second-factor'
import type { MfaEvent, MfaOptions } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { numberOn } from '../support/web-app.ts'

const webSessionCookies = ['connect.sid', 'web', 'web.sig']

interface Host {
  readonly express?: typeof express5
  readonly webSession?: RequestHandler
  readonly store?: session.MemoryStore
  readonly mfa?: Partial<MfaOptions>
}

/**
 * An app whose own login keeps the id of the web session, as apps without Passport do. A request with the header `x-held` waits
 * on its way to mfa(), as over a slow connection.
 */
async function start({ express = express5, store, webSession = stored({ store }), mfa: options = {} }: Host = {}) {
  const service = await startTestService()
  const events: MfaEvent[] = []
  const released = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const app = express()
  app.use(webSession)
  app.post('/login/:username', (req, res) => {
    Object.assign(req.session ?? {}, { username: req.params.username })
    res.sendStatus(204)
  })
  app.use((req, _res, next) => {
    if (req.get('x-held') === undefined) return next()
    // The web session is loaded: what other requests store from now on, this one does not see.
    void req.session
    arrived.resolve()
    void released.promise.then(() => next())
  })
  app.get(
    '/held',
    (req, res) => void res.json({ user: (req.session as { username?: string } | null)?.username ?? null }),
  )
  app.use(
    mfa({
      service,
      clock: service.clock,
      onEvent: (event) => void events.push(event),
      user: (req) => {
        const { username } = (req.session ?? {}) as { username?: string }
        return username === undefined ? null : { username }
      },
      ...options,
    }),
  )
  app.get('/danger', requireMfa({ maxAge: 60 }), (_req, res) => void res.send('danger'))
  app.use((req, res) => {
    const { username = null } = (req.session ?? {}) as { username?: string }
    res.json({ user: username, verified: req.mfa?.verified !== undefined, remembered: req.mfa?.remembered === true })
  })
  const url = await listen(app)
  onTestFinished(() => service.close())
  const device = await service.enroll('alice')

  /** Another browser that knows the web session of this one, and nothing else. */
  function sharing(browser: Browser) {
    const cookies = webSessionCookies.map((name) => [name, browser.cookie(name)] as const)
    return createBrowser(url, new Map(cookies.flatMap(([name, value]) => (value ? [[name, value]] : []))))
  }

  /** The account holder signs in, in a browser whose web session the attacker has planted. */
  async function planted() {
    const attacker = createBrowser(url)
    await attacker.fetch('/')
    const holder = sharing(attacker)
    await holder.submit('/login/alice')
    return { attacker, holder, page: await holder.visit('/account') }
  }

  /** The account holder signs in, and the attacker notes the cookie of the web session afterwards. */
  async function noted() {
    const holder = createBrowser(url)
    await holder.submit('/login/alice')
    const page = await holder.visit('/account')
    return { attacker: sharing(holder), holder, page }
  }

  return {
    url,
    service,
    device,
    events,
    sharing,
    planted,
    noted,
    held: { headers: { 'x-held': '' }, arrived: arrived.promise, release: () => released.resolve() },
    browser: () => createBrowser(url),
  }
}

const stored = (options: Partial<session.SessionOptions> = {}) =>
  session({ secret: 'test', resave: false, saveUninitialized: true, ...options })
const inCookie = () => cookieSession({ name: 'web', keys: ['test'] })

/** The ways in which a page uses up an approval. */
const ways = {
  'a script': (browser: Browser, _page: { text: string }, headers?: Record<string, string>) =>
    browser.submit('/mfa/complete', {}, headers),
  'a reload without JavaScript': (browser: Browser, page: { text: string }, headers?: Record<string, string>) =>
    browser.open(reloadOf(page), headers),
}

const reloadOf = (page: { text: string }) => /content="\d+;url=([^"]+)"/.exec(page.text)?.[1] ?? ''

/** What an attacker tries again and again: with a binding of their own, with an invented one, and with none. */
async function poll(attacker: Browser, page: { text: string }): Promise<void> {
  const invented = { cookie: `${attacker.cookies()}; mfa-binding=${'A'.repeat(22)}` }
  await attacker.submit('/mfa/complete')
  await attacker.submit('/mfa/complete', {}, invented)
  await attacker.open(reloadOf(page))
  await attacker.open(reloadOf(page), invented)
}

const stateOf = async (browser: Browser) => (await browser.fetch('/account')).body as Record<string, unknown>
const isVerified = async (browser: Browser) => (await stateOf(browser))['verified'] === true

const hosts = [
  { host: 'express-session, Express 5', express: express5, webSession: stored },
  { host: 'express-session, Express 4', express: express4, webSession: stored },
  { host: 'cookie-session, Express 5', express: express5, webSession: inCookie },
  { host: 'cookie-session, Express 4', express: express4, webSession: inCookie },
] as const

const cases = hosts.flatMap((host) => Object.entries(ways).map(([way, complete]) => ({ ...host, way, complete })))

describe.each(cases)('an approval that is completed by $way, with $host', ({ express, webSession, complete }) => {
  const arrange = () => start({ express, webSession: webSession() })

  it.each(['planted', 'noted'] as const)(
    'an approval verifies the account holder, not an attacker with the %s web session who completes first',
    async (how) => {
      const app = await arrange()
      const { attacker, holder, page } = await app[how]()
      // Loading the page would send another request, which the device would show first.
      await attacker.submit('/mfa/complete')
      await app.device.approve()

      await poll(attacker, page)
      await complete(holder, page)

      expect(await isVerified(holder)).toBe(true)
      expect(await isVerified(attacker)).toBe(false)
    },
  )

  it('an approval verifies the account holder, not an attacker who completes while the account holder’s request is on its way', async () => {
    const app = await arrange()
    const { attacker, holder, page } = await app.noted()
    await app.device.approve()

    const completing = complete(holder, page, app.held.headers)
    await app.held.arrived
    for (let tries = 0; tries < 3; tries++) await poll(attacker, page)
    app.held.release()
    await completing

    expect(await isVerified(holder)).toBe(true)
    expect(await isVerified(attacker)).toBe(false)
  })

  inFullRun(
    'an approval verifies no attacker whose request loaded the web session before it was completed',
    async () => {
      const app = await arrange()
      const { attacker, holder, page } = await app.noted()
      await app.device.approve()

      const completing = complete(attacker, page, app.held.headers)
      await app.held.arrived
      await complete(holder, page)
      app.held.release()
      await completing
      await poll(attacker, page)

      expect(await isVerified(holder)).toBe(true)
      expect(await isVerified(attacker)).toBe(false)
    },
  )
})

describe('somebody else who shares the web session', () => {
  it('an attacker who shares the web session neither reads nor replaces the challenge, and cancels nothing', async () => {
    const app = await start()
    const { attacker, holder, page } = await app.planted()
    await attacker.submit('/mfa/cancel')
    await attacker.submit('/mfa/remember', { remember: 'yes' })

    const answers = [await attacker.visit('/mfa'), await attacker.fetch('/mfa/status?now')]
    await attacker.submit('/mfa/send')

    for (const { text } of answers) expect(text).not.toContain(reloadOf(page))
    // Two requests are open: that of the account holder, and that of the attacker.
    expect(await app.device.pending()).toHaveLength(2)
    expect(numberOn(await holder.visit('/mfa'))).toBe(numberOn(page))
  })

  inFullRun(
    'each approval counts for its own browser only, so an attacker who shares the web session is not verified',
    async () => {
      const app = await start()
      const { attacker, holder, page } = await app.planted()
      await attacker.visit('/mfa')
      // The newest request, which is the attacker's.
      await app.device.deny()
      await app.device.approve()

      await poll(attacker, page)
      await holder.submit('/mfa/complete')

      expect(await isVerified(holder)).toBe(true)
      expect(await isVerified(attacker)).toBe(false)
    },
  )

  it('an attacker who shares the web session cannot have the browser that completes remembered', async () => {
    const app = await start({ mfa: { remember: { days: 30 } } })
    const { attacker, holder } = await app.planted()
    await attacker.visit('/mfa')
    await attacker.submit('/mfa/remember', { remember: 'yes' })
    await app.device.deny()
    await app.device.approve()

    await holder.submit('/mfa/complete')

    expect(app.events.map(({ type }) => type)).toContain('challenge.passed')
    expect(app.events.map(({ type }) => type)).not.toContain('browser.remembered')
  })

  it('an attacker who shares the web session does not pass the gate as the account holder’s remembered browser', async () => {
    const app = await start({ mfa: { remember: { days: 30 } } })
    const earlierVisit = await app.noted()
    await earlierVisit.holder.submit('/mfa/remember', { remember: 'yes' })
    await app.device.approve()
    await earlierVisit.holder.submit('/mfa/complete')
    const attacker = app.browser()
    await attacker.fetch('/')
    const cookies = new Map([['mfa-browser', earlierVisit.holder.cookie('mfa-browser') ?? '']])
    const holder = createBrowser(app.url, cookies.set('connect.sid', attacker.cookie('connect.sid') ?? ''))
    await holder.submit('/login/alice')
    expect(await stateOf(holder)).toMatchObject({ remembered: true })

    const invented = { cookie: `${attacker.cookies()}; mfa-browser=${'A'.repeat(22)}` }
    const tries = [await attacker.open('/account', invented), await attacker.open('/account')]

    expect(tries.map(({ status }) => status)).toEqual([303, 303])
    expect(await stateOf(holder)).toMatchObject({ remembered: true })
  })

  it('a shared web session has at most three challenges, and an attacker costs the account holder at most one new request', async () => {
    const store = new session.MemoryStore()
    const app = await start({ store })
    const { attacker, holder } = await app.planted()

    for (let tries = 0; tries < 5; tries++) await app.sharing(attacker).open('/account')

    const [storedSession] = Object.values((store as unknown as { sessions: Record<string, string> }).sessions)
    const { challenges } = (JSON.parse(storedSession ?? '{}') as { mfa: { challenges: { binding: string }[] } }).mfa
    expect(new Set(challenges.map(({ binding }) => binding)).size).toBe(3)
    const next = await holder.visit('/account')
    await app.device.approve()
    await holder.submit('/mfa/complete')
    expect(next.text).toContain('id="number"')
    expect(await isVerified(holder)).toBe(true)
  })

  it('an attacker who opens challenges in a shared web session removes none whose request waits on the device', async () => {
    const app = await start()
    const { attacker, holder } = await app.planted()
    for (let tries = 0; tries < 5; tries++) await app.sharing(attacker).open('/account')
    await app.device.approve()

    await holder.submit('/mfa/complete')

    expect(await isVerified(holder)).toBe(true)
  })

  it('a request that loaded the web session before a challenge was opened does not remove that challenge', async () => {
    const app = await start()
    const attacker = app.browser()
    await attacker.submit('/login/alice')
    await attacker.visit('/account')
    const late = attacker.submit('/mfa/remember', { remember: 'yes' }, app.held.headers)
    await app.held.arrived
    const holder = app.sharing(attacker)
    await holder.visit('/account')
    await app.device.approve()

    app.held.release()
    await late
    await holder.submit('/mfa/complete')

    expect(await isVerified(holder)).toBe(true)
  })

  it('a request sent before the second step was passed does not get an attacker the app’s login back', async () => {
    const app = await start()
    const { attacker, holder } = await app.planted()
    await attacker.open('/account')
    const late = attacker.submit('/mfa/remember', { remember: 'yes' }, app.held.headers)
    await app.held.arrived
    await app.device.approve()
    await holder.submit('/mfa/complete')

    app.held.release()
    const answer = await late

    expect(answer.cookies).toEqual([])
    expect(await stateOf(attacker)).toMatchObject({ user: null })
    expect(await stateOf(holder)).toMatchObject({ user: 'alice', verified: true })
  })

  it('an attacker who shares the web session can end it by signing out', async () => {
    const app = await start({ mfa: { logout: (req, res) => req.session.destroy(() => res.redirect(303, '/')) } })
    const { attacker, holder } = await app.planted()

    await attacker.submit('/mfa/sign-out')

    expect((await holder.fetch('/account')).body).toMatchObject({ user: null })
    await expect.poll(() => app.device.pending()).toEqual([])
  })
})

describe('the binding cookie', () => {
  it('the binding cookie comes back before a request is sent to the device', async () => {
    const app = await start()
    const browser = app.browser()
    await browser.submit('/login/alice')
    const withoutIt = app.sharing(browser)

    const answers = [
      await withoutIt.open('/account'),
      await app.sharing(browser).submit('/mfa/send'),
      await app.sharing(browser).submit('/mfa/complete'),
    ]

    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
    expect(await app.device.pending()).toEqual([])
    expect((await withoutIt.visit('/account')).text).toContain('id="number"')
    expect(await app.device.pending()).toHaveLength(1)
  })

  inFullRun('the binding cookie costs no further redirect where the gate has sent the page', async () => {
    const app = await start()
    const browser = app.browser()
    await browser.submit('/login/alice')

    const { path } = await browser.visit('/account')

    expect(path).toBe('/mfa')
  })

  inFullRun('the binding cookie comes back in an app that stores no web session before the second step', async () => {
    const app = await start({
      webSession: stored({ saveUninitialized: false }),
      mfa: { user: (req) => ({ username: req.get('x-user') ?? '' }) },
    })
    const [browser, headers] = [app.browser(), { 'x-user': 'alice' }]

    const page = await browser.open('/mfa', headers)
    await app.device.approve()
    await browser.submit('/mfa/complete', {}, headers)

    expect(page.text).toContain('id="number"')
    expect((await browser.open('/account', headers)).body).toMatchObject({ verified: true })
  })

  it('the binding cookie is long-lived, out of the reach of scripts, and never replaced', async () => {
    const app = await start()
    const browser = app.browser()
    await browser.submit('/login/alice')
    const [firstCookies, ...laterCookies] = [
      await browser.open('/account'),
      await browser.open('/account'),
      await browser.visit('/mfa'),
      await browser.submit('/mfa/code', { code: '123456' }),
      await browser.submit('/mfa/send'),
    ].map(({ cookies }) => cookies.filter((cookie) => cookie.startsWith('mfa-binding=')))
    await browser.submit('/login/alice')
    await browser.visit('/other')

    expect(firstCookies).toEqual([
      expect.stringMatching(/^mfa-binding=[\w-]{22}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/),
    ])
    expect(laterCookies.flat()).toEqual([])
    expect(firstCookies?.[0]).toContain(browser.cookie('mfa-binding'))
  })

  it('a form of another site, which browsers send without the binding cookie, does not set one', async () => {
    const app = await start()
    const { holder, page } = await app.noted()
    const crossSite = { 'sec-fetch-site': 'cross-site', cookie: app.sharing(holder).cookies() }

    const { status, cookies } = await holder.submit('/transfer', {}, crossSite)

    expect(status).toBe(303)
    expect(cookies.join()).not.toContain('mfa-binding')
    expect(numberOn(await holder.visit('/mfa'))).toBe(numberOn(page))
  })

  it('the challenge page says that cookies are blocked where the binding cookie does not come back', async () => {
    const app = await start()
    const browser = app.browser()
    await browser.submit('/login/alice')
    const blocking = (path: string) => app.sharing(browser).open(path, { 'accept-language': 'de' })

    const direct = await blocking('/mfa?use=code')
    const sendAnswer = await createBrowser(
      app.url,
      new Map([['connect.sid', browser.cookie('connect.sid') ?? '']]),
    ).submit('/mfa/send')
    const without = await app.sharing(browser).submit('/mfa/send', {}, { accept: 'application/json' })
    const page = await app.sharing(browser).open('/mfa?bound=', { 'accept-language': 'de' })

    expect(direct.status).toBe(200)
    expect(sendAnswer.headers['location']).toBe('/mfa?bound=')
    expect(without.body).toEqual({ location: '/mfa?bound=' })
    expect(page.status).toBe(400)
    expect(page.text).toContain('Ihr Browser blockiert Cookies')
    expect(page.text).toContain('href="/mfa"')
  })

  it('a step-up tells a verified user that the binding cookie is blocked instead of redirecting forever', async () => {
    const app = await start()
    const browser = app.browser()
    await browser.submit('/login/alice')
    await browser.visit('/danger')
    await app.device.approve()
    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/danger')
    await app.service.clock.advance(60)

    const answers: { status: number; text: string }[] = []
    for (let next: string | undefined = '/danger'; next !== undefined && answers.length < 9;) {
      const answer = await browser.open(next, { cookie: app.sharing(browser).cookies() })
      answers.push(answer)
      next = answer.headers['location']
    }

    expect(answers.map(({ status }) => status)).toEqual([303, 400])
    expect(answers.at(-1)?.text).toContain('Your browser blocks cookies')
  })

  it('one warning is logged where the binding cookie does not come back and publicUrl is https', async () => {
    const warnings: string[] = []
    const logger = { info() {}, warn: (text: string) => void warnings.push(text), error() {} }
    const app = await start({ mfa: { publicUrl: 'https://app.example', logger } })
    const browser = app.browser()
    await browser.submit('/login/alice')

    for (let times = 0; times < 2; times++) await app.sharing(browser).open('/mfa?bound=')

    expect(warnings.filter((text) => text.includes('did not send the cookie mfa-binding back'))).toHaveLength(1)
  })

  inFullRun('the binding cookie is not needed for a code, which is answered in the same request', async () => {
    const app = await start()
    const browser = app.browser()
    await browser.submit('/login/alice')
    const code = await app.service.code('alice')

    await app.sharing(browser).submit('/mfa/code', { code: '000000' })
    const answer = await app.sharing(browser).submit('/mfa/code', { code })

    expect(answer.headers['location']).toBe('/')
    expect(app.events.map(({ type }) => type)).toContain('challenge.passed')
  })
})

describeInFullRun('a web session of a version before bindings', () => {
  it('a web session of a version before bindings is not verified by its approval, and starts over', async () => {
    const store = new session.MemoryStore()
    const { sessions } = store as unknown as { sessions: Record<string, string> }
    const app = await start({ store })
    const { holder, page } = await app.noted()
    await app.device.approve()
    for (const [id, text] of Object.entries(sessions)) {
      const { mfa: state, ...rest } = JSON.parse(text) as { mfa: { challenges: { binding?: string }[] } }
      const [{ binding: _none, ...challenge } = {}] = state.challenges
      sessions[id] = JSON.stringify({ ...rest, mfa: { challenge } })
    }

    await holder.submit('/mfa/complete')
    await holder.open(reloadOf(page))

    expect(await isVerified(holder)).toBe(false)
    const next = await holder.visit('/account')
    expect(reloadOf(next)).not.toBe(reloadOf(page))
    await app.device.approve()
    await holder.submit('/mfa/complete')
    expect(await isVerified(holder)).toBe(true)
  })
})

/** Session options that save and send the web session as often as they can. */
const generous = { resave: true, rolling: true, saveUninitialized: true }

describe.each([
  ['with usual web sessions', {}],
  ['with resave, rolling and saveUninitialized', generous],
])("the app's login %s", (_name, options) => {
  it('the app’s login survives three tabs that open at once at the first visit, and one reload brings them together', async () => {
    const app = await start({ webSession: stored(options) })
    const browser = app.browser()
    await browser.submit('/login/alice')

    const redirects = await Promise.all(['/a', '/b', '/c'].map((path) => browser.open(path)))
    const pages = await Promise.all(redirects.map(({ headers }) => browser.open(headers['location'] ?? '')))
    const reloaded = await Promise.all(pages.map(() => browser.open('/mfa')))

    expect(new Set(reloaded.map(numberOn)).size).toBe(1)
    expect(new Set(reloaded.map(reloadOf)).size).toBe(1)
    await app.device.approve()
    await browser.submit('/mfa/complete')
    expect(await stateOf(browser)).toMatchObject({ user: 'alice', verified: true })
  })

  it('a tab that shows another challenge than its browser has is told to load again', async () => {
    const app = await start({ webSession: stored(options) })
    const browser = app.browser()
    await browser.submit('/login/alice')
    const other = browser.copy()
    const firstPage = await other.visit('/a')
    const tab = createBrowser(app.url, new Map([['connect.sid', browser.cookie('connect.sid') ?? '']]))
    const now = await tab.visit('/b')
    const tokenOf = (page: { text: string }) => /data-token="([^"]+)"/.exec(page.text)?.[1] ?? ''

    expect((await tab.fetch(`/mfa/status?now&page=${tokenOf(firstPage)}`)).body).toEqual({ change: 'replaced' })
    expect((await tab.fetch(`/mfa/status?now&page=${tokenOf(now)}`)).body).toMatchObject({ change: 'none' })
  })

  it('the app’s login survives a navigation that is aborted while it is answered', async () => {
    const app = await start({ webSession: stored(options) })
    const browser = app.browser()
    await browser.submit('/login/alice')
    const leaving = new AbortController()
    const headers = { cookie: browser.cookies(), accept: 'text/html', 'x-held': '' }
    const aborted = fetch(`${app.url}/account`, { headers, signal: leaving.signal }).catch(() => 'aborted')
    await app.held.arrived
    leaving.abort()
    app.held.release()
    expect(await aborted).toBe('aborted')

    await browser.visit('/account')
    await app.device.approve()
    await browser.submit('/mfa/complete')

    expect(await stateOf(browser)).toMatchObject({ user: 'alice', verified: true })
  })

  it('the app’s login survives a request that is held while the second step is passed', async () => {
    const app = await start({ webSession: stored(options) })
    const { holder } = await app.noted()
    await app.device.approve()
    const late = holder.open('/held', app.held.headers)
    await app.held.arrived
    await holder.submit('/mfa/complete')

    app.held.release()

    expect((await late).body).toEqual({ user: 'alice' })
    expect(await stateOf(holder.copy())).not.toMatchObject({ user: null })
  })

  it('the app’s login survives the back button', async () => {
    const app = await start({ webSession: stored(options) })
    const { holder, page } = await app.noted()
    await app.device.approve()
    await holder.submit('/mfa/complete')

    const answers = [await holder.open('/mfa'), await holder.open(reloadOf(page)), await holder.submit('/mfa/send')]

    expect(answers.map(({ headers }) => headers['location'])).toEqual(['/account', '/account', '/account'])
    expect(await stateOf(holder)).toMatchObject({ user: 'alice', verified: true })
  })
})
