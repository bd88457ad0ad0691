import type { StreamConnection, StreamOptions } from './stream-connection.ts'
import { connectStream } from './stream-connection.ts'

interface DomainStreamOptions extends StreamOptions {
  /** Whether a lost stream has to be opened again. */
  isWaitedFor(): boolean
  /** Events may have been missed. */
  onGap(): void
}

/** How long to do without a stream that could not be opened, seconds. */
const pauseAfterFailure = 25
/** The pause before each try to open a lost stream again, milliseconds. A restart of the service takes a few seconds. */
const reopenPauses = [0, 1_000, 2_000, 4_000]
/** The time after which an unused connection is closed, milliseconds. */
const idleTimeout = 2_000

/** Keeps one connection to the event stream of a domain while a caller needs it. */
export function createDomainStream({ clock, open, ...owner }: DomainStreamOptions) {
  let current: StreamConnection | undefined
  /** The last connection that was open and is lost. */
  let lost: StreamConnection | undefined
  let streams = 0
  let retryAt = 0
  let cancelClose = () => {}

  function begin(streamId: number): StreamConnection {
    return connectStream({
      clock,
      open,
      streamId,
      onLost,
      onEvent: (event) => owner.onEvent(event),
      onRenewalDue: (connection) => void renew(connection),
    })
  }

  /** Makes a new connection the current one, until it fails to open. */
  function start(onResult: (opened: boolean) => void): StreamConnection {
    const connection = begin(++streams)
    current = connection
    void connection.opened.then((opened) => {
      if (!opened && current === connection) drop(connection)
      return onResult(opened)
    })
    return connection
  }

  function drop(connection: StreamConnection): void {
    current = undefined
    if (connection.heardAt !== undefined) lost = connection
    connection.close()
  }

  function onLost(connection: StreamConnection, usable: boolean): void {
    if (current !== connection) return
    drop(connection)
    if (!usable) giveUp()
    else if (owner.isWaitedFor()) reopen(reopenPauses)
  }

  /** Reports the gap only once a stream is open again: reading during a restart of the service would fail. */
  function reopen([pause = 0, ...later]: readonly number[]): void {
    const onResult = (opened: boolean) => {
      if (opened) owner.onGap()
      else if (later.length === 0 || current) giveUp()
      else reopen(later)
    }
    const retry = () => {
      if (!current && owner.isWaitedFor()) start(onResult)
    }
    // Until then `connect` opens none either.
    retryAt = clock.now() + Math.ceil(pause / 1_000)
    if (pause === 0) retry()
    else clock.after(pause, retry)
  }

  function giveUp(): void {
    if (current) return
    retryAt = clock.now() + pauseAfterFailure
    owner.onGap()
  }

  /** Opens the next connection before the service ends this one, so that no event is missed. */
  async function renew(connection: StreamConnection): Promise<void> {
    if (current !== connection) return
    const next = begin(connection.streamId)
    await next.opened
    if (current !== connection || next.ended) return next.close()
    current = next
    connection.close()
  }

  return {
    /** The present connection, or a new one; undefined during the pause after a failure. */
    connect(): StreamConnection | undefined {
      // If the clock was ahead and has been set back, the pause does not get longer.
      retryAt = Math.min(retryAt, clock.now() + pauseAfterFailure)
      if (current || clock.now() < retryAt) return current
      return start((opened) => opened || giveUp())
    },

    /** The time until which this stream delivered every event, Unix time, seconds; undefined where it was never open. */
    completeUntil(streamId: number): number | undefined {
      if (current?.streamId === streamId && current.heardAt !== undefined) return clock.now()
      return lost?.streamId === streamId ? lost.heardAt : undefined
    },

    keepOpen: () => cancelClose(),

    /** Closes the connection after a moment: people who waited often wait again. */
    closeSoon(): void {
      cancelClose()
      cancelClose = clock.after(idleTimeout, () => current && drop(current))
    },
  }
}
