import type { Clock } from '../clock.ts'
import { watchSessions } from '../contract/sessions.ts'
import type { ResolvedClientOptions } from './options.ts'
import type { Transport } from './transport.ts'

/** Who waits for a session of a domain. */
export interface Following {
  /** Resolves when from now on the session may have changed, or the stream was lost. */
  rung(): Promise<void>
  /**
   * Whether the stream tells. True: what changes from now on rings; read the session after this. False: there is no
   * stream to be had, ask by yourself and try again later.
   */
  streaming(): Promise<boolean>
  end(): void
}

/** One stream for each domain, open while somebody waits. */
export interface SettledStreams {
  follow(domainId: string, sessionId: string): Following
}

type Open = (signal: AbortSignal) => Promise<AsyncGenerator<readonly { id: string }[]>>

/** How long to do without after a stream could not be had, seconds. */
const pauseAfterFailure = 25
/** Until its first bytes, milliseconds. */
const longestOpening = 3_000
/** A stream that ends sooner is none, seconds. */
const shortest = 2
/** Three times the heartbeat of the service, milliseconds. */
const longestSilence = 45_000
/** From one wait to the next of the same person, milliseconds. */
const linger = 2_000

export function createSettledStreams(transport: Transport, { clock }: ResolvedClientOptions): SettledStreams {
  const byDomain = new Map<string, ReturnType<typeof createDomainStream>>()
  return {
    follow(domainId, sessionId) {
      const known = byDomain.get(domainId)
      const stream =
        known ??
        createDomainStream(clock, async (signal) => {
          if ((await transport.version()) !== '1.4') throw new Error('Version 1.3 has no event stream.')
          return transport.stream(watchSessions, { params: { domainId } }, signal)
        })
      if (!known) byDomain.set(domainId, stream)
      return stream.follow(sessionId)
    },
  }
}

/** A stream that is being opened, or open. */
interface Connection {
  readonly opened: Promise<boolean>
  readonly abort: AbortController
}

function createDomainStream(clock: Clock, open: Open) {
  const bells = new Map<string, Set<Bell>>()
  let connection: Connection | undefined
  let retryAt = 0
  let cancelClosing = () => {}

  const ring = (id: string) => {
    for (const bell of bells.get(id) ?? []) bell.ring()
  }

  /** Whoever waits reads again, and then sees to a new stream. */
  function lose(lost: Connection): void {
    if (connection !== lost) return
    connection = undefined
    lost.abort.abort()
    for (const id of bells.keys()) ring(id)
  }

  function connect(): Connection {
    const abort = new AbortController()
    const failed = () => {
      if (connection !== made) return
      retryAt = clock.now() + pauseAfterFailure
      lose(made)
    }
    const made: Connection = { abort, opened: begin() }
    return made

    async function begin(): Promise<boolean> {
      const stopOpening = clock.after(longestOpening, () => abort.abort())
      try {
        const events = await open(abort.signal)
        // The first bytes: a proxy that collects what it should pass on holds them back.
        const { done } = await events.next()
        if (done) throw new Error('The stream ended before it began.')
        stopOpening()
        void follow(events)
        return true
      } catch {
        stopOpening()
        // Why, the reading that follows finds out.
        failed()
        return false
      }
    }

    async function follow(events: AsyncGenerator<readonly { id: string }[]>): Promise<void> {
      const since = clock.now()
      let stopSilence = clock.after(longestSilence, () => lose(made))
      try {
        for await (const settled of events) {
          stopSilence()
          stopSilence = clock.after(longestSilence, () => lose(made))
          for (const { id } of settled) ring(id)
        }
      } catch {
        // It broke off; the same as its end.
      }
      stopSilence()
      if (clock.now() - since < shortest) failed()
      else lose(made)
    }
  }

  function leave(id: string, bell: Bell): void {
    const others = bells.get(id)
    others?.delete(bell)
    if (others?.size === 0) bells.delete(id)
    if (bells.size > 0) return
    cancelClosing()
    cancelClosing = clock.after(linger, () => connection && lose(connection))
  }

  return {
    follow(id: string): Following {
      const bell = createBell()
      const others = bells.get(id)
      if (others) others.add(bell)
      else bells.set(id, new Set([bell]))
      cancelClosing()
      return {
        async streaming() {
          if (!connection && clock.now() < retryAt) return false
          connection ??= connect()
          return connection.opened
        },
        rung: () => bell.rung(),
        end: () => leave(id, bell),
      }
    },
  }
}

type Bell = ReturnType<typeof createBell>

function createBell() {
  let listener = () => {}
  return {
    ring: () => listener(),
    rung: () => new Promise<void>((resolve) => void (listener = resolve)),
  }
}
