import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { createClient } from '../../src/client/client.ts'
import { resolveClientOptions } from '../../src/client/options.ts'
import type { SettledWait } from '../../src/client/settled-stream.ts'
import { waitForSession } from '../../src/client/wait.ts'
import type { WaitContext } from '../../src/client/wait.ts'
import { readEvents } from '../../src/contract/read-events.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { inFullRun } from '../support/full-run.ts'
import { waitTimeout } from '../support/wait-timeout.ts'

let running: Running
let people = 0

beforeAll(async () => {
  running = await startService()
})
afterAll(() => running.close())

type Fetch = typeof fetch
const addressOf = (input: Parameters<Fetch>[0]) => (input instanceof Request ? input.url : input.toString())
const isStream = (input: Parameters<Fetch>[0]) => addressOf(input).endsWith('/events')

const untilTimeout = { interval: 1, timeout: waitTimeout }

/** A client whose clock stands still, so that no timer makes it read. */
function connect({ origin, apiKey, domain }: Running = running, intercept: Fetch = fetch) {
  const clock = createTestClock()
  const urls: string[] = []
  const counting: Fetch = (input, init) => {
    urls.push(addressOf(input))
    return intercept(input, init)
  }
  const client = createClient({ baseUrl: `${origin}/api`, apiKey, clock, fetch: counting })
  const wait = (id: string, options?: { timeout?: number; signal?: AbortSignal }) =>
    client.sessions.wait(domain.id, id, options)
  const countOf = (path: string) => urls.filter((url) => url.endsWith(path)).length
  /** Resolves when the client has requested this path. */
  const requested = (path: string) => vi.waitUntil(() => countOf(path) > 0, untilTimeout)
  /** Lets time pass until the wait is over. */
  const overTime = async (waiting: Promise<Session>, seconds: number) => {
    let session: Session | undefined
    void waiting.then((answer) => (session = answer))
    await vi.waitUntil(() => clock.advance(seconds).then(() => session), untilTimeout)
    return session?.state
  }
  const whenSettled = (id: string) => client.sessions.whenSettled(domain.id, id)
  return { clock, wait, whenSettled, countOf, requested, overTime }
}

/** Each of another user, so that none is asked too often. */
async function newSession(): Promise<string> {
  people += 1
  const { ask } = await running.enroll(`person ${people}`)
  return (await ask()).id
}

const cancel = (id: string) => running.call('DELETE', `/domains/${running.domain.id}/sessions/${id}`)

describe('waiting for a session', () => {
  it('the client holds one connection for all callers that wait for a session', async () => {
    const { wait, countOf, requested } = connect()
    const sessions = await Promise.all(Array.from({ length: 30 }, newSession))
    const answers = sessions.map((id) => wait(id))
    for (const id of sessions) await requested(id)

    for (const id of sessions) await cancel(id)
    const settled = await Promise.all(answers)

    expect(new Set(settled.map(({ state }) => state))).toEqual(new Set(['cancelled']))
    expect([countOf('/events'), ...new Set(sessions.map((id) => countOf(id)))]).toEqual([1, 2])
  })

  it('the client does not read a session that the stream reported, when only the end matters', async () => {
    const { whenSettled, countOf, requested } = connect()
    const id = await newSession()
    const settled = whenSettled(id)
    await requested(id)

    await cancel(id)
    await settled

    expect(countOf(id)).toBe(1)
  })

  inFullRun('waiting for a session misses no event, whenever the session settles', { timeout: 120_000 }, async () => {
    const { wait } = connect()

    for (let round = 0; round < 40; round++) {
      const id = await newSession()
      const answer = wait(id)
      for (let turn = 0; turn < round % 20; turn++) await new Promise((resolve) => void setImmediate(resolve))
      await cancel(id)

      expect((await answer).state).toBe('cancelled')
    }
  })

  inFullRun('waiting for a session reads again and reconnects when the stream is lost', async () => {
    let lose = () => {}
    let reconnection = Promise.resolve()
    const { wait, countOf, requested } = connect(running, async (input, init) => {
      if (!isStream(input)) return fetch(input, init)
      await reconnection
      const abort = new AbortController()
      lose = () => abort.abort()
      return fetch(input, { ...init, signal: abort.signal })
    })
    const [first, second] = [await newSession(), await newSession()]
    const answers = [wait(first), wait(second)]
    await requested(first)
    await requested(second)

    let reconnect = () => {}
    reconnection = new Promise((resolve) => void (reconnect = resolve))
    lose()
    // While there is no stream.
    await cancel(first)
    reconnect()
    const early = await answers[0]
    await cancel(second)

    expect([early?.state, (await answers[1])?.state]).toEqual(['cancelled', 'cancelled'])
    expect(countOf('/events')).toBeLessThanOrEqual(2)
  })

  inFullRun.each<[string, (real: () => Promise<Response>) => Promise<Response>]>([
    ['does not exist', () => Promise.resolve(new Response('{}', { status: 404 }))],
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    [
      'is not an event stream',
      () => Promise.resolve(new Response('<html></html>', { headers: { 'content-type': 'text/html' } })),
    ],
    ['ends at once', () => Promise.resolve(new Response('', { headers: { 'content-type': 'text/event-stream' } }))],
    [
      'ends after its first bytes',
      () => Promise.resolve(new Response('retry: 1\n\n', { headers: { 'content-type': 'text/event-stream' } })),
    ],
  ])('waiting for a session uses held reads when the stream %s', async (_, answer) => {
    const { wait, countOf, requested } = connect(running, (input, init) =>
      isStream(input) ? answer(() => fetch(input, init)) : fetch(input, init),
    )
    const id = await newSession()
    const begun = running.clock.timerSet(25)
    const waiting = wait(id)
    await requested('/events')
    await begun

    await cancel(id)

    expect((await waiting).state).toBe('cancelled')
    expect(countOf('/events')).toBe(1)
  })

  it('waiting for a session uses held reads when a proxy buffers the stream', async () => {
    const { clock, wait, requested } = connect(running, (input, init) =>
      isStream(input)
        ? new Promise<Response>((_, reject) =>
            init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
          )
        : fetch(input, init),
    )
    const id = await newSession()
    const begun = running.clock.timerSet(25)
    const waiting = wait(id)
    await requested('/events')
    await clock.advance(3)
    await begun

    await cancel(id)

    expect((await waiting).state).toBe('cancelled')
  })

  inFullRun('waiting for a session returns the pending session when the timeout is over', async () => {
    const { wait, requested, overTime } = connect()
    const id = await newSession()
    const waiting = wait(id, { timeout: 5_000 })
    await requested(id)

    expect(await overTime(waiting, 5)).toBe('pending')
    await cancel(id)
  })

  inFullRun('waiting for a session rejects when its signal aborts', async () => {
    const { wait, requested } = connect()
    const id = await newSession()
    const abort = new AbortController()
    const waiting = wait(id, { signal: abort.signal })
    await requested(id)

    abort.abort(new Error('enough'))

    await expect(waiting).rejects.toThrow('enough')
    await expect(wait(id, { signal: abort.signal })).rejects.toThrow('enough')
    await cancel(id)
  })

  inFullRun('the client closes the connection soon after the last wait for a session ends', async () => {
    const closing: AbortSignal[] = []
    const { clock, wait, requested } = connect(running, (input, init) => {
      if (isStream(input) && init?.signal) closing.push(init.signal)
      return fetch(input, init)
    })
    const id = await newSession()
    const waiting = wait(id)
    await requested(id)
    await cancel(id)
    await waiting

    const abortedBefore = closing[0]?.aborted
    await clock.advance(2)

    expect([abortedBefore, closing[0]?.aborted]).toEqual([false, true])
  })

  it('waiting for an unknown session is rejected', async () => {
    const { wait } = connect()

    await expect(wait('0'.repeat(40))).rejects.toMatchObject({ code: 'api.error.notfound.session' })
  })
})

describe('waiting by the event stream', () => {
  /** A session of a service whose clock is ahead by some seconds, and a stream that never reports it. */
  async function arrange(clockOffset: number) {
    const clock = createTestClock()
    const end = clock.now() + 90
    const times = { createdAt: end - 90 + clockOffset, expiresAt: end + clockOffset }
    let reads = 0
    const transport = {
      call: () => {
        reads += 1
        const state = clock.now() < end ? 'pending' : 'expired'
        return Promise.resolve({ body: { id: 'a'.repeat(40), state, ...times }, held: false })
      },
    }
    const silent: SettledWait = {
      nextWake: () => new Promise(() => {}),
      chooseMethod: () => Promise.resolve('stream'),
      end: () => {},
    }
    const options = resolveClientOptions({ baseUrl: 'https://mfa.example/api', apiKey: 'k'.repeat(64), clock })
    const context = { transport, streams: { waitFor: () => silent }, options } as unknown as WaitContext
    const waiting = waitForSession(context, { domainId: 'domain', sessionId: 'session' })
    await clock.advance(0)
    return { clock, waiting, reads: () => reads }
  }

  it('waiting by the event stream reads the session at its expiry, in case the stream lost an event', async () => {
    const { clock, waiting, reads } = await arrange(0)
    await clock.advance(90)
    const readsBefore = reads()

    await clock.advance(1)

    expect([readsBefore, (await waiting).state]).toEqual([1, 'expired'])
  })

  it.each([
    ['ahead', 3_600, 2],
    ['behind', -3_600, 5],
  ])('waiting by the event stream ends in time when the clock of the service is %s', async (_, clockOffset, count) => {
    const { clock, waiting, reads } = await arrange(clockOffset)

    await clock.advance(100)

    expect([(await waiting).state, reads()]).toEqual(['expired', count])
  })
})

describe('an event stream', () => {
  const pieces = (...texts: string[]) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      },
    })

  it.each([
    [['data: a\n\n'], [['a']]],
    [['data: a\n\ndata:b\n\n'], [['a', 'b']]],
    [
      ['data: a', '\n', '\n'],
      [[], [], ['a']],
    ],
    [
      ['data: a\r\n\r', '\ndata: b\r\r'],
      [[], ['a']],
    ],
    [
      ['retry: 1\n\n', ':\n\n', 'id: 3\nevent: x\ndata: c\n\n'],
      [[], [], ['c']],
    ],
    [['data: a\ndata: b\n\n'], [['a\nb']]],
    [['data: unfinished'], [[]]],
  ])('the event stream %j is parsed to the events %j', async (texts, expected) => {
    const events: (readonly string[])[] = []

    for await (const batch of readEvents(pieces(...texts))) events.push(batch)

    expect(events).toEqual(expected)
  })
})
