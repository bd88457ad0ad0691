import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import cookieSession from 'cookie-session'
import express from 'express'
import session from 'express-session'
import type { MfaOptions } from 'second-factor'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { createDebugLog, debugLimits } from '../../src/express/debug/debug-log.ts'
import { SetupError } from '../../src/service-handle.ts'
import type { Browser } from '../support/browser.ts'
import { createBrowser } from '../support/browser.ts'
import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { startWebApp } from '../support/web-app.ts'

afterEach(() => vi.unstubAllEnvs())

/** What a person reads there. */
async function read(browser: Browser): Promise<string> {
  const { status, text } = await browser.open('/mfa/debug')
  expect(status).toBe(200)
  return text
    .replace(/<head>.*?<\/head>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
}

const startDebugged = (options: Partial<MfaOptions> = {}) => startWebApp({ mfa: { debug: true, ...options } })

describe('the page for developers', () => {
  inFullRun(
    'the debug page explains the decisions before and after the second step, and lists the events',
    async () => {
      const app = await startDebugged()
      const browser = app.browser()
      await browser.open('/account?secret=hunter2')
      await app.signIn(browser, 'alice')
      await browser.open('/account')
      await browser.fetch('/api')

      const pageBefore = await read(browser)
      expect(pageBefore).toContain('User username:alice')
      expect(pageBefore).toContain(
        'Second step not passed: this user has not passed the second step in this web session.',
      )
      expect(pageBefore).toContain('Service answers, and speaks version 1.4')
      expect(pageBefore).toMatch(/GET \/api .*? 403 · username:alice .*? Stopped by the gate: this user has not passed/)
      expect(pageBefore).toMatch(
        /GET \/account .*? 303 .*? Stopped by .*? Sent to \/mfa, because a browser opens a page/,
      )
      expect(pageBefore).toMatch(/POST \/login .*? no user .*? Let through: no user is signed in/)
      expect(pageBefore).not.toContain('hunter2')

      await app.verify(browser, 'alice')
      await browser.open('/account')
      await browser.open('/danger')
      await app.clock.advance(301)
      await browser.open('/danger')

      const pageAfter = await read(browser)
      expect(pageAfter).toContain('Second step passed at')
      expect(pageAfter).toMatch(/GET \/account .*? 200 .*? Let through: this user has passed the second step/)
      expect(pageAfter).toMatch(
        /GET \/danger .*? 303 .*? requireMfa\({ maxAge: 300 }\): the second step was passed too long ago/,
      )
      expect(pageAfter).toMatch(/GET \/danger .*? 200 .*? requireMfa\({ maxAge: 300 }\): let through/)
      expect(pageAfter).toMatch(/challenge\.passed factor: push, sessionId: [\da-f]{40}/)
    },
  )

  inFullRun('the debug page works without a user, and when the option user fails', async () => {
    const app = await startDebugged()
    expect(await read(app.browser())).toContain('User no user is signed in, as the option user says')

    const user = () => ({ name: 'Alice' }) as never
    const broken = await startWebApp({ session: { saveUninitialized: true }, mfa: { debug: true, user } })
    const browser = broken.browser()
    await browser.open('/')
    await browser.open('/account')

    const text = await read(browser)
    expect(text).toMatch(/User TypeError: user\(req\) returned a user with a mistake: .* Return an object such as/)
    expect(text).toMatch(/GET \/account .* 500 .* Failed: TypeError: user\(req\) returned/)
  })

  it('the debug page shows nothing of a web session to another one, nor to the next user', async () => {
    const app = await startDebugged()
    const [alice, bob] = [app.browser(), app.browser()]
    await app.signIn(alice, 'alice')
    await alice.open('/of-alice')
    await app.signIn(bob, 'bob')
    await bob.open('/of-bob')

    expect(await read(alice)).toContain('/of-alice')
    expect(await read(alice)).not.toMatch(/bob/)
    expect(await read(bob)).not.toMatch(/alice/)
    expect(await read(app.browser())).not.toMatch(/alice|bob/)

    await alice.submit('/logout')
    expect(await read(alice)).not.toMatch(/of-alice/)
    await app.signIn(alice, 'carol')
    expect(await read(alice)).not.toMatch(/alice/)
  })

  it('the debug page shows no later requests under an earlier id of the web session, which an attacker may know', async () => {
    const app = await startDebugged()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const planted = browser.copy()
    // Shows the first secret, for which the web session gets a new id.
    await browser.visit('/account')
    await browser.open('/after')

    expect(await read(browser)).toContain('/after')
    expect(await read(planted)).not.toContain('/after')
  })

  it('the debug page discards the record when another user signs in under the same session id', async () => {
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: true }))
    app.get('/as/:name', (req, res) => {
      Object.assign(req.session, { username: req.params.name })
      res.end()
    })
    const user = (req: express.Request) => req.session as { username?: string }
    const service = embedded({ database: ':memory:' })
    onTestFinished(() => service.close())
    app.use(
      mfa({ service, debug: true, user: (req) => (user(req).username ? { username: user(req).username } : null) }),
    )
    const browser = createBrowser(await listen(app))
    await browser.open('/as/alice')
    await browser.fetch('/of-alice')
    expect(await read(browser)).toContain('/of-alice')

    await browser.open('/as/bob')
    await browser.fetch('/of-bob')

    expect(await read(browser)).toContain('/of-bob')
    expect(await read(browser)).not.toContain('alice')
  })

  it.each([
    ['express-session', () => session({ secret: 'test', resave: false, saveUninitialized: false })],
    ['cookie-session', () => cookieSession({ keys: ['test'] })],
  ])(
    'the debug page is keyed by the web session, not by a cookie, which other ports can set: %s',
    async (_which, web) => {
      const app = express()
      app.use(web())
      const service = embedded({ database: ':memory:' })
      onTestFinished(() => service.close())
      app.use(mfa({ service, debug: true, user: () => null }))
      app.use((_req, res) => void res.end())
      const url = await listen(app)
      const planted = new Map(['mfa-debug', '__Host-mfa-debug', 'mfaDebug'].map((name) => [name, 'A'.repeat(22)]))
      const [attacker, victim] = [createBrowser(url, planted), createBrowser(url, planted)]
      await attacker.open('/of-attacker')
      await attacker.open('/again')
      const { cookies } = await victim.open('/of-victim')

      expect(await read(attacker)).toContain('/of-attacker')
      expect(await read(attacker)).toContain('/again')
      expect(await read(attacker)).not.toContain('/of-victim')
      expect(await read(victim)).toContain('/of-victim')
      expect(await read(victim)).not.toContain('/of-attacker')
      expect(cookies.map((line) => line.split('=', 1)[0]).filter((name) => name?.includes('mfa'))).toEqual([])
    },
  )

  it('the debug page also tells web sessions of cookie-session apart', async () => {
    const app = express()
    app.use(cookieSession({ keys: ['test'] }))
    const service = embedded({ database: ':memory:' })
    onTestFinished(() => service.close())
    app.use(mfa({ service, debug: true, user: (req) => ({ username: String(req.headers['x-user']) }) }))
    const url = await listen(app)
    const [alice, bob] = [createBrowser(url), createBrowser(url)]
    await alice.open('/of-alice', { 'x-user': 'alice' })
    await bob.open('/of-bob', { 'x-user': 'bob' })

    expect((await alice.open('/mfa/debug', { 'x-user': 'alice' })).text).toContain('/of-alice')
    expect((await bob.open('/mfa/debug', { 'x-user': 'bob' })).text).not.toContain('alice')
  })

  it('the debug page shows the warnings about the app, each with its fix', async () => {
    const app = express()
    app.get('/admin', (_req, res) => void res.end())
    app.use(session({ secret: 'test', resave: false, saveUninitialized: true }))
    const service = { baseUrl: 'http://mfa.example/api', apiKey: 'k', domainId: 'd' }
    app.use(mfa({ service, debug: true, user: () => null, timeout: 100, accent: '#eeeeee' }))

    const text = await read(createBrowser(await listen(app)))

    expect(text).toMatch(
      /Warning: these routes come before app.use\(mfa\(\)\) and are not gated: \/admin\. Move mfa\(\)/,
    )
    expect(text).toMatch(/Warning: the service is asked over plain http.* Use https in service\.baseUrl\./)
    expect(text).toMatch(/Warning: the accent is hard to read .* choose one/)
  })

  it('the debug page is English in every language, never stored, and read-only', async () => {
    const app = await startDebugged()
    const browser = app.browser()

    const { headers, text } = await browser.open('/mfa/debug', { 'accept-language': 'ar' })

    expect(text).toContain('<html lang="en" dir="ltr">')
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-language': 'en', 'x-frame-options': 'DENY' })
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect((await browser.submit('/mfa/debug')).status).toBe(404)
  })

  it('the debug page does not exist unless debug is on, and in production mfa() rejects the option', async () => {
    for (const options of [{}, { debug: false }]) {
      const app = await startWebApp({ mfa: options })
      const browser = app.browser()
      expect((await browser.open('/mfa/debug')).status).toBe(404)
      await app.signIn(browser, 'alice')
      expect((await browser.open('/mfa/debug')).status).toBe(404)
    }
    vi.stubEnv('NODE_ENV', 'production')
    const service = { baseUrl: 'https://mfa.example/api', apiKey: 'k', domainId: 'd' }
    const start = (debug: boolean) => mfa({ service, debug, publicUrl: 'https://app.example', user: () => null })
    expect(() => start(true)).toThrow(SetupError)
    expect(() => start(true)).toThrow("write debug: process.env.NODE_ENV !== 'production'")
    expect(() => start(false)).not.toThrow()
  })
})

describe('secrets', () => {
  const secret = 'hunter2-'.repeat(8)
  const look = async (options: MfaOptions) => {
    const app = express()
    app.use(session({ secret, resave: false, saveUninitialized: true }))
    app.use(
      mfa({
        user: (req) => ({ username: 'alice', email: `${secret}@example.com`, name: String(req.headers['x-none']) }),
        debug: true,
        timeout: 2_000,
        logger: Object.assign({ info() {}, warn() {}, error() {} }, { secret }),
        messages: { en: { appName: secret } },
        appName: 'Test',
        helpUrl: `https://help.example/?key=${secret}`,
        ...options,
      }),
    )
    const browser = createBrowser(await listen(app))
    await browser.open(`/account?token=${secret}`)
    await browser.submit('/mfa/code', { code: secret })
    const page = (await browser.open('/mfa/debug')).text
    return { page, cookie: browser.cookie('connect.sid') ?? '' }
  }

  it('the debug page redacts secrets of a remote service, also in errors', async () => {
    const answers = express().use(
      (_req, res) => void res.status(401).json({ errors: [{ code: 'x', message: secret }] }),
    )
    const { host } = new URL(await listen(answers))

    const { page } = await look({
      service: { baseUrl: `http://${secret}:${secret}@${host}/api?key=${secret}`, apiKey: secret, domainId: 'd' },
      publicUrl: `http://alice:${secret}@app.example`,
      authenticatorUrl: `https://alice:${secret}@mfa.example`,
    })

    expect(page).toContain('API key •••')
    expect(page).toContain('Last requests')
    expect(page).not.toContain(secret)
  })

  it('the debug page redacts secrets of the environment', async () => {
    vi.stubEnv('MFA_BASE_URL', `https://alice:${secret}@127.0.0.1:9/api`)
    vi.stubEnv('MFA_AUTHENTICATOR_URL', 'https://mfa.example')
    vi.stubEnv('MFA_API_KEY', secret)
    vi.stubEnv('MFA_DOMAIN_ID', 'd')

    expect((await look({})).page).not.toContain(secret)
  })

  inFullRun('the debug page shows no secrets of an embedded service, of challenges or of the web session', async () => {
    const folder = mkdtempSync(join(tmpdir(), `${secret}-`))
    const keys = `k1:${Buffer.from(secret.slice(0, 32)).toString('base64')}`
    const smtp = { host: '127.0.0.1', port: 9, from: 'a@example.com', user: secret, password: secret }
    const service = embedded({ database: join(folder, 'mfa.sqlite'), keys, smtp })
    onTestFinished(async () => {
      await service.close()
      rmSync(folder, { recursive: true })
    })

    const { page, cookie } = await look({ service, provision: true })

    expect(page).not.toContain(secret)
    expect(page).not.toContain(keys.slice(3))
    expect(cookie.length).toBeGreaterThan(20)
    expect(page).not.toContain(decodeURIComponent(cookie).slice(2, 30))
  })

  it('the debug page redacts secrets of an option that is added later by default', async () => {
    const { shownOptions } = await import('../../src/express/debug/shown-options.ts')
    const { MfaOptionsSchema: schema } = await import('../../src/express/options/options.ts')
    const everything = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, secret]))
    const open = shownOptions({}, everything as never).filter(({ value }) => value.includes(secret))

    expect(open.map(({ name }) => name).toSorted()).toEqual([
      'appName',
      'authenticatorUrl',
      'factors',
      'helpUrl',
      'language',
      'logo',
      'logoutMethod',
      'logoutPath',
      'passwordUrl',
      'path',
      'phishingResistant',
      'public',
      'publicUrl',
      'returnOrigins',
      'unknownBrowser',
      'usernames',
    ])
  })
})

describe('what it keeps', () => {
  it('the record of the debug page ends when its user signs out, even where the web session stays', () => {
    const log = createDebugLog((text) => text)
    const visit = (path: string, userKey: string | undefined) => {
      const { trace, end } = log.begin('key', { at: 0, method: 'GET', path, requestId: path })
      trace.isOf(userKey)
      end(200)
      return log.read('key').requests.map((request) => request.path)
    }

    expect(visit('/login', undefined)).toEqual(['/login'])
    expect(visit('/of-alice', 'alice')).toEqual(['/login', '/of-alice'])
    expect(visit('/later', undefined)).toEqual(['/later'])
    expect(visit('/of-bob', 'bob')).toEqual(['/later', '/of-bob'])
  })

  it('the record of the debug page is bounded in number and length', () => {
    const log = createDebugLog((text) => text)
    const long = 'x'.repeat(10_000)
    for (let webSession = 0; webSession < debugLimits.webSessions + 5; webSession++) {
      // The last one fills what is kept for each of them.
      const requests = webSession < debugLimits.webSessions + 4 ? 1 : debugLimits.requests + 5
      for (let count = 0; count < requests; count++) {
        const { trace } = log.begin(`${webSession}`, { at: 0, method: 'GET', path: `/${long}`, requestId: `${count}` })
        for (let step = 0; step < debugLimits.steps + 5; step++) trace.note({ kind: 'failed', reason: long })
        trace.tell({ type: 'email.sent', at: 0, userKey: undefined, address: undefined, requestId: `${count}` })
        const logger = log.listen({ info() {}, warn() {}, error() {} })
        trace.run(() => logger.warn(long))
        logger.error(long)
      }
    }
    const debugEntries = Array.from({ length: debugLimits.webSessions + 5 }, (_, index) => log.read(`${index}`))
    const last = debugEntries.at(-1)!

    expect(debugEntries.filter(({ requests }) => requests.length > 0)).toHaveLength(debugLimits.webSessions)
    expect(last.requests).toHaveLength(debugLimits.requests)
    expect(last.requests.at(-1)).toMatchObject({ requestId: `${debugLimits.requests + 4}` })
    expect(last.events).toHaveLength(debugLimits.events)
    expect(last.lines).toHaveLength(debugLimits.lines)
    expect(log.lines).toHaveLength(debugLimits.lines)
    const texts = [
      ...last.requests.flatMap(({ path, steps }) => [path, ...steps]),
      ...log.lines.map(({ text }) => text),
    ]
    expect(Math.max(...texts.map(({ length }) => length))).toBe(debugLimits.text)
    expect(Math.max(...last.requests.map(({ steps }) => steps.length))).toBe(debugLimits.steps)
  })
})
