import type { RequestListener } from 'node:http'

import cookieSession from 'cookie-session'
import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createTestClock } from '../../src/testing/clock.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { listen } from '../support/listen.ts'
import { codesOf, secretOn } from '../express/own-factors.ts'

/** An app whose own login keeps the id of the web session, as apps without Passport do. */
async function arrange(webSession: express.RequestHandler = stored(), prefix = '') {
  const clock = createTestClock()
  const service = embedded({ database: ':memory:', clock })
  const app = express()
  app.use(webSession)
  app.post('/login/:username', (req, res) => {
    Object.assign(req.session ?? {}, { username: req.params.username })
    res.sendStatus(204)
  })
  app.use(
    mfa({
      service,
      clock,
      provision: true,
      ...(prefix !== '' && { publicUrl: `https://app.example${prefix}` }),
      user: (req) => {
        const { username } = (req.session ?? {}) as { username?: string }
        return username === undefined ? null : { username, email: 'person@example.com' }
      },
    }),
  )
  app.use((req, res) => void res.json({ user: (req.session as { username?: string }).username ?? null }))
  const url = await listen(withoutPrefix(prefix, app))
  onTestFinished(() => service.close())
  return { url, clock, browser: () => createBrowser(url) }
}

/** What a proxy does with an app that browsers see below a prefix. */
const withoutPrefix =
  (prefix: string, app: express.Express): RequestListener =>
  (req, res) => {
    req.url = req.url?.slice(prefix.length)
    app(req, res)
  }

const stored = () => session({ secret: 'test', resave: false, saveUninitialized: true })

/** Secrets that a page can show: a TOTP seed, an activation code, recovery codes. */
const secretsOn = ({ text }: { text: string }) =>
  text.match(/id="secret">[A-Z2-7 ]+|id="code">[a-z0-9 ]+|#code=\w+|secret=[A-Z2-7]+|class="code">[\d ]+/g) ?? []

async function readAll(browser: Browser): Promise<string[]> {
  const pages = [
    await browser.visit('/mfa'),
    await browser.visit('/mfa/enroll/app'),
    await browser.visit('/mfa/devices/app'),
    await browser.visit('/mfa/devices/device'),
    await browser.submit('/mfa/devices/codes'),
    await browser.visit('/mfa/devices/codes'),
  ]
  return pages.flatMap(secretsOn)
}

describe('an attacker who has planted the id of a web session', () => {
  /** The attacker's browser, and that of a victim who has signed in with its cookies. */
  async function planted() {
    const app = await arrange()
    const attacker = app.browser()
    await attacker.fetch('/')
    const victim = attacker.copy()
    await victim.submit('/login/alice')
    return { ...app, attacker, victim }
  }

  it('an attacker who planted a web session id reads no activation code, even when it is shown again', async () => {
    const { attacker, victim } = await planted()

    const pages = [await victim.visit('/'), await victim.visit('/mfa')]

    expect(pages.map((page) => secretsOn(page).length > 0)).toEqual([true, true])
    expect(await readAll(attacker)).toEqual([])
    expect((await attacker.fetch('/')).body).toEqual({ user: null })
    expect((await victim.fetch('/')).body).not.toEqual({ user: null })
  })

  it('an attacker who planted a web session id reads no seed of an authenticator app', async () => {
    const { attacker, victim, ...app } = await planted()
    const earlierBrowser = app.browser()
    await earlierBrowser.submit('/login/alice')
    await earlierBrowser.visit('/')
    // Only sent to the challenge, whose own page would show an activation code first.
    await victim.open('/')

    const secret = secretOn(await victim.open('/mfa/enroll/app'))

    expect(secret).toHaveLength(32)
    expect(await readAll(attacker)).toEqual([])
  })

  it('an attacker who planted a web session id reads nothing that is set up after the second step', async () => {
    const { attacker, victim, clock } = await planted()
    await victim.visit('/')
    const code = codesOf({ clock }, await victim.open('/mfa/enroll/app'))
    await victim.submit('/mfa/enroll/app', { code: code() })
    await clock.advance(30)
    const notedBrowser = victim.copy()
    await victim.submit('/mfa/code', { code: code() })
    // A pass for changing devices.
    await clock.advance(30)
    await victim.open('/mfa/devices/app')
    await victim.visit('/mfa?use=code')
    await victim.submit('/mfa/code', { code: code() })
    await victim.submit('/mfa/devices/device')

    const victimSecrets = await readAll(victim)

    expect(victimSecrets.length).toBeGreaterThan(5)
    expect(await readAll(attacker)).toEqual([])
    expect(await readAll(notedBrowser)).toEqual([])
  })

  it.each([
    ['express-session', stored],
    ['cookie-session', () => cookieSession({ name: 'web', keys: ['test'] })],
  ])('an attacker cannot make a user set up an app with a seed the attacker knows: %s', async (_which, webSession) => {
    const app = await arrange(webSession())
    const attacker = app.browser()
    await attacker.submit('/login/alice')
    await attacker.visit('/')
    const knownPage = await attacker.open('/mfa/enroll/app')
    const earlierBrowser = app.browser()
    await earlierBrowser.submit('/login/alice')
    await earlierBrowser.visit('/')
    await earlierBrowser.open('/mfa/enroll/app')
    const cookies = new Map(['connect.sid', 'web', 'web.sig'].map((name) => [name, attacker.cookie(name) ?? '']))
    // What the victim has begun before in this browser.
    cookies.set('mfa-setup', earlierBrowser.cookie('mfa-setup') ?? '')
    const victim = createBrowser(app.url, cookies)
    await victim.submit('/login/alice')
    await victim.open('/')

    const setupPage = await victim.open('/mfa/enroll/app')

    expect(secretOn(setupPage)).not.toBe(secretOn(knownPage))
    const posted = await victim.submit('/mfa/enroll/app', { code: codesOf(app, knownPage)() })
    expect(posted.headers['location']).toBe('/mfa/enroll/app')
    expect(secretOn(await victim.open('/mfa/enroll/app'))).toBe(secretOn(setupPage))
  })

  it.each([
    ['the plain name', (name: string) => /mfa-[a-z]+/.exec(name)![0]],
    ['the plain name and the mount', (name: string) => name.replace('__Host-', '')],
    // U+00A0 hides the prefix from browsers, and trim() removes it.
    ['a blank that is none before the name', (name: string) => `\u00A0${name}`],
  ])('below a prefix, a cookie of another host cannot make a user set up a known seed: %s', async (_which, plant) => {
    const prefix = '/portal'
    const app = await arrange(stored(), prefix)
    const attacker = app.browser()
    await attacker.submit(`${prefix}/login/alice`)
    await attacker.visit(`${prefix}/`)
    const knownPage = await attacker.open(`${prefix}/mfa/enroll/app`)
    const [, name = '', nonce = ''] =
      /^((?:__Host-)?mfa-setup[\w-]*)=([\w-]{22});/.exec(knownPage.cookies[0] ?? '') ?? []
    // Its challenge is visible only with the binding, so the attacker plants that as well.
    const binding = name.replace('mfa-setup', 'mfa-binding')
    const cookies = new Map([
      [plant(name), nonce],
      [plant(binding), attacker.cookie(binding) ?? ''],
      ['connect.sid', attacker.cookie('connect.sid') ?? ''],
    ])
    const victim = createBrowser(app.url, cookies)
    await victim.submit(`${prefix}/login/alice`)
    // Opening a page of the app begins anew, so the attacker leads the victim straight to the seed.
    const direct = await victim.open(`${prefix}/mfa/enroll/app`)
    await victim.open(`${prefix}/`)

    const setupPage = await victim.open(`${prefix}/mfa/enroll/app`)

    expect([nonce.length, attacker.cookie(binding)?.length]).toEqual([22, 22])
    expect(direct.text).not.toContain(secretOn(knownPage))
    expect(secretOn(setupPage)).not.toBe(secretOn(knownPage))
    await victim.submit(`${prefix}/mfa/enroll/app`, { code: codesOf(app, knownPage)() })
    expect(secretOn(await victim.open(`${prefix}/mfa/enroll/app`))).toBe(secretOn(setupPage))
  })
})
