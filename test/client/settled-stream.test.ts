import { describe, expect, it } from 'vitest'

import { resolveClientOptions } from '../../src/client/options.ts'
import { createSettledStreams } from '../../src/client/settled-stream.ts'
import type { SettledWait, WakeReason } from '../../src/client/settled-stream.ts'
import type { Transport } from '../../src/client/transport.ts'
import type { SessionEvent } from '../../src/contract/sessions.ts'
import { createTestClock } from '../../src/testing/clock.ts'

interface Stream {
  /** Sends these events; without any, a heartbeat. */
  send(...events: SessionEvent[]): void
  end(): void
  isClosed(): boolean
}

/** A stream of a service, which sends its first bytes at once. */
function createStream(signal: AbortSignal) {
  let pieces: (readonly SessionEvent[] | undefined)[] = [[]]
  let notify = () => {}
  const add = (piece: readonly SessionEvent[] | undefined) => {
    pieces.push(piece)
    notify()
  }
  signal.addEventListener('abort', () => add(undefined))
  async function* read() {
    for (;;) {
      const batch = pieces
      pieces = []
      for (const piece of batch) {
        if (!piece) return
        yield piece
      }
      if (pieces.length === 0) await new Promise<void>((resolve) => void (notify = resolve))
    }
  }
  const stream: Stream = {
    send: (...events) => add(events),
    end: () => add(undefined),
    isClosed: () => signal.aborted,
  }
  return { stream, read }
}

/** Event streams over a network that the test controls. */
function arrange() {
  const clock = createTestClock()
  const opened: Stream[] = []
  const network = { up: true, tries: 0 }
  const transport: Pick<Transport, 'version' | 'stream'> = {
    version: () => Promise.resolve('1.4'),
    stream: (_endpoint, _input, signal) => {
      network.tries += 1
      if (!network.up) return Promise.reject(new TypeError('fetch failed'))
      const { stream, read } = createStream(signal)
      opened.push(stream)
      return Promise.resolve(read() as never)
    },
  }
  const options = resolveClientOptions({ baseUrl: 'https://mfa.example/api', apiKey: 'k'.repeat(64), clock })
  const streams = createSettledStreams(transport as Transport, options)
  const wakes: Record<string, WakeReason[]> = {}

  /** Starts to wait for a session, and records each wake-up. */
  async function wait(id: string) {
    const waiting = streams.waitFor('domain', id)
    wakes[id] = []
    const listen = () => void waiting.nextWake().then((reason) => (wakes[id]?.push(reason), listen()))
    listen()
    return { waiting, method: await waiting.chooseMethod() }
  }
  /** Lets time pass, with heartbeats on the newest stream. */
  async function live(seconds: number) {
    for (let secondsLeft = seconds; secondsLeft > 0; secondsLeft -= 5) {
      await clock.advance(Math.min(5, secondsLeft))
      opened.at(-1)?.send()
      await clock.advance(0)
    }
  }
  return { clock, streams, opened, network, wakes, wait, live }
}

describe('the stream of a domain', () => {
  it('a domain’s event stream opens the next connection before the service ends the current one, and wakes no caller', async () => {
    const { streams, opened, wakes, wait, live } = arrange()
    const epochs = streams.watchEpochs('domain', () => {})
    epochs.openStream()
    await live(230)
    const streamBefore = epochs.openStream()
    await wait('a')

    await live(15)
    opened[1]?.send({ id: 'a' })
    await live(1)

    expect(opened.map((stream) => stream.isClosed())).toEqual([true, false])
    // The two connections count as one stream, as no event was missed in between.
    expect(epochs.openStream()).toBe(streamBefore)
    expect(wakes).toEqual({ a: ['settled'] })
  })

  it('a domain’s event stream continues when the next connection cannot be opened', async () => {
    const { opened, network, wakes, wait, live } = arrange()
    await wait('a')
    await live(225)
    network.up = false
    await wait('b')

    await live(20)
    opened[0]?.send({ id: 'b' })
    await live(1)

    expect([network.tries, opened[0]?.isClosed(), wakes['b']]).toEqual([2, false, ['settled']])
  })

  it('a domain’s event stream reopens a lost connection before any caller reads', async () => {
    const { clock, opened, network, wakes, wait, live } = arrange()
    await wait('a')
    await live(5)
    network.up = false
    opened[0]?.end()
    await clock.advance(0)
    await clock.advance(2)
    const during = wakes['a']?.length

    network.up = true
    await clock.advance(2)

    expect([during, network.tries, wakes['a']]).toEqual([0, 4, ['unsure']])
  })

  it('a domain’s event stream gives up after seven seconds, and tries again 25 seconds later', async () => {
    const { clock, opened, network, wakes, wait, live } = arrange()
    const { waiting } = await wait('a')
    await live(5)
    network.up = false
    opened[0]?.end()
    await clock.advance(0)
    await clock.advance(6)
    const early = wakes['a']?.length

    await clock.advance(1)
    const late = wakes['a']?.length
    const methods = [await waiting.chooseMethod()]
    network.up = true
    await clock.advance(24)
    methods.push(await waiting.chooseMethod())
    await clock.advance(1)
    methods.push(await waiting.chooseMethod())

    expect([early, late, wakes['a'], methods]).toEqual([0, 1, ['unsure'], ['held', 'held', 'stream']])
  })
})

describe('without a stream', () => {
  it('a client without an event stream asks the service to hold at most a thousand reads', async () => {
    const { network, wait } = arrange()
    network.up = false
    const waits: Awaited<ReturnType<typeof wait>>[] = []
    for (let count = 0; count < 1_001; count++) waits.push(await wait(`session ${count}`))
    const methods = Map.groupBy(waits, ({ method }) => method)
    const last = waits.at(-1)?.waiting as SettledWait

    expect([methods.get('held')?.length, methods.get('polled')?.length]).toEqual([1_000, 1])
    waits[0]?.waiting.end()
    expect(await last.chooseMethod()).toBe('held')
  })
})
