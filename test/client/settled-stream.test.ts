import { describe, expect, it } from 'vitest'

import { resolveClientOptions } from '../../src/client/options.ts'
import { createSettledStreams } from '../../src/client/settled-stream.ts'
import type { Following, Ring } from '../../src/client/settled-stream.ts'
import type { Transport } from '../../src/client/transport.ts'
import type { SessionEvent } from '../../src/contract/sessions.ts'
import { createTestClock } from '../../src/testing/clock.ts'

interface Stream {
  /** Brings these events; none are a heartbeat. */
  tell(...events: SessionEvent[]): void
  end(): void
  isClosed(): boolean
}

/** A stream as a service sends it; its first bytes are there at once. */
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
      const present = pieces
      pieces = []
      for (const piece of present) {
        if (!piece) return
        yield piece
      }
      if (pieces.length === 0) await new Promise<void>((resolve) => void (notify = resolve))
    }
  }
  const stream: Stream = {
    tell: (...events) => add(events),
    end: () => add(undefined),
    isClosed: () => signal.aborted,
  }
  return { stream, read }
}

/** Streams over a network that the test holds in its hands. */
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
  const rings: Record<string, Ring[]> = {}

  /** Somebody who waits from now on; each of their rings is noted. */
  async function wait(id: string) {
    const following = streams.follow('domain', id)
    rings[id] = []
    const listen = () => void following.rung().then((why) => (rings[id]?.push(why), listen()))
    listen()
    return { following, way: await following.way() }
  }
  /** Lets time go by, in which the newest stream lives. */
  async function live(seconds: number) {
    for (let left = seconds; left > 0; left -= 5) {
      await clock.advance(Math.min(5, left))
      opened.at(-1)?.tell()
      await clock.advance(0)
    }
  }
  return { clock, streams, opened, network, rings, wait, live }
}

describe('the stream of a domain', () => {
  it('is followed by the next one before the service ends it, and nobody is rung', async () => {
    const { streams, opened, rings, wait, live } = arrange()
    const epochs = streams.watchEpochs('domain', () => {})
    epochs.stream()
    await live(230)
    const before = epochs.stream()
    await wait('a')

    await live(15)
    opened[1]?.tell({ id: 'a' })
    await live(1)

    expect(opened.map((stream) => stream.isClosed())).toEqual([true, false])
    // Those whose epochs were told by the one are told by the other.
    expect(epochs.stream()).toBe(before)
    expect(rings).toEqual({ a: ['settled'] })
  })

  it('goes on where the next one cannot be opened', async () => {
    const { opened, network, rings, wait, live } = arrange()
    await wait('a')
    await live(225)
    network.up = false
    await wait('b')

    await live(20)
    opened[0]?.tell({ id: 'b' })
    await live(1)

    expect([network.tries, opened[0]?.isClosed(), rings['b']]).toEqual([2, false, ['settled']])
  })

  it('is opened again where it is lost, before anybody reads', async () => {
    const { clock, opened, network, rings, wait, live } = arrange()
    await wait('a')
    await live(5)
    network.up = false
    opened[0]?.end()
    await clock.advance(0)
    await clock.advance(2)
    const during = rings['a']?.length

    network.up = true
    await clock.advance(2)

    expect([during, network.tries, rings['a']]).toEqual([0, 4, ['unsure']])
  })

  it('is done without after seven seconds, and tried again after 25 more', async () => {
    const { clock, opened, network, rings, wait, live } = arrange()
    const { following } = await wait('a')
    await live(5)
    network.up = false
    opened[0]?.end()
    await clock.advance(0)
    await clock.advance(6)
    const early = rings['a']?.length

    await clock.advance(1)
    const late = rings['a']?.length
    const ways = [await following.way()]
    network.up = true
    await clock.advance(24)
    ways.push(await following.way())
    await clock.advance(1)
    ways.push(await following.way())

    expect([early, late, rings['a'], ways]).toEqual([0, 1, ['unsure'], ['held', 'held', 'stream']])
  })
})

describe('without a stream', () => {
  it('the service is asked to hold a thousand reads, and no more', async () => {
    const { network, wait } = arrange()
    network.up = false
    const waiting: Awaited<ReturnType<typeof wait>>[] = []
    for (let count = 0; count < 1_001; count++) waiting.push(await wait(`session ${count}`))
    const ways = Map.groupBy(waiting, ({ way }) => way)
    const last = waiting.at(-1)?.following as Following

    expect([ways.get('held')?.length, ways.get('polled')?.length]).toEqual([1_000, 1])
    waiting[0]?.following.end()
    expect(await last.way()).toBe('held')
  })
})

describe('reading in spite of the stream', () => {
  it('is done by ten a second, whoever has not read for the longest time first', async () => {
    const { clock, rings, wait, live } = arrange()
    for (let count = 0; count < 500; count++) await wait(`session ${count}`)
    await live(24)
    const early = Object.values(rings).flat().length

    await live(11)
    const rung = Object.keys(rings).filter((id) => rings[id]?.length)

    expect(early).toBe(0)
    expect(rung.length).toBeGreaterThan(90)
    expect(rung.length).toBeLessThanOrEqual(111)
    expect(rung).toEqual(rung.map((_, index) => `session ${index}`))
    await clock.advance(0)
  })

  it('is not done for those who have left', async () => {
    const { rings, wait, live } = arrange()
    const { following } = await wait('gone')
    await wait('here')
    following.end()

    await live(60)

    expect(rings).toEqual({ gone: [], here: ['unsure'] })
  })
})
