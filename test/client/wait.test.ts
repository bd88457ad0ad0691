import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { createClient } from '../../src/client/client.ts'
import { readEvents } from '../../src/contract/read-events.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { startService } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
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

const patiently = { interval: 1, timeout: waitTimeout }

/** A client with a clock that stands still: what it learns, it was told. */
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
  const seen = (what: string | undefined) => urls.filter((url) => what !== undefined && url.endsWith(what)).length
  /** Resolves when it was asked for. */
  const asked = (what: string) => vi.waitUntil(() => seen(what) > 0, patiently)
  /** Lets time go by until the wait is over. */
  const overTime = async (waiting: Promise<Session>, seconds: number) => {
    let session: Session | undefined
    void waiting.then((answer) => (session = answer))
    await vi.waitUntil(() => clock.advance(seconds).then(() => session), patiently)
    return session?.state
  }
  const whenSettled = (id: string) => client.sessions.whenSettled(domain.id, id)
  return { clock, wait, whenSettled, seen, asked, overTime }
}

/** Each of somebody else: nobody is asked very often. */
async function newSession(): Promise<string> {
  people += 1
  const { ask } = await running.enroll(`person ${people}`)
  return (await ask()).id
}

const cancel = (id: string) => running.call('DELETE', `/domains/${running.domain.id}/sessions/${id}`)

describe('waiting for a session', () => {
  it('holds one connection for everybody who waits', async () => {
    const { wait, seen, asked } = connect()
    const sessions = await Promise.all(Array.from({ length: 30 }, newSession))
    const answers = sessions.map((id) => wait(id))
    for (const id of sessions) await asked(id)

    for (const id of sessions) await cancel(id)
    const settled = await Promise.all(answers)

    expect(new Set(settled.map(({ state }) => state))).toEqual(new Set(['cancelled']))
    expect([seen('/events'), ...new Set(sessions.map((id) => seen(id)))]).toEqual([1, 2])
  })

  it('reads nothing after the stream has told, where only that is of interest', async () => {
    const { whenSettled, seen, asked } = connect()
    const id = await newSession()
    const settled = whenSettled(id)
    await asked(id)

    await cancel(id)
    await settled

    expect(seen(id)).toBe(1)
  })

  it('misses nothing, at whatever moment the session settles', { timeout: 120_000 }, async () => {
    const { wait } = connect()

    for (let round = 0; round < 60; round++) {
      const id = await newSession()
      const answer = wait(id)
      for (let turn = 0; turn < round % 20; turn++) await new Promise((resolve) => void setImmediate(resolve))
      await cancel(id)

      expect((await answer).state).toBe('cancelled')
    }
  })

  it('reads again and connects anew where the stream is lost', async () => {
    let lose = () => {}
    let gone = Promise.resolve()
    const { wait, seen, asked } = connect(running, async (input, init) => {
      if (!isStream(input)) return fetch(input, init)
      await gone
      const abort = new AbortController()
      lose = () => abort.abort()
      return fetch(input, { ...init, signal: abort.signal })
    })
    const [first, second] = [await newSession(), await newSession()]
    const answers = [wait(first), wait(second)]
    await asked(first)
    await asked(second)

    let back = () => {}
    gone = new Promise((resolve) => void (back = resolve))
    lose()
    // While nobody can tell.
    await cancel(first)
    back()
    const early = await answers[0]
    await cancel(second)

    expect([early?.state, (await answers[1])?.state]).toEqual(['cancelled', 'cancelled'])
    expect(seen('/events')).toBeLessThanOrEqual(2)
  })

  it.each<[string, (real: () => Promise<Response>) => Promise<Response>]>([
    ['is none', () => Promise.resolve(new Response('{}', { status: 404 }))],
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    [
      'is something else',
      () => Promise.resolve(new Response('<html></html>', { headers: { 'content-type': 'text/html' } })),
    ],
    ['ends at once', () => Promise.resolve(new Response('', { headers: { 'content-type': 'text/event-stream' } }))],
    [
      'ends after its first bytes',
      () => Promise.resolve(new Response('retry: 1\n\n', { headers: { 'content-type': 'text/event-stream' } })),
    ],
  ])('is done by held reads where the stream %s', async (_, answer) => {
    const { wait, seen, asked } = connect(running, (input, init) =>
      isStream(input) ? answer(() => fetch(input, init)) : fetch(input, init),
    )
    const id = await newSession()
    const begun = running.clock.timerSet(25)
    const waiting = wait(id)
    await asked('/events')
    await begun

    await cancel(id)

    expect((await waiting).state).toBe('cancelled')
    expect(seen('/events')).toBe(1)
  })

  it('is done by held reads where a proxy keeps the stream back', async () => {
    const { clock, wait, asked } = connect(running, (input, init) =>
      isStream(input)
        ? new Promise<Response>((_, reject) =>
            init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
          )
        : fetch(input, init),
    )
    const id = await newSession()
    const begun = running.clock.timerSet(25)
    const waiting = wait(id)
    await asked('/events')
    await clock.advance(3)
    await begun

    await cancel(id)

    expect((await waiting).state).toBe('cancelled')
  })

  it('looks now and then in spite of the stream', async () => {
    const { wait, asked, overTime } = connect(running, async (input, init) => {
      if (!isStream(input)) return fetch(input, init)
      const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(':\n\n')) })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    })
    const id = await newSession()
    const waiting = wait(id)
    await asked(id)
    await cancel(id)

    expect(await overTime(waiting, 25)).toBe('cancelled')
  })

  it('answers the session as it is when the time is over', async () => {
    const { wait, asked, overTime } = connect()
    const id = await newSession()
    const waiting = wait(id, { timeout: 5_000 })
    await asked(id)

    expect(await overTime(waiting, 5)).toBe('pending')
    await cancel(id)
  })

  it('ends with its signal, whatever it was about to do', async () => {
    const { wait, asked } = connect()
    const id = await newSession()
    const abort = new AbortController()
    const waiting = wait(id, { signal: abort.signal })
    await asked(id)

    abort.abort(new Error('enough'))

    await expect(waiting).rejects.toThrow('enough')
    await expect(wait(id, { signal: abort.signal })).rejects.toThrow('enough')
    await cancel(id)
  })

  it('closes the connection a moment after the last one has waited', async () => {
    const closing: AbortSignal[] = []
    const { clock, wait, asked } = connect(running, (input, init) => {
      if (isStream(input) && init?.signal) closing.push(init.signal)
      return fetch(input, init)
    })
    const id = await newSession()
    const waiting = wait(id)
    await asked(id)
    await cancel(id)
    await waiting

    const before = closing[0]?.aborted
    await clock.advance(2)

    expect([before, closing[0]?.aborted]).toEqual([false, true])
  })

  it('ends with an error where there is no such session', async () => {
    const { wait } = connect()

    await expect(wait('0'.repeat(40))).rejects.toMatchObject({ code: 'api.error.notfound.session' })
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
  ])('%j has the events %j', async (texts, expected) => {
    const events: (readonly string[])[] = []

    for await (const some of readEvents(pieces(...texts))) events.push(some)

    expect(events).toEqual(expected)
  })
})
