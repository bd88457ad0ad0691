import formbody from '@fastify/formbody'
import cookieSession from 'cookie-session'
import express from 'express'
import createFastify from 'fastify'
import { mfa, requireMfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import * as fastify from 'second-factor/fastify'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'

import { serializeState } from '../../src/express/session/stored-state.ts'
import { createBrowser } from '../support/browser.ts'
import { registerSessions, sessionOf } from '../support/frameworks.ts'
import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'

const kinds = ['cookie-session', '@fastify/secure-session'] as const

type Kind = (typeof kinds)[number]

/** What the app does with the web session of each request. */
type Change = (session: Record<string, unknown>, path: string) => void

interface Options {
  readonly change?: Change
  readonly mfa?: MfaOptions
}

/** An app whose web sessions are in the browser. */
async function arrange(kind: Kind, options: Options = {}) {
  const service = await startTestService()
  let clockOffset = 0
  const mfaOptions = {
    service,
    clock: { ...service.clock, now: () => service.clock.now() + clockOffset },
    user: ({ session }: { session?: unknown }) => {
      const { username } = (session ?? {}) as { username?: string }
      return username === undefined ? null : { username }
    },
    ...options.mfa,
  }
  const start = kind === 'cookie-session' ? startExpress : startFastify
  const url = await start(mfaOptions, options.change)
  onTestFinished(() => service.close())
  const device = await service.enroll('alice')
  const open = () => createBrowser(url)

  /** A user who has passed the second step. */
  async function verified() {
    const browser = open()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    await device.approve()
    await browser.submit('/mfa/complete')
    return browser
  }
  /** For the app. The service would beat once in a few seconds meanwhile. */
  const skip = (seconds: number) => void (clockOffset += seconds)
  return { service, device, verified, skip, browser: open }
}

async function startExpress(options: MfaOptions, change?: Change): Promise<string> {
  const app = express()
  app.use(cookieSession({ name: 'web', keys: ['test'] }))
  app.use((req, _res, next) => {
    change?.((req.session ?? {}) as object as Record<string, unknown>, req.path)
    next()
  })
  app.post('/login/:username', (req, res) => {
    Object.assign(req.session ?? {}, { username: req.params.username })
    res.sendStatus(204)
  })
  app.post('/logout', (req, res) => {
    Object.assign(req, { session: null })
    res.sendStatus(204)
  })
  app.use(mfa(options))
  app.get('/danger', requireMfa({ maxAge: 60 }), (_req, res) => void res.send('danger'))
  app.use((req, res) => void res.json({ verified: req.mfa?.verified !== undefined }))
  return listen(app)
}

async function startFastify(options: object, change?: Change): Promise<string> {
  const app = createFastify({ forceCloseConnections: true })
  await registerSessions(app, '@fastify/secure-session')
  await app.register(formbody)
  app.addHook('onRequest', async (request) =>
    change?.(sessionOf(request) as object as Record<string, unknown>, request.url),
  )
  app.post('/login/:username', async (request, reply) => {
    const { username } = request.params as { username: string }
    Object.assign(sessionOf(request), { username })
    return reply.code(204).send()
  })
  app.post('/logout', async (request, reply) => {
    sessionOf(request).delete?.()
    return reply.code(204).send()
  })
  await app.register(fastify.mfa, options as fastify.MfaOptions)
  app.get('/danger', { preHandler: fastify.requireMfa({ maxAge: 60 }) }, () => 'danger')
  app.all('/*', (request) => ({ verified: request.mfa?.verified !== undefined }))
  onTestFinished(() => app.close())
  return app.listen({ port: 0, host: '127.0.0.1' })
}

/** An app that stores so many bytes in the web session, for requests below this path. */
const hoard =
  (bytes: number, path = '/'): Change =>
  (session, requestedPath) => {
    if (requestedPath.startsWith(path)) session['basket'] = 'x'.repeat(bytes)
  }

describe.each(kinds)('with %s', (kind) => {
  it('with the web session in a cookie, users pass the second step as with any other web session', async () => {
    const { device, browser: start } = await arrange(kind)
    const browser = start()
    await browser.submit('/login/alice')

    expect((await browser.visit('/account')).text).toContain('Approve the sign-in')
    await device.approve()
    const done = await browser.submit('/mfa/complete')

    expect(done.headers['location']).toBe('/account')
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  it('a copied cookie that contains the web session is no longer verified once its owner ends the other sessions', async () => {
    const { verified } = await arrange(kind)
    const owner = await verified()
    const thief = owner.copy()
    const isThiefIn = (await thief.fetch('/account')).body.verified

    await owner.submit('/mfa/devices/sessions')

    const late = await thief.fetch('/account')
    expect([isThiefIn, late.status]).toEqual([true, 403])
    expect((await owner.fetch('/account')).body.verified).toBe(true)
  })

  it('a long link that grows when encoded does not keep a user from being verified', async () => {
    const { device, browser: start } = await arrange(kind)
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
    const { device, browser: start } = await arrange(kind, { change: hoard(1_500) })
    const browser = start()
    await browser.submit('/login/alice')

    await browser.visit(`/account?${'%41'.repeat(640)}`)
    await device.approve()
    const done = await browser.submit('/mfa/complete')

    expect(done.headers['location']).toBe('/')
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  it('a secret that an earlier page has shown makes room in a full cookie for the second step', async () => {
    const bytes = { 'cookie-session': 2_350, '@fastify/secure-session': 1_900 }[kind]
    const { service, device, verified } = await arrange(kind, { change: hoard(bytes, '/full') })
    const browser = await verified()
    await browser.visit('/mfa/devices/app')
    await device.approve()
    await browser.submit('/mfa/complete')
    const secretPage = await browser.open('/mfa/devices/app')
    await browser.open('/full')
    await service.clock.advance(61)

    await browser.visit('/danger')
    await device.approve()
    await browser.submit('/mfa/complete')

    expect(secretPage.text).toContain('secret=')
    expect((await browser.open('/danger')).text).toBe('danger')
  })

  it('an MFA state that does not fit beside the app’s data verifies nobody: no event says so, page and log say why', async () => {
    const events: string[] = []
    const trouble: string[] = []
    const logger = { info() {}, warn() {}, error: (text: string) => void trouble.push(text) }
    const onEvent = ({ type }: { type: string }) => void events.push(type)
    const { device, browser: start } = await arrange(kind, {
      change: hoard(3_000, '/mfa/complete'),
      mfa: { onEvent, logger },
    })
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    await device.approve()

    const done = await browser.submit('/mfa/complete')

    expect(done.status).toBe(503)
    expect(done.text).toContain('You&#39;re not signed in yet')
    expect(trouble.join()).toContain(`does not fit into the cookie of ${kind}, which may have 4096 bytes`)
    expect(events).not.toContain('challenge.passed')
    expect((await browser.fetch('/account')).body.verified).not.toBe(true)
  })

  inFullRun('a page that only reads does not sign out a user whose web session is in a cookie', async () => {
    const { device, browser: start } = await arrange(kind)
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    const status = browser.fetch('/mfa/status')
    await device.approve()

    expect((await status).body).toEqual({ change: 'settled' })
    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/account')
  })

  inFullRun('a challenge page saves the challenge that it starts in the cookie', async () => {
    const { browser: start } = await arrange(kind, { mfa: { factors: ['otp'] } })
    const browser = start()
    await browser.submit('/login/alice')

    const tokens = [await browser.open('/mfa'), await browser.open('/mfa')].map(
      ({ text }) => /name="page" value="([^"]+)"/.exec(text)?.[1],
    )

    expect(tokens[0]).toBeDefined()
    expect(tokens[1]).toBe(tokens[0])
  })

  inFullRun(
    'a page that only reads sends no older cookie, even if the app changes the web session in each request',
    async () => {
      const rolling: Change = (session) => void (session['seen'] = Math.random())
      const { device, browser: start } = await arrange(kind, { change: rolling })
      const browser = start()
      await browser.submit('/login/alice')
      await browser.visit('/account')
      const status = browser.fetch('/mfa/status')
      await device.approve()

      expect((await status).headers['set-cookie']).toBeUndefined()
      expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/account')
      expect((await browser.fetch('/account')).body.verified).toBe(true)
    },
  )

  inFullRun(
    'with the web session in a cookie, the second step of one user does not carry over to the login of another',
    async () => {
      const { verified } = await arrange(kind)
      const browser = await verified()

      await browser.submit('/login/bob')

      expect((await browser.fetch('/account')).status).toBe(403)
    },
  )
})

inFullRun('a forged cookie of cookie-session verifies nobody', async () => {
  const { service, browser: start } = await arrange('cookie-session')
  const browser = start()
  await browser.submit('/login/alice')
  const verified = { at: service.clock.now(), factor: 'push', purpose: 'sign_in', userKey: 'username:alice' } as const
  const forged = { username: 'alice', mfa: serializeState({ verified }) }
  const cookie = Buffer.from(JSON.stringify(forged)).toString('base64')

  const answer = await browser.open('/account', { cookie: `web=${cookie}; web.sig=${browser.cookie('web.sig')}` })

  expect(answer.text).not.toContain('"verified":true')
})

describe.each(kinds)('a rolled-back web session of %s', (kind) => {
  it('a rolled-back cookie does not use an approval twice', async () => {
    const { device, browser: start } = await arrange(kind)
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

  inFullRun('a rolled-back cookie gets no other number to match: a denied challenge stays denied', async () => {
    const { device, browser: start } = await arrange(kind)
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    const earlierCopy = browser.copy()
    await device.deny()
    await browser.visit('/mfa')

    expect((await earlierCopy.visit('/mfa')).text).toContain('You denied this sign-in')
    expect((await earlierCopy.fetch('/account')).status).toBe(403)
  })

  inFullRun('a rolled-back cookie gets no more push requests, because the service counts them', async () => {
    const { service, device, browser: start } = await arrange(kind)
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
    const { browser: start } = await arrange(kind)
    const browser = start()
    await browser.submit('/login/alice')
    await browser.visit('/account')
    const untried = () => browser.copy()

    for (let guess = 0; guess < 5; guess++) await untried().submit('/mfa/code', { code: '000000' })
    const rolledBack = untried()
    await rolledBack.submit('/mfa/code', { code: '000000' })

    expect((await rolledBack.open('/mfa?use=code')).text).toContain('Too many tries')
  })

  inFullRun('a rolled-back cookie does not make an old step-up fresh: the time of the pass counts', async () => {
    const { service, verified } = await arrange(kind)
    const browser = await verified()
    const earlierCopy = browser.copy()

    await service.clock.advance(60)

    expect((await earlierCopy.fetch('/danger')).status).toBe(403)
  })

  it('a cookie from before a sign-out stays valid for at most twelve hours, because nothing records that it ended', async () => {
    const { skip, verified } = await arrange(kind)
    const browser = await verified()
    const earlierCopy = browser.copy()
    await browser.submit('/logout')

    expect((await browser.fetch('/account')).body.verified).toBe(false)
    expect((await earlierCopy.fetch('/account')).body.verified).toBe(true)
    skip(43_200)
    expect((await earlierCopy.fetch('/account')).status).toBe(403)
  })
})
