import type { Clock } from '../ground/clock.ts'
import type { SessionEvent } from '../contract/sessions.ts'

/** Opens the event stream. It yields a list for each piece that arrives: an empty one for a heartbeat. */
export type OpenStream = (signal: AbortSignal) => Promise<AsyncGenerator<readonly SessionEvent[]>>

/** A connection to the event stream of a domain: being opened, open, or ended. */
export interface StreamConnection {
  /** A connection shares its id with the one that takes over from it, as no event is lost in between. */
  readonly streamId: number
  /** Resolves with true at the first bytes, and with false when none arrive in time. */
  readonly opened: Promise<boolean>
  /** When the last bytes arrived, Unix time, seconds; undefined before the first. */
  readonly heardAt: number | undefined
  readonly ended: boolean
  close(): void
}

export interface StreamOptions {
  readonly clock: Clock
  readonly open: OpenStream
  onEvent(event: SessionEvent): void
}

interface ConnectionOptions extends StreamOptions {
  readonly streamId: number
  /** The service will end the stream soon: time to open the next one. */
  onRenewalDue(connection: StreamConnection): void
  /** An open stream ended, or was silent for too long. `usable` is false for one that ended right after it was opened. */
  onLost(connection: StreamConnection, usable: boolean): void
}

/** The time until the first bytes, milliseconds. A proxy that buffers the stream holds them back. */
const openTimeout = 3_000
/** Three heartbeats of the service, milliseconds. */
const silenceTimeout = 45_000
/** The service ends a stream after five minutes; milliseconds. */
const renewAfter = 4 * 60_000
/** A stream that ends sooner is not usable, seconds. */
const minLifetime = 2

export function connectStream({ clock, open, streamId, ...callbacks }: ConnectionOptions): StreamConnection {
  const abort = new AbortController()
  const connection = {
    streamId,
    heardAt: undefined as number | undefined,
    ended: false,
    opened: begin(),
    close: () => abort.abort(),
  }
  return connection

  async function begin(): Promise<boolean> {
    const cancelTimeout = clock.after(openTimeout, () => abort.abort())
    try {
      const events = await open(abort.signal)
      const { done } = await events.next()
      if (done) throw new Error('The stream ended before it began.')
      connection.heardAt = clock.now()
      void receive(events)
      return true
    } catch {
      // The reason does not matter here: callers read the session next, and that fails with it.
      connection.ended = true
      return false
    } finally {
      cancelTimeout()
    }
  }

  async function receive(events: AsyncGenerator<readonly SessionEvent[]>): Promise<void> {
    const openedAt = clock.now()
    const expectBytes = () => clock.after(silenceTimeout, () => callbacks.onLost(connection, true))
    let cancelSilence = expectBytes()
    const cancelRenewal = clock.after(renewAfter, () => callbacks.onRenewalDue(connection))
    try {
      for await (const piece of events) {
        cancelSilence()
        cancelSilence = expectBytes()
        connection.heardAt = clock.now()
        for (const event of piece) callbacks.onEvent(event)
      }
    } catch {
      // A broken connection counts as the end of the stream.
    }
    connection.ended = true
    cancelSilence()
    cancelRenewal()
    callbacks.onLost(connection, clock.now() - openedAt >= minLifetime)
  }
}
