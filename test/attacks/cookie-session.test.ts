import cookieSession from 'cookie-session'
import express from 'express'
import { mfa, requireMfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { serializeState } from '../../src/express/session/stored-state.ts'
import { createBrowser } from '../support/browser.ts'
import { listen } from '../support/listen.ts'

/** An app whose web sessions are in the browser. */
async function arrange(middleware: readonly express.RequestHandler[] = [], options: MfaOptions = {}) {
  const service = await startTestService()
  let clockOffset = 0
  const app = express()
  app.use(cookieSession({ name: 'web', keys: ['test'] }), ...middleware)
  app.post('/login/:username', (req, res) => {
    Object.assign(req.session ?? {}, { username: req.params.username })
    res.sendStatus(204)
  })
  app.post('/logout', (req, res) => {
    Object.assign(req, { session: null })
    res.sendStatus(204)
  })
  app.use(
    mfa({
      service,
      clock: { ...service.clock, now: () => service.clock.now() + clockOffset },
      user: (req) => {
        const { username } = (req.session ?? {}) as { username?: string }
        return username === undefined ? null : { username }
      },
      ...options,
    }),
  )
  app.get('/danger', requireMfa({ maxAge: 60 }), (_req, res) => void res.send('danger'))
  app.use((req, res) => void res.json({ verified: req.mfa?.verified !== undefined }))
  const url = await listen(app)
  onTestFinished(() => service.close())
  const device = await service.enroll('alice')
  const start = () => createBrowser(url)

  /** A user who has passed the second step. */
  async function verified() {
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    await device.approve()
    await browser.submit('/mfa/complete')
    return browser
  }
  /** For the app. The service would beat once in a few seconds meanwhile. */
  const skip = (seconds: number) => void (clockOffset += seconds)
  return { service, device, verified, skip, browser: start }
}

/** An app that stores so many bytes in the web session, for requests below this path. */
const hoard =
  (bytes: number, path = '/'): express.RequestHandler =>
  (req, _res, next) => {
    if (req.path.startsWith(path)) Object.assign(req.session ?? {}, { basket: 'x'.repeat(bytes) })
    next()
  }

describe('with cookie-session', () => {
  it('with cookie-session, users pass the second step as with any other web session', async () => {
    const { device, browser: start } = await arrange()
    const browser = start()
    await browser.submit('/login/alice')

    expect((await browser.visit('/account')).text).toContain('Approve the sign-in')
    await device.approve()
    const done = await browser.submit('/mfa/complete')

    expect(done.headers['location']).toBe('/account')
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  it('a copied cookie of cookie-session is no longer verified once its owner ends the other sessions', async () => {
    const { verified } = await arrange()
    const owner = await verified()
    const thief = owner.copy()
    const isThiefIn = (await thief.fetch('/account')).body.verified

    await owner.submit('/mfa/devices/sessions')

    const late = await thief.fetch('/account')
    expect([isThiefIn, late.status]).toEqual([true, 403])
    expect((await owner.fetch('/account')).body.verified).toBe(true)
  })

  it('a long link that grows when encoded does not keep a cookie-session user from being verified', async () => {
    const { device, browser: start } = await arrange()
    const browser = start()
    await browser.submit('/login/alice')
    const link = `/account?${'%41'.repeat(640)}`

    await browser.visit(link)
    await device.approve()
    const done = await browser.submit('/mfa/complete')

    expect(done.headers['location']).toBe(link)
    expect((await browser.fetch('/account')).body.verified).toBe(true)
    // Other tabs of the challenge: their link did not fit beside the verification record.
    expect((await browser.open('/mfa')).headers['location']).toBe('/')
  })

  it('a link that does not fit into the cookie beside the app’s data is dropped, and nothing else', async () => {
    const { device, browser: start } = await arrange([hoard(1_500)])
    const browser = start()
    await browser.submit('/login/alice')

    await browser.visit(`/account?${'%41'.repeat(640)}`)
    await device.approve()
    const done = await browser.submit('/mfa/complete')

    expect(done.headers['location']).toBe('/')
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  it('an MFA state that does not fit beside the app’s data verifies nobody: no event says so, page and log say why', async () => {
    const events: string[] = []
    const trouble: string[] = []
    const logger = { info() {}, warn() {}, error: (text: string) => void trouble.push(text) }
    const onEvent = ({ type }: { type: string }) => void events.push(type)
    const { device, browser: start } = await arrange([hoard(3_000, '/mfa/complete')], { onEvent, logger })
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    await device.approve()

    const done = await browser.submit('/mfa/complete')

    expect(done.status).toBe(503)
    expect(done.text).toContain('You&#39;re not signed in yet')
    expect(trouble.join()).toContain('does not fit into the cookie of cookie-session, which may have 4096 bytes')
    expect(events).not.toContain('challenge.passed')
    expect((await browser.fetch('/account')).body.verified).not.toBe(true)
  })

  it('a forged cookie of cookie-session verifies nobody', async () => {
    const { service, browser: start } = await arrange()
    const browser = start()
    await browser.submit('/login/alice')
    const verified = { at: service.clock.now(), factor: 'push', purpose: 'sign_in', userKey: 'username:alice' } as const
    const forged = { username: 'alice', mfa: serializeState({ verified }) }
    const cookie = Buffer.from(JSON.stringify(forged)).toString('base64')

    const answer = await browser.open('/account', { cookie: `web=${cookie}; web.sig=${browser.cookie('web.sig')}` })

    expect(answer.text).not.toContain('"verified":true')
  })

  it('a page that only reads does not sign out a user of cookie-session', async () => {
    const { device, browser: start } = await arrange()
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    const status = browser.fetch('/mfa/status')
    await device.approve()

    expect((await status).body).toEqual({ change: 'settled' })
    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/account')
  })

  it('a challenge page saves the challenge that it starts in the cookie', async () => {
    const { browser: start } = await arrange([], { factors: ['otp'] })
    const browser = start()
    await browser.submit('/login/alice')

    const tokens = [await browser.open('/mfa'), await browser.open('/mfa')].map(
      ({ text }) => /name="page" value="([^"]+)"/.exec(text)?.[1],
    )

    expect(tokens[0]).toBeDefined()
    expect(tokens[1]).toBe(tokens[0])
  })

  it('a page that only reads sends no older cookie, even if the app changes the web session in each request', async () => {
    const rolling: express.RequestHandler = (req, _res, next) => {
      Object.assign(req.session ?? {}, { seen: Math.random() })
      next()
    }
    const { device, browser: start } = await arrange([rolling])
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    const status = browser.fetch('/mfa/status')
    await device.approve()

    expect((await status).headers['set-cookie']).toBeUndefined()
    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/account')
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  it('with cookie-session, the second step of one user does not carry over to the login of another', async () => {
    const { verified } = await arrange()
    const browser = await verified()

    await browser.submit('/login/bob')

    expect((await browser.fetch('/account')).status).toBe(403)
  })
})

describe('a rolled-back cookie-session', () => {
  it('a rolled-back cookie does not use an approval twice', async () => {
    const { device, browser: start } = await arrange()
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    const earlierCopy = browser.copy()
    await device.approve()
    await browser.submit('/mfa/complete')

    await earlierCopy.submit('/mfa/complete')

    expect((await browser.fetch('/account')).body.verified).toBe(true)
    expect((await earlierCopy.fetch('/account')).status).toBe(403)
  })

  it('a rolled-back cookie gets no other number to match: a denied challenge stays denied', async () => {
    const { device, browser: start } = await arrange()
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    const earlierCopy = browser.copy()
    await device.deny()
    await browser.visit('/mfa')

    expect((await earlierCopy.visit('/mfa')).text).toContain('You denied this sign-in')
    expect((await earlierCopy.fetch('/account')).status).toBe(403)
  })

  it('a rolled-back cookie gets no more push requests, because the service counts them', async () => {
    const { service, device, browser: start } = await arrange()
    const browser = start()
    await browser.submit('/login/alice')
    await browser.open('/account')
    const unasked = () => browser.copy()

    for (let attempt = 0; attempt < 8; attempt++) {
      await unasked().open('/mfa')
      // Longer than pages that are loaded at the same moment share a request.
      await service.clock.advance(11)
      for (const _ of await device.pending()) await device.deny()
    }

    expect((await unasked().open('/mfa')).text).toContain('Wait a moment')
    expect(await device.pending()).toEqual([])
  })

  it('a rolled-back cookie gets no more tries for codes, because the service counts them', async () => {
    const { browser: start } = await arrange()
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    const untried = () => browser.copy()

    for (let guess = 0; guess < 5; guess++) await untried().submit('/mfa/code', { code: '000000' })
    const rolledBack = untried()
    await rolledBack.submit('/mfa/code', { code: '000000' })

    expect((await rolledBack.open('/mfa?use=code')).text).toContain('Too many tries')
  })

  it('a rolled-back cookie does not make an old step-up fresh: the time of the pass counts', async () => {
    const { service, verified } = await arrange()
    const browser = await verified()
    const earlierCopy = browser.copy()

    await service.clock.advance(60)

    expect((await earlierCopy.fetch('/danger')).status).toBe(403)
  })

  it('a cookie from before a sign-out stays valid for at most twelve hours, because nothing records that it ended', async () => {
    const { skip, verified } = await arrange()
    const browser = await verified()
    const earlierCopy = browser.copy()
    await browser.submit('/logout')

    expect((await browser.fetch('/account')).body.verified).toBe(false)
    expect((await earlierCopy.fetch('/account')).body.verified).toBe(true)
    skip(43_200)
    expect((await earlierCopy.fetch('/account')).status).toBe(403)
  })
})
