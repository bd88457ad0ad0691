import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

import type { Verified } from '../../src/challenge/challenge.ts'
import type { MfaState } from '../../src/express/session/mfa-state.ts'
import { serializeState } from '../../src/express/session/stored-state.ts'
import { createBrowser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'

type WithSession = IncomingMessage & { session?: { username?: string } }

describeInFullRun('a WebSocket', () => {
  /** An app with a WebSocket for users who have passed the second step. */
  async function startApp() {
    const service = await startTestService()
    const readWebSession = session({ secret: 'test', resave: false, saveUninitialized: false })
    const app = express()
    app.use(readWebSession)
    app.post('/login/:username', (req, res) => {
      Object.assign(req.session, { username: req.params.username })
      res.sendStatus(204)
    })
    const userOf = (req: WithSession) =>
      req.session?.username === undefined ? undefined : { username: req.session.username }
    const second = mfa({ service, clock: service.clock, user: (req) => userOf(req as WithSession) })
    app.use(second)
    app.use((_req, res) => void res.send('reached'))
    const server = createServer(app)
    const sockets = new WebSocketServer({ noServer: true })
    server.on('upgrade', (req: WithSession, socket, head) => {
      const decide = async () => {
        const upgrade = await second.verifyUpgrade(req, userOf(req))
        if (!upgrade) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
        return sockets.handleUpgrade(req, socket, head, (webSocket) => {
          const stop = upgrade.onEnd(() => webSocket.close(4403, 'mfa_required'))
          webSocket.once('close', stop)
          webSocket.send('welcome')
        })
      }
      readWebSession(req as express.Request, {} as express.Response, () => void decide())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => {
      sockets.close()
      server.closeAllConnections()
      server.close()
      await service.close()
    })
    const { port } = server.address() as AddressInfo
    const browser = createBrowser(`http://127.0.0.1:${port}`)
    /** What a page of this web session gets when it opens the WebSocket, and why that closes. */
    const open = () => {
      const cookie = browser.cookie('connect.sid')
      const headers = cookie === undefined ? {} : { cookie: `connect.sid=${cookie}` }
      const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers })
      const firstMessage = new Promise<string>((resolve) => {
        socket.once('message', (data: Buffer) => resolve(data.toString()))
        socket.once('error', (error) => resolve(error.message))
      })
      const closed = new Promise<string>((resolve) => {
        socket.once('close', (_code, reason) => resolve(reason.toString()))
      })
      return { socket, firstMessage, closed }
    }
    return { service, browser, open }
  }

  it('a WebSocket opens for verified users only, and closes when their web sessions are ended', async () => {
    const { service, browser, open } = await startApp()
    const device = await service.enroll('alice')
    const anonymous = await open().firstMessage
    await browser.submit('/login/alice')
    const unverified = await open().firstMessage
    await browser.visit('/')
    await device.approve()
    await browser.submit('/mfa/complete')

    const { firstMessage, closed } = open()
    const welcome = await firstMessage
    await service.endSessions('alice')

    expect([anonymous, unverified]).toEqual([expect.stringContaining('403'), expect.stringContaining('403')])
    expect(welcome).toBe('welcome')
    expect(await closed).toBe('mfa_required')
    expect(await open().firstMessage).toContain('403')
  })
})

/** A service, and users whose web sessions are verified. */
async function arrange() {
  const service = await startTestService()
  onTestFinished(() => service.close())
  const calls = { down: false, hangs: false, withoutStream: false, seen: [] as string[], now: 0, most: 0 }

  /** One process of the app, which has not seen any user yet. */
  function node(options: Partial<MfaOptions> = {}, version?: '1.3') {
    const logged: string[] = []
    const connect = async () => {
      const connection = await service.connect()
      return { ...connection, ...(version && { version }), fetch: watched(connection.fetch ?? fetch) }
    }
    const second = mfa({
      service: { ...service, connect },
      clock: service.clock,
      user: () => undefined,
      authenticatorUrl: 'https://mfa.example',
      logger: { info() {}, warn: (text) => void logged.push(text), error: (text) => void logged.push(text) },
      ...options,
    })
    return Object.assign(second, { logged })
  }

  function watched(send: typeof fetch): typeof fetch {
    return async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      const isStream = pathname.endsWith('/events')
      if (calls.down || (isStream && calls.withoutStream)) throw new Error('down')
      if (isStream) return send(input, init)
      if (calls.hangs) return new Promise(() => {})
      calls.seen.push(pathname)
      calls.now += 1
      calls.most = Math.max(calls.most, calls.now)
      try {
        return await send(input, init)
      } finally {
        calls.now -= 1
      }
    }
  }

  /** The upgrade request of a web session in which this user has passed. */
  async function requestBy(username = 'alice', record: Partial<Verified> = {}, state: Partial<MfaState> = {}) {
    await service.addUser(username)
    const { epoch } = await service.client.users.getByUsername(username)
    const passed = { at: service.clock.now(), factor: 'push', purpose: 'sign_in', epoch } as const
    const verified = { ...passed, userKey: `username:${username}`, ...record }
    const stored = serializeState({ verified, service: service.id, ...state })
    return { headers: {}, session: { mfa: stored } } as unknown as IncomingMessage
  }

  /** Lets the promises of events and answers continue. */
  const settled = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }

  return { service, clock: service.clock, calls, node, requestBy, settled }
}

const alice = { username: 'alice' }

describe('verifyUpgrade()', () => {
  it('verifyUpgrade() accepts a verified user whom the node has not seen, and says when and how the user passed', async () => {
    const { node, requestBy, clock } = await arrange()

    const upgrade = await node().verifyUpgrade(await requestBy(), alice)

    expect(upgrade).toMatchObject({ verified: { factor: 'push', at: clock.now() }, expiresAt: clock.now() + 43_200 })
  })

  it('verifyUpgrade() accepts no user other than the one in the verification record', async () => {
    const { node, requestBy, service } = await arrange()
    const [second, req] = [node(), await requestBy()]
    await service.addUser('bob')
    await second.verifyUpgrade(req, alice)

    const otherUsers = [{ username: 'bob' }, { serviceUserId: 'alice' }, undefined, null, false] as const
    const answers = await Promise.all(otherUsers.map((user) => second.verifyUpgrade(req, user)))

    expect(answers).toEqual(otherUsers.map(() => undefined))
  })

  it('verifyUpgrade() accepts no ended web session at its first use at a node', async () => {
    const { node, requestBy, service } = await arrange()
    const req = await requestBy()
    await service.endSessions('alice')

    expect(await node().verifyUpgrade(req, alice)).toBeUndefined()
  })

  it('verifyUpgrade() accepts no web session that ended a moment ago, even at a node without events', async () => {
    const { node, requestBy, service, calls } = await arrange()
    calls.withoutStream = true
    const [second, req] = [node(), await requestBy()]
    const upgradeBefore = await second.verifyUpgrade(req, alice)
    await service.endSessions('alice')

    expect(upgradeBefore).toBeDefined()
    expect(await second.verifyUpgrade(req, alice)).toBeUndefined()
  })

  inFullRun('verifyUpgrade() accepts no deleted user', async () => {
    const { node, requestBy, service } = await arrange()
    const req = await requestBy()
    await service.client.users.delete((await service.client.users.getByUsername('alice')).id)

    expect(await node().verifyUpgrade(req, alice)).toBeUndefined()
  })

  it.each(['1.3', undefined] as const)(
    'verifyUpgrade() accepts no user while the service is down, whatever failMode says, with version %s',
    async (version) => {
      const { node, requestBy, calls, clock } = await arrange()
      const second = node({ failMode: () => true }, version)
      const letThrough = { userKey: 'username:alice', until: clock.now() + 300 }
      const req = await requestBy('alice', version ? { epoch: undefined } : {}, { letThrough })
      const upgradeBefore = await second.verifyUpgrade(req, alice)
      calls.down = true

      const upgradeDuring = await second.verifyUpgrade(req, alice)
      const atNewNode = await node({ failMode: () => true }, version).verifyUpgrade(req, alice)

      expect(upgradeBefore).toBeDefined()
      expect([upgradeDuring, atNewNode]).toEqual([undefined, undefined])
    },
  )

  it('verifyUpgrade() accepts no user whom failMode lets pass the gate', async () => {
    const { node, requestBy, clock } = await arrange()
    const letThrough = { userKey: 'username:alice', until: clock.now() + 300 }

    const req = await requestBy('alice', {}, { verified: undefined, letThrough })

    expect(await node({ failMode: () => true }).verifyUpgrade(req, alice)).toBeUndefined()
  })

  it('verifyUpgrade() accepts no verification record of another service or domain', async () => {
    const { node, requestBy } = await arrange()

    const req = await requestBy('alice', {}, { service: 'another' })

    expect(await node().verifyUpgrade(req, alice)).toBeUndefined()
  })

  const passkeys = { publicUrl: 'https://app.example' }
  it.each<[string, Partial<MfaOptions>, Partial<Verified>]>([
    ['factors', { factors: ['otp', 'passkey'] }, { factor: 'otp' }],
    ['phishingResistant', { phishingResistant: 'prefer', ...passkeys }, { phishingResistant: 'prefer' }],
    ['unknownBrowser', { unknownBrowser: 'deny', ...passkeys }, { browser: 'kept' }],
  ])(
    'verifyUpgrade() follows the option %s of its own mfa(), beside one that accepts the verification record',
    async (_, options, enough) => {
      const { node, requestBy } = await arrange()
      const [lax, strict] = [node(), node(options)]
      const [req, betterRequest] = [await requestBy(), await requestBy('alice', enough)]

      expect(await lax.verifyUpgrade(req, alice)).toBeDefined()
      expect(await strict.verifyUpgrade(req, alice)).toBeUndefined()
      expect(await strict.verifyUpgrade(betterRequest, alice)).toBeDefined()
    },
  )

  it.each([
    ['factors', { factors: ['otp', 'passkey'] }],
    ['phishingResistant', { phishingResistant: 'require' }],
    ['unknownBrowser', { unknownBrowser: 'passkey' }],
    ['maxAge', { maxAge: 300 }],
  ] as const)('verifyUpgrade() requires what the connection needs: %s', async (_, need) => {
    const { node, requestBy, clock } = await arrange()
    const [second, req] = [node(), await requestBy()]
    const passkey = await requestBy('alice', { factor: 'passkey', at: clock.now() + 1 })
    await clock.advance(300)

    expect(await second.verifyUpgrade(req, alice)).toBeDefined()
    expect(await second.verifyUpgrade(req, alice, need)).toBeUndefined()
    expect(await second.verifyUpgrade(passkey, alice, need)).toBeDefined()
  })

  it('verifyUpgrade() does not ask the service about visitors who are not verified in any case', async () => {
    const { node, requestBy, calls, clock } = await arrange()
    const [second, req, old] = [node(), await requestBy(), await requestBy('alice', { at: clock.now() - 43_200 })]
    await second.verifyUpgrade(req, alice)
    const callCountBefore = calls.seen.length

    await second.verifyUpgrade({ headers: {}, session: {} } as unknown as IncomingMessage, alice)
    await second.verifyUpgrade(old, alice)
    await second.verifyUpgrade(req, { username: 'bob' })

    expect(calls.seen).toHaveLength(callCountBefore)
  })

  it('verifyUpgrade() never rejects its promise: it logs what is wrong and accepts no user', async () => {
    const { node, requestBy } = await arrange()
    const [second, req] = [node(), await requestBy()]

    const withoutSession = { headers: {} } as unknown as IncomingMessage
    const answers = [
      await second.verifyUpgrade(withoutSession, alice),
      await second.verifyUpgrade(withoutSession, alice),
      await second.verifyUpgrade(req, { username: 7 } as never),
      await second.verifyUpgrade(req, alice, { maxAge: 0 }),
      await second.verifyUpgrade(req, alice, { purpose: 'x', typo: true } as never),
    ]

    expect(answers).toEqual([undefined, undefined, undefined, undefined, undefined])
    expect(second.logged).toEqual([
      expect.stringContaining('verifyUpgrade() found no web session'),
      expect.stringContaining('a mistake: username'),
      expect.stringContaining('verifyUpgrade: maxAge'),
      expect.stringContaining('verifyUpgrade: "typo" is unknown'),
    ])
  })
})

describe('onEnd() of an upgrade', () => {
  async function connect({ need = {}, passed = 0 } = {}) {
    const arranged = await arrange()
    const second = arranged.node()
    const passedAt = arranged.clock.now() - passed
    const upgrade = await second.verifyUpgrade(await arranged.requestBy('alice', { at: passedAt }), alice, need)
    const ends: number[] = []
    const stop = upgrade?.onEnd(() => void ends.push(arranged.clock.now())) ?? (() => {})
    return { ...arranged, second, upgrade, ends, stop }
  }

  it('onEnd() calls back once, as soon as the service reports that the web sessions of the user have ended', async () => {
    const { service, ends, settled } = await connect()

    await service.endSessions('alice')
    await settled()
    const atOnce = ends.length
    await service.endSessions('alice')
    await service.clock.advance(120)

    expect([atOnce, ends.length]).toEqual([1, 1])
  })

  it('onEnd() calls back within a minute if the service reports nothing', async () => {
    const { service, clock, calls, node, requestBy, settled } = await arrange()
    calls.withoutStream = true
    const upgrade = await node().verifyUpgrade(await requestBy(), alice)
    const ends: string[] = []
    upgrade?.onEnd(() => void ends.push('ended'))

    await service.endSessions('alice')
    await clock.advance(60)
    await settled()

    expect(ends).toEqual(['ended'])
  })

  it.each([
    ['12 hours', { passed: 43_100 }, 100],
    ['the maxAge of the connection', { need: { maxAge: 107 } }, 107],
  ])('onEnd() calls back, to the second, when the verification is older than %s', async (_, how, secondsLeft) => {
    const { clock, upgrade, ends } = await connect(how)
    const since = clock.now()

    await clock.advance(secondsLeft + 100)

    expect(upgrade?.expiresAt).toBe(since + secondsLeft)
    expect(ends).toEqual([since + secondsLeft])
  })

  it('onEnd() calls back when the service could not be asked for as long as maxUnchecked', async () => {
    const { clock, calls, node, requestBy } = await arrange()
    calls.withoutStream = true
    const upgrade = await node({ maxUnchecked: 400 }).verifyUpgrade(await requestBy(), alice)
    const ends: number[] = []
    const since = clock.now()
    upgrade?.onEnd(() => void ends.push(clock.now() - since))
    calls.down = true

    await clock.advance(390)
    const endsBefore = [...ends]
    await clock.advance(20)

    expect([endsBefore, ends]).toEqual([[], [400]])
  })

  it('onEnd() calls back in time while the service answers no call', async () => {
    const { clock, calls, node, requestBy } = await arrange()
    calls.withoutStream = true
    const [second, ends] = [node(), [] as number[]]
    for (const username of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const upgrade = await second.verifyUpgrade(await requestBy(username), { username }, { maxAge: 101 })
      upgrade?.onEnd(() => void ends.push(clock.now()))
    }
    const since = clock.now()
    calls.hangs = true

    await clock.advance(120)

    expect(ends).toEqual(Array.from({ length: 6 }, () => since + 101))
  })

  it('onEnd() calls back if the verification has already ended, and never before onEnd() returns', async () => {
    const { upgrade, service, settled } = await connect()
    await service.endSessions('alice')
    await settled()
    const order: string[] = []

    upgrade?.onEnd(() => void order.push('called'))
    order.push('returned')
    await settled()

    expect(order).toEqual(['returned', 'called'])
  })

  it('onEnd() does not call back after it was stopped', async () => {
    const { service, clock, ends, stop, settled } = await connect()
    stop()

    await service.endSessions('alice')
    await settled()
    await clock.advance(120)

    expect(ends).toEqual([])
  })

  inFullRun.each([
    [
      'throws',
      () => {
        throw new Error('closed already')
      },
    ],
    ['is async and rejects', () => Promise.reject(new Error('closed already'))],
  ])('onEnd() calls back for other connections if one callback %s', async (_, close: () => unknown) => {
    const { upgrade, second, service, ends, settled } = await connect()
    upgrade?.onEnd(() => close() as undefined)
    const laterCalls: string[] = []
    upgrade?.onEnd(() => void laterCalls.push('called'))

    await service.endSessions('alice')
    await settled()

    expect([ends.length, laterCalls]).toEqual([1, ['called']])
    expect(second.logged).toEqual([expect.stringContaining('closed already')])
  })

  it.each([
    ['none', false, 0],
    ['one a minute for each user, and at most four at a time, where it reports nothing', true, 120],
  ])(
    'onEnd() costs no timer and no call for each connection: the calls to the service are %s',
    async (_, without, atMost) => {
      const { node, requestBy, clock, calls } = await arrange()
      calls.withoutStream = without
      const second = node()
      for (let user = 0; user < 12; user += 1) {
        const req = await requestBy(`user${user}`)
        const upgrade = await second.verifyUpgrade(req, { username: `user${user}` })
        for (let connection = 0; connection < 50; connection += 1) upgrade?.onEnd(() => {})
      }
      await clock.advance(120)
      Object.assign(calls, { seen: [], most: 0 })

      await clock.advance(600)

      expect(calls.seen.length).toBeLessThanOrEqual(atMost)
      expect(calls.most).toBeLessThanOrEqual(4)
    },
  )
})
