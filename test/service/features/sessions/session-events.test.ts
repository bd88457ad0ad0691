import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

import { readEvents } from '../../../../src/contract/read-events.ts'
import { answerEvents, sendEvents } from '../../../../src/service/engine/http/event-stream.ts'
import type { Follower } from '../../../../src/service/engine/waiting/follower.ts'
import { createSettledFeed } from '../../../../src/service/engine/waiting/settled-feed.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import type { StoreChange } from '../../../../src/service/engine/database/store.ts'
import { createWaiters } from '../../../../src/service/engine/waiting/waiters.ts'
import { sessionChangesOf, sessionEventKey, waiterKey } from '../../../../src/service/engine/base/waiter-key.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'
import { createTenant, read, startService, unknownId, v14 } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { inFullRun } from '../../../support/full-run.ts'

let running: Running

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

interface Caller {
  readonly apiKey: string
  readonly domain: { readonly id: string }
}

const open: AbortController[] = []
afterEach(() => {
  for (const stream of open.splice(0)) stream.abort()
})

const request = (origin: string, { apiKey, domain }: Caller, init: RequestInit = {}) => {
  const abort = new AbortController()
  open.push(abort)
  return fetch(`${origin}/api/domains/${domain.id}/sessions/events`, {
    signal: abort.signal,
    ...init,
    headers: { accept: v14, authorization: `Service key="${apiKey}"`, ...(init.headers as object) },
  })
}

/** Follows the stream: `next` returns the next id, or undefined at the end of the stream. */
async function follow(origin: string, tenant: Caller) {
  const response = await request(origin, tenant)
  const ids = idsOf(response.body!)
  // Once the first bytes arrive, no later event is missed.
  await ids.next()
  return { response, next: async () => (await ids.next()).value }
}

async function* idsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string | undefined> {
  let first = true
  for await (const events of readEvents(body)) {
    if (first) yield undefined
    first = false
    // Changed epochs of users are also reported, without an `id`.
    for (const data of events) if ('id' in JSON.parse(data)) yield (JSON.parse(data) as { id: string }).id
  }
}

describe('the event stream of a domain', () => {
  it('the event stream of a domain reports every session that settles, whatever its outcome', async () => {
    const { ask, pending, device, sessions } = await running.enroll('settles')
    const { next } = await follow(running.origin, running)
    const settledIds: (string | undefined)[] = []
    const expected: string[] = []

    const cancelled = await ask()
    await running.call('DELETE', `${sessions}/${cancelled.id}`)
    settledIds.push(await next())
    for (const decision of ['approve', 'deny', 'report']) {
      const { id } = await ask()
      const [pendingRequest] = await pending()
      await device.answer(id, { nonce: pendingRequest!.nonce, decision })
      expected.push(id)
      settledIds.push(await next())
    }
    const byCode = await ask({ otp: '000000' })
    settledIds.push(await next())
    const other = await running.enroll('settles by being deleted')
    const revoked = await other.ask()
    await running.call('DELETE', `/users/${other.user.id}`)
    settledIds.push(await next())

    expect(settledIds).toEqual([cancelled.id, ...expected, byCode.id, revoked.id])
  })

  it('the event stream of a domain ends within 5 seconds once its API key is revoked, and others go on', async () => {
    const { administration } = running.service
    const keys = async () => (await administration.apiKeys(running.organization.id)).map(({ id }) => id)
    const others = await keys()
    const apiKey = await administration.createApiKey(running.organization.id, {
      role: 'auth',
      domainId: running.domain.id,
    })
    const own = (await keys()).find((id) => !others.includes(id))
    const { ask, sessions } = await running.enroll('outlives a key')
    const [revoked, kept] = [
      await follow(running.origin, { ...running, apiKey }),
      await follow(running.origin, running),
    ]

    await administration.revokeApiKey(running.organization.id, own!)
    await running.clock.advance(5)
    const end = await revoked.next()
    const { id } = await ask()
    await running.call('DELETE', `${sessions}/${id}`)

    expect([end, await kept.next()]).toEqual([undefined, id])
  })

  inFullRun('the event stream of a domain reports an unanswered session when it expires', async () => {
    const { ask } = await running.enroll('lapses')
    const early = await ask()
    const { next } = await follow(running.origin, running)
    await running.clock.advance(5)
    const late = await ask()

    await running.clock.advance(85)
    const first = await next()
    await running.clock.advance(5)

    expect([first, await next()]).toEqual([early.id, late.id])
  })

  it('the event stream of a domain reports nothing about other domains and organizations', async () => {
    const other = await createTenant(running.service, running.origin)
    const { next } = await follow(running.origin, other)
    const { ask, sessions } = await running.enroll('elsewhere')
    const { id } = await ask()

    await running.call('DELETE', `${sessions}/${id}`)
    const user = (await other.call('POST', '/users', { body: { username: 'u', name: 'N', email: 'e@example.com' } }))
      .json
    await other.call('PUT', `/domains/${other.domain.id}/users/${user.id}`)
    const own = await other.call('POST', `/domains/${other.domain.id}/sessions`, {
      body: { user: { id: user.id }, otp: '000000' },
    })

    expect(await next()).toBe(own.json.id)
  })

  it('the event stream of a domain has headers that keep caches and proxies from delaying it', async () => {
    const { response } = await follow(running.origin, running)

    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
  })

  inFullRun(
    'the event stream sends a heartbeat every 15 seconds and a retry delay, and ends after 5 minutes',
    async () => {
      const begun = running.clock.timerSet(300)
      const response = await request(running.origin, running)
      await begun

      for (let beat = 0; beat < 20; beat++) await running.clock.advance(15)

      expect(await response.text()).toBe(`retry: 1000\n\n${':\n\n'.repeat(19)}`)
    },
  )

  it('the event stream of a domain can also be requested by its own media type', async () => {
    const response = await request(running.origin, running, { headers: { accept: 'text/event-stream' } })

    expect(response.status).toBe(200)
  })

  it('the event stream of a domain answers HEAD requests with its headers', async () => {
    const response = await request(running.origin, running, { method: 'HEAD' })

    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  })

  it.each([
    ['an unknown domain', { domain: { id: unknownId, name: '' } }, {}, 'api.error.notfound.domain'],
    ['requests without a key', { apiKey: '' }, {}, 'api.error.unauthorized'],
    ['callers of 1.3', {}, { accept: '*/*' }, 'api.error.notfound.operation'],
  ])('the event stream of a domain is not available to %s', async (_, tenant, headers, code) => {
    const response = await request(running.origin, { ...running, ...tenant }, { headers })

    expect((await read(response)).code).toBe(code)
  })

  it('the event stream of a domain ends cleanly when the service closes', async () => {
    const closing = await startService()
    const { next } = await follow(closing.origin, closing)

    await closing.close()

    expect(await next()).toBeUndefined()
  })

  it('the event stream of a domain reports sessions that another process settles', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'second-factor-events-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const database = join(folder, 'mfa.sqlite')
    const [here, there] = [await startService({ database }), await startService({ database })]
    const { next } = await follow(there.origin, { ...there, ...here })
    const { ask, sessions } = await here.enroll('shared')

    const ids: string[] = []
    const settledIds: (string | undefined)[] = []
    for (let round = 0; round < 5; round++) {
      const { id } = await ask()
      await here.call('DELETE', `${sessions}/${id}`)
      ids.push(id)
      settledIds.push(await next())
    }
    await Promise.all([here.close(), there.close()])

    expect(settledIds).toEqual(ids)
  })
})

describe('a follower of a domain', () => {
  /** A feed of a node that hears what the test says. Its followers write down what they are told. */
  async function openFeed() {
    const store = await openSqliteStore(':memory:')
    let hear: (change: StoreChange) => void = () => {}
    const waiters = createWaiters({
      watchOtherProcesses: (changed) => {
        hear = changed
        return () => {}
      },
      notifyOtherProcesses: () => {},
    })
    const clock = createTestClock()
    const silent = { info: () => {}, warn: () => {}, error: () => {} }
    const feed = createSettledFeed({ store, waiters, clock, logger: silent })
    const told: unknown[] = []
    onTestFinished(async () => {
      feed.close()
      await store.close()
    })
    const subscribe = (domainId: string) =>
      feed.follow(domainId, {
        event: (event) => void told.push({ [domainId]: event }),
        end: () => void told.push({ [domainId]: 'end' }),
      })
    return { clock, feed, told, subscribe, hear: (change: StoreChange) => hear(change) }
  }

  it('a follower of a domain is ended when events may have been missed, and can follow again after that', async () => {
    const { feed, told, subscribe, hear } = await openFeed()
    subscribe('a')

    hear('gap')
    subscribe('b')

    expect(told).toEqual([{ a: 'end' }])
    feed.close()
    expect(told).toEqual([{ a: 'end' }, { b: 'end' }])
  })

  it('a follower of a domain learns from the notification of another node which session has settled, without a read', async () => {
    const { told, subscribe, hear } = await openFeed()
    subscribe('a')
    subscribe('b')

    // The database of this node does not have the session.
    hear([waiterKey.session('s'), sessionEventKey.settled('b', 's'), waiterKey.device('d')])

    expect(told).toEqual([{ b: { id: 's' } }])
  })

  it('a session that was created and revoked at once is read, because no key says how it ended', () => {
    const keys = [sessionEventKey.pending('s', 90), waiterKey.session('s')]

    expect(sessionChangesOf(keys)).toEqual({ settled: [], expiries: [90], unknown: ['s'] })
  })

  it('the notification of another node about a new session sets the time at which this node looks for expired ones', async () => {
    const { clock, subscribe, hear } = await openFeed()
    const timers = vi.spyOn(clock, 'after')
    subscribe('a')

    hear([sessionEventKey.pending('s', clock.now() + 90)])

    expect(timers.mock.calls.map(([milliseconds]) => milliseconds)).toEqual([90_000])
  })
})

describe('an event stream', () => {
  async function serve(source: (follower: Follower<object>) => () => void) {
    const server = createServer((req, res) => answerEvents(createTestClock(), { req, res }, source))
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return (server.address() as AddressInfo).port
  }

  it('an event stream is closed when its reader stops reading', async () => {
    let hasLeft = false
    let written = 0
    const port = await serve((follower) => {
      const flood = setInterval(() => {
        for (let index = 0; index < 1000; index++) follower.event({ id: 'x'.repeat(1000) })
        written += 1000
      })
      return () => {
        hasLeft = true
        clearInterval(flood)
      }
    })

    const socket = connect(port, '127.0.0.1').pause()
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => hasLeft).toBe(true)

    expect(written).toBeLessThan(50_000)
    socket.destroy()
  })

  it('an event stream sends nothing after its end, however slowly its reader takes it', async () => {
    const clock = createTestClock()
    // As of a reader that takes nothing any more: no write is ever done.
    const stalled = new Writable({ write() {} })
    const failed = vi.fn<() => void>()
    stalled.on('error', failed)
    let follower: Follower<{ id: string }> | undefined
    sendEvents(clock, stalled, (newFollower) => ((follower = newFollower), () => {}), {
      maxDuration: 300,
      heartbeat: 15,
    })

    await clock.advance(300)
    await clock.advance(60)
    follower?.event({ id: 'late' })
    await nextTurn()

    expect(stalled.writableEnded).toBe(true)
    expect(failed).not.toHaveBeenCalled()
  })

  it('an event stream is released when its reader disconnects', async () => {
    let leave = () => {}
    const disconnected = new Promise<void>((resolve) => void (leave = resolve))
    const port = await serve(() => leave)
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')

    socket.destroy()

    await expect(disconnected).resolves.toBeUndefined()
  })
})
