import express from 'express'
import session from 'express-session'
import { isVerified, mfa, requireMfa } from 'second-factor'
import type { MfaEvent, MfaOptions } from 'second-factor'
import { describe, expect, it, onTestFinished } from 'vitest'

import { startService } from '../service/start-service.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'

/** A service over HTTP, and alice with a device and an authenticator's codes. */
async function arrange() {
  const service = await startService({}, { bypassEnabled: true })
  onTestFinished(() => service.close())
  const alice = await service.enroll('alice')
  const path = `/domains/${service.domain.id}/users/${alice.user.id}`

  async function approve() {
    const [request] = await alice.pending()
    await alice.device.answer(request!.id, { nonce: request!.nonce, decision: 'approve' })
  }

  async function report() {
    await service.call('POST', `/domains/${service.domain.id}/sessions`, { body: { user: { id: alice.user.id } } })
    const [request] = await alice.pending()
    await alice.device.answer(request!.id, { nonce: request!.nonce, decision: 'report' })
  }

  /** One process of the app: with its own mfa(). */
  async function node(options: Partial<MfaOptions> = {}, store: session.Store = new session.MemoryStore()) {
    const events: MfaEvent[] = []
    const calls: string[] = []
    const real: Connection = { baseUrl: `${service.origin}/api`, apiKey: service.apiKey, domainId: service.domain.id }
    const door = await startDoor(real.baseUrl, calls)
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: false, store }))
    app.post('/login', (req, res) => {
      Object.assign(req.session, { username: 'alice' })
      res.sendStatus(204)
    })
    app.use(
      mfa({
        service: { ...real, baseUrl: door.url },
        authenticatorUrl: 'https://mfa.example',
        clock: service.clock,
        numberMatching: false,
        recoveryCodes: false,
        user: (req) => {
          const { username } = req.session as { username?: string }
          return username === undefined ? null : { username }
        },
        onEvent: (event) => void events.push(event),
        logger: { info() {}, warn() {}, error() {} },
        ...options,
      }),
    )
    app.get('/danger', requireMfa({ maxAge: 300 }), (_req, res) => void res.json({ danger: true }))
    app.use((req, res) => void res.json({ verified: isVerified(req) }))
    const url = await listen(app)

    async function verified(): Promise<Browser> {
      const browser = createBrowser(url)
      await browser.submit('/login')
      await browser.visit('/account')
      await approve()
      await browser.submit('/mfa/complete')
      return browser
    }

    return { url, store, events, calls, door, verified, browser: () => createBrowser(url) }
  }

  const end = () => service.call('POST', `${path}/epoch`, { body: {} })
  return { ...service, alice, path, node, approve, report, end }
}

interface Connection {
  readonly baseUrl: string
  readonly apiKey: string
  readonly domainId: string
}

/** A proxy between an app and its service: counts requests, and can block a path. */
async function startDoor(target: string, calls: string[]) {
  const shut = { all: false, streams: false }
  const open = new Set<AbortController>()
  const app = express()
  app.use(express.raw({ type: () => true }))
  app.use((req, res, next) => {
    const stream = req.path.endsWith('/sessions/events')
    if (shut.all || (stream && shut.streams)) {
      req.socket.destroy()
      return
    }
    calls.push(`${req.method} ${req.path.replaceAll(/[0-9a-f]{40}/g, '*')}`)
    const abort = new AbortController()
    open.add(abort)
    res.once('close', () => {
      open.delete(abort)
      abort.abort()
    })
    const headers = Object.fromEntries(
      ['accept', 'authorization', 'content-type', 'prefer'].flatMap((name) =>
        typeof req.headers[name] === 'string' ? [[name, req.headers[name]]] : [],
      ),
    )
    const body = Buffer.isBuffer(req.body) && req.body.length > 0 ? { body: new Uint8Array(req.body) } : {}
    fetch(`${target}${req.originalUrl}`, { method: req.method, headers, signal: abort.signal, ...body })
      .then(async (answer) => {
        res.status(answer.status)
        for (const name of ['content-type', 'retry-after', 'preference-applied', 'cache-control']) {
          const value = answer.headers.get(name)
          if (value !== null) res.setHeader(name, value)
        }
        if (!answer.body) return void res.end()
        for await (const chunk of answer.body) res.write(chunk)
        return void res.end()
      })
      .catch(() => (abort.signal.aborted ? res.destroy() : next()))
  })
  const url = await listen(app)
  return {
    url,
    shut(flags: Partial<typeof shut>) {
      Object.assign(shut, flags)
      if (flags.all || flags.streams) for (const abort of open) abort.abort()
    },
  }
}

const isIn = async (browser: Browser) => (await browser.fetch('/account')).body.verified === true

/** Until an event of the service has reached the app: there is nothing else to wait for. */
async function eventually(check: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await check()) return true
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  return false
}

describe('a verified web session', () => {
  inFullRun(
    'a verified web session is checked once, and then no request asks the service while its stream is open',
    async () => {
      const { node, clock } = await arrange()
      const { verified, calls } = await node()
      const browser = await verified()
      const forSeconds = async (seconds: number) => {
        for (let second = 0; second < seconds; second += 10) {
          await clock.advance(10)
          expect(await isIn(browser)).toBe(true)
        }
      }
      // What was redeemed is believed for a minute; the first read opens the stream, the next one relies on it.
      await forSeconds(130)
      const callsBefore = calls.length

      await forSeconds(120)

      expect(calls).toContain('GET /domains/*/sessions/events')
      expect(calls.slice(callsBefore)).toEqual([])
    },
  )

  it.each(['a report', 'the button elsewhere', 'a revoked device'])(
    'a verified web session ends within a minute on every node of the app after %s',
    async (what) => {
      const { node, clock, report, end, call, path } = await arrange()
      const [firstNode, otherNode] = [await node(), await node()]
      const browsers = [await firstNode.verified(), await otherNode.verified()]
      const ways = { 'a report': report, 'the button elsewhere': end } as Record<string, () => Promise<unknown>>

      await (ways[what] ?? (() => call('DELETE', `${path}/token`)))()
      await clock.advance(60)

      expect(await Promise.all(browsers.map(isIn))).toEqual([false, false])
    },
  )

  it('a verified web session ends at once while the event stream is open', async () => {
    const { node, clock, end } = await arrange()
    const { verified } = await node()
    const browser = await verified()
    await clock.advance(61)
    await isIn(browser)
    await isIn(browser)

    await end()

    expect(await eventually(async () => !(await isIn(browser)))).toBe(true)
  })

  it('a verified web session ends within a minute without the event stream, and is checked once a minute', async () => {
    const { node, clock, end } = await arrange()
    const { verified, calls, door } = await node()
    door.shut({ streams: true })
    const browser = await verified()
    const callsBefore = calls.length
    for (let second = 0; second < 180; second += 10) {
      await clock.advance(10)
      expect(await isIn(browser)).toBe(true)
    }
    const userReads = calls.slice(callsBefore).filter((call) => call.startsWith('GET /users'))

    await end()
    await clock.advance(60)

    expect(userReads).toHaveLength(3)
    expect(await isIn(browser)).toBe(false)
  })

  it('a verified web session does not come back when its user is deleted and created again', async () => {
    const { node, clock, alice, call, domain } = await arrange()
    const { verified } = await node()
    const browser = await verified()
    await call('DELETE', `/users/${alice.user.id}`)
    const body = { username: 'alice', name: 'A', email: 'a@example.com' }
    const { json } = await call('POST', '/users', { body })
    await call('PUT', `/domains/${domain.id}/users/${json.id}`)

    await clock.advance(60)

    expect(await isIn(browser)).toBe(false)
  })

  it('a verified web session stays valid for 15 minutes while the service is unreachable, with an event, and no longer', async () => {
    const { node, clock } = await arrange()
    const { verified, events, door } = await node()
    const browser = await verified()
    await isIn(browser)
    const since = clock.now()
    door.shut({ all: true })

    await clock.advance(899)
    const verifiedBefore = await isIn(browser)
    await clock.advance(1)
    const verifiedAfter = await isIn(browser)

    expect([verifiedBefore, verifiedAfter]).toEqual([true, false])
    expect(events.filter(({ type }) => type === 'verification.unchecked')).toContainEqual(
      expect.objectContaining({ until: since + 900, userKey: 'username:alice' }),
    )
  })

  inFullRun('a verified web session stays valid for maxUnchecked, which does not change maxAge', async () => {
    const { node, clock } = await arrange()
    const { verified, door } = await node({ maxUnchecked: 400 })
    const browser = await verified()
    door.shut({ all: true })

    await clock.advance(301)
    const [dangerStatus, stillVerified] = [(await browser.fetch('/danger')).status, await isIn(browser)]
    await clock.advance(99)

    expect([dangerStatus, stillVerified, await isIn(browser)]).toEqual([403, true, false])
  })

  inFullRun(
    'a web session that was unchecked for too long is verified again as soon as the service says so',
    async () => {
      const { node, clock } = await arrange()
      const { verified, door } = await node()
      const browser = await verified()
      door.shut({ all: true })
      await clock.advance(900)
      expect(await isIn(browser)).toBe(false)

      door.shut({ all: false })
      await clock.advance(30)

      expect(await isIn(browser)).toBe(true)
    },
  )
})

describeInFullRun('a user who replaces a device', () => {
  it('a user who replaces a device stays verified; all other web sessions end once the new one is set up', async () => {
    const { node, clock, alice, approve } = await arrange()
    const { verified } = await node()
    const [ownBrowser, otherBrowser] = [await verified(), await verified()]
    // Changing devices takes a pass of its own.
    await ownBrowser.submit('/mfa/devices/device')
    await ownBrowser.visit('/mfa')
    await approve()
    await ownBrowser.submit('/mfa/complete')
    await ownBrowser.submit('/mfa/devices/device')
    const { code } = (await ownBrowser.fetch('/mfa/devices/device')).body
    await ownBrowser.fetch('/mfa/devices/device')
    await clock.advance(60)
    const verifiedBefore = [await isIn(ownBrowser), await isIn(otherBrowser)]

    await alice.device.activate(code)
    await clock.advance(60)

    expect(verifiedBefore).toEqual([true, true])
    expect([await isIn(ownBrowser), await isIn(otherBrowser)]).toEqual([true, false])
  })
})

describe('a user who ends their other sessions', () => {
  it('a user who ends other sessions stays verified; the others end, also on other nodes', async () => {
    const { node, clock } = await arrange()
    const [firstNode, otherNode] = [await node(), await node()]
    const [ownBrowser, otherBrowser] = [await firstNode.verified(), await otherNode.verified()]

    const done = await ownBrowser.submit('/mfa/devices/sessions')
    const page = await ownBrowser.visit(String(done.headers['location']))
    await clock.advance(60)

    expect(done.headers['location']).toBe('/mfa/devices?done=sessions')
    expect(page.text).toContain('Everywhere else, you&#39;ll now be asked')
    expect([await isIn(ownBrowser), await isIn(otherBrowser)]).toEqual([true, false])
    expect(firstNode.events.map(({ type }) => type)).toContain('sessions.ended')
  })

  inFullRun('a user who ends their other sessions stays verified, however often', async () => {
    const { node, clock } = await arrange()
    const { verified } = await node()
    const browser = await verified()

    for (let times = 0; times < 3; times += 1) {
      await browser.submit('/mfa/devices/sessions')
      await clock.advance(60)
      expect(await isIn(browser)).toBe(true)
    }
  })

  inFullRun('a user who ends their other sessions stays verified even after a failed change', async () => {
    const { node, clock, approve } = await arrange()
    const { verified } = await node()
    const browser = await verified()
    // Changing devices takes a pass of its own.
    await browser.submit('/mfa/devices/device')
    await browser.visit('/mfa')
    await approve()
    await browser.submit('/mfa/complete')
    await browser.submit('/mfa/devices/sessions')
    await browser.visit('/mfa/devices')

    await browser.submit('/mfa/devices/app', { code: '000000' })
    await clock.advance(60)

    expect(await isIn(browser)).toBe(true)
  })

  it('a user cannot end their other sessions from another site', async () => {
    const { node, clock } = await arrange()
    const { verified } = await node()
    const [ownBrowser, otherBrowser] = [await verified(), await verified()]

    const { status } = await ownBrowser.submit('/mfa/devices/sessions', {}, { 'sec-fetch-site': 'cross-site' })
    await clock.advance(60)

    expect([status, await isIn(otherBrowser)]).toEqual([403, true])
  })
})
