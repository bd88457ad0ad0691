import type { watchApprovals } from '../contract/approvals.ts'
import type { SessionEvent } from '../contract/sessions.ts'
import { watchSessions } from '../contract/sessions.ts'
import { createDomainStream } from './domain-stream.ts'
import type { ResolvedClientOptions } from './options.ts'
import type { OpenStream } from './stream-connection.ts'
import type { Transport } from './transport.ts'

/** Why a waiting caller wakes: its session, or its approval, has settled, or events may have been missed and it has to be read. */
export type WakeReason = 'settled' | 'unsure'

/**
 * How to wait for a session.
 * - `stream`: the event stream wakes the caller.
 * - `held`: there is no stream. Ask the service to hold the read, and repeat it.
 * - `polled`: enough reads are held already. Read again after a while.
 */
export type WaitMethod = 'stream' | 'held' | 'polled'

/** One caller that waits for a session. */
export interface SettledWait {
  /** Resolves at the first wake-up from now on. */
  nextWake(): Promise<WakeReason>
  /** Opens the stream if need be. Read the session after this: from then on the stream reports each change. */
  chooseMethod(): Promise<WaitMethod>
  end(): void
}

/** Reports users whose epoch changed. */
export interface EpochWatch {
  /** Opens the stream if need be. @returns the id of the open stream; undefined while there is none. */
  openStream(): number | undefined
  /** The time until which this stream reported every change, Unix time, seconds; undefined where it was never open. */
  completeUntil(streamId: number): number | undefined
  end(): void
}

/** One event stream for each domain, open while a caller waits. */
export interface SettledStreams {
  waitFor(domainId: string, sessionId: string): SettledWait
  watchEpochs(domainId: string, onChange: (userId: string) => void): EpochWatch
}

/** How many reads the service is asked to hold while there is no stream: each takes a connection. */
const maxHeldReads = 1_000

/** @param endpoint The stream that reports what is waited for: sessions, or approvals. */
export function createSettledStreams(
  transport: Transport,
  { clock }: ResolvedClientOptions,
  endpoint: typeof watchSessions | typeof watchApprovals = watchSessions,
): SettledStreams {
  const byDomain = new Map<string, ReturnType<typeof createDomainWaits>>()
  const waitsOf = (domainId: string) => {
    const stream = byDomain.get(domainId)
    if (stream) return stream
    const waits = createDomainWaits(clock, async (signal) => {
      if ((await transport.version()) !== '1.4') throw new Error('Version 1.3 has no event stream.')
      return transport.stream(endpoint, { params: { domainId } }, signal)
    })
    byDomain.set(domainId, waits)
    return waits
  }
  return {
    waitFor: (domainId, sessionId) => waitsOf(domainId).waitFor(sessionId),
    watchEpochs: (domainId, onChange) => waitsOf(domainId).watchEpochs(onChange),
  }
}

/** Wakes one waiting caller. */
type Waiter = ReturnType<typeof createWaiter>

function createWaiter() {
  let resume: (reason: WakeReason) => void = () => {}
  return {
    wake: (reason: WakeReason) => resume(reason),
    nextWake: () => new Promise<WakeReason>((resolve) => void (resume = resolve)),
  }
}

function createDomainWaits(clock: ResolvedClientOptions['clock'], open: OpenStream) {
  const waiters = new Map<string, Set<Waiter>>()
  const epochListeners = new Set<(userId: string) => void>()
  /** Waiters whose reads the service holds. */
  const holding = new Set<Waiter>()
  const stream = createDomainStream({
    clock,
    open,
    isWaitedFor: () => waiters.size > 0,
    onEvent,
    onGap: () => Array.from(waiters.keys()).forEach((sessionId) => wake(sessionId, 'unsure')),
  })

  function onEvent(event: SessionEvent): void {
    if ('id' in event) wake(event.id, 'settled')
    else epochListeners.forEach((onChange) => onChange(event.user))
  }

  function wake(sessionId: string, reason: WakeReason): void {
    waiters.get(sessionId)?.forEach((waiter) => waiter.wake(reason))
  }

  function join(sessionId: string): Waiter {
    const waiter = createWaiter()
    const sessionWaiters = waiters.get(sessionId)
    if (sessionWaiters) sessionWaiters.add(waiter)
    else waiters.set(sessionId, new Set([waiter]))
    stream.keepOpen()
    return waiter
  }

  function leave(sessionId: string, waiter: Waiter): void {
    const sessionWaiters = waiters.get(sessionId)
    sessionWaiters?.delete(waiter)
    if (sessionWaiters?.size === 0) waiters.delete(sessionId)
    holding.delete(waiter)
    closeWhenUnused()
  }

  function closeWhenUnused(): void {
    if (waiters.size === 0 && epochListeners.size === 0) stream.closeSoon()
  }

  return {
    waitFor(sessionId: string): SettledWait {
      const waiter = join(sessionId)
      let ended = false
      return {
        nextWake: waiter.nextWake,
        async chooseMethod() {
          holding.delete(waiter)
          if (await stream.connect()?.opened) return 'stream'
          if (ended || holding.size >= maxHeldReads) return 'polled'
          holding.add(waiter)
          return 'held'
        },
        end() {
          ended = true
          leave(sessionId, waiter)
        },
      }
    },

    watchEpochs(onChange: (userId: string) => void): EpochWatch {
      epochListeners.add(onChange)
      stream.keepOpen()
      return {
        openStream() {
          const connection = stream.connect()
          return connection?.heardAt === undefined ? undefined : connection.streamId
        },
        completeUntil: (streamId) => stream.completeUntil(streamId),
        end() {
          epochListeners.delete(onChange)
          closeWhenUnused()
        },
      }
    },
  }
}
