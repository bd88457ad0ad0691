import type { Clock } from '../clock.ts'
import { watchSessions } from '../contract/sessions.ts'
import type { SessionEvent } from '../contract/sessions.ts'
import type { ResolvedClientOptions } from './options.ts'
import type { Transport } from './transport.ts'

/** Why a waiting caller is rung: its session has settled, or something may have been missed and it has to be read. */
export type Ring = 'settled' | 'unsure'

/** Waits for a session of a domain. */
export interface Following {
  /** Resolves at the first ring from now on. */
  rung(): Promise<Ring>
  /**
   * How to wait from now on; read the session after this.
   * - `stream`: what changes rings.
   * - `held`: there is no stream. Have the service hold the read, and ask again.
   * - `polled`: nor may another read be held. Read again after a while.
   */
  way(): Promise<'stream' | 'held' | 'polled'>
  end(): void
}

/** Who wants to hear of users whose epoch changed. */
export interface EpochWatch {
  /** Opens the stream where there is none. Which one it is that tells now; undefined while there is none. */
  stream(): number | undefined
  /** Until when a stream told everything, Unix time, seconds; undefined where it was never open. */
  toldUntil(stream: number): number | undefined
  end(): void
}

/** One stream for each domain, open while somebody waits. */
export interface SettledStreams {
  follow(domainId: string, sessionId: string): Following
  watchEpochs(domainId: string, changed: (userId: string) => void): EpochWatch
}

type Open = (signal: AbortSignal) => Promise<AsyncGenerator<readonly SessionEvent[]>>

/** How long to do without after a stream could not be had, seconds. */
const pauseAfterFailure = 25
/** Before a lost stream is opened again, milliseconds. A restart of the service takes a few seconds. */
const reopenPauses = [0, 1_000, 2_000, 4_000]
/** Until its first bytes, milliseconds. */
const longestOpening = 3_000
/** A stream that ends sooner is none, seconds. */
const shortest = 2
/** Three times the heartbeat of the service, milliseconds. */
const longestSilence = 45_000
/** From one wait to the next of the same person, milliseconds. */
const linger = 2_000
/** When the next stream is opened, so that it takes over before the service ends this one after five minutes; milliseconds. */
const renewAfter = 4 * 60_000
/** How many reads the service is asked to hold while there is no stream: each takes a connection. */
const maxHeld = 1_000

export function createSettledStreams(transport: Transport, { clock }: ResolvedClientOptions): SettledStreams {
  const byDomain = new Map<string, ReturnType<typeof createDomainStream>>()
  const streamOf = (domainId: string) => {
    const known = byDomain.get(domainId)
    if (known) return known
    const stream = createDomainStream(clock, async (signal) => {
      if ((await transport.version()) !== '1.4') throw new Error('Version 1.3 has no event stream.')
      return transport.stream(watchSessions, { params: { domainId } }, signal)
    })
    byDomain.set(domainId, stream)
    return stream
  }
  return {
    follow: (domainId, sessionId) => streamOf(domainId).follow(sessionId),
    watchEpochs: (domainId, changed) => streamOf(domainId).watchEpochs(changed),
  }
}

/** A stream that is being opened, or open. */
interface Connection {
  /** Counts up. */
  readonly number: number
  readonly opened: Promise<boolean>
  readonly abort: AbortController
  /** When its last bytes came, Unix time, seconds; undefined before the first. */
  heardAt: number | undefined
  ended: boolean
}

function createDomainStream(clock: Clock, open: Open) {
  const bells = new Map<string, Set<Bell>>()
  const watchers = new Set<(userId: string) => void>()
  const patrol = createPatrol(clock)
  /** Those who have the service hold their reads. */
  const holding = new Set<Bell>()
  let connection: Connection | undefined
  let connections = 0
  /** The last one that was open and is lost. */
  let lostOne: { readonly number: number; readonly heardAt: number } | undefined
  let retryAt = 0
  let cancelClosing = () => {}

  const ring = (id: string, why: Ring) => {
    for (const bell of bells.get(id) ?? []) bell.ring(why)
  }
  const ringAll = () => {
    for (const id of bells.keys()) ring(id, 'unsure')
  }

  const tell = (event: SessionEvent) => {
    if ('id' in event) ring(event.id, 'settled')
    else for (const changed of watchers) changed(event.user)
  }

  function drop(lost: Connection): void {
    connection = undefined
    if (lost.heardAt !== undefined) lostOne = { number: lost.number, heardAt: lost.heardAt }
    lost.abort.abort()
  }

  /** A stream that worked is opened again. Everybody reads once it is there, and not while the service is restarted. */
  function lose(lost: Connection): void {
    if (connection !== lost) return
    drop(lost)
    if (bells.size > 0) reopen(reopenPauses)
  }

  function reopen([pause = 0, ...further]: readonly number[]): void {
    const now = clock.now()
    // Meanwhile nobody else tries.
    retryAt = now + Math.ceil(pause / 1_000)
    const again = () => {
      if (connection || bells.size === 0) return
      const made = connect()
      connection = made
      void made.opened.then((opened) => decide(opened))
    }
    const decide = (opened: boolean) => {
      if (opened) ringAll()
      else if (further.length === 0 || connection) giveUp()
      else reopen(further)
    }
    if (pause === 0) again()
    else clock.after(pause, again)
  }

  /** Everybody reads by themselves for a while. */
  function giveUp(): void {
    if (connection) return
    retryAt = clock.now() + pauseAfterFailure
    ringAll()
  }

  function connect(number = ++connections): Connection {
    const abort = new AbortController()
    const made: Connection = { number, abort, opened: begin(), heardAt: undefined, ended: false }
    return made

    async function begin(): Promise<boolean> {
      const stopOpening = clock.after(longestOpening, () => abort.abort())
      try {
        const events = await open(abort.signal)
        // The first bytes: a proxy that collects what it should pass on holds them back.
        const { done } = await events.next()
        if (done) throw new Error('The stream ended before it began.')
        stopOpening()
        made.heardAt = clock.now()
        void follow(events)
        return true
      } catch {
        stopOpening()
        made.ended = true
        // Why, the reading that follows finds out.
        if (connection === made) drop(made)
        return false
      }
    }

    async function follow(events: AsyncGenerator<readonly SessionEvent[]>): Promise<void> {
      const since = clock.now()
      let stopSilence = clock.after(longestSilence, () => lose(made))
      const stopRenewing = clock.after(renewAfter, () => void renew(made))
      try {
        for await (const some of events) {
          stopSilence()
          stopSilence = clock.after(longestSilence, () => lose(made))
          made.heardAt = clock.now()
          for (const event of some) tell(event)
        }
      } catch {
        // It broke off; the same as its end.
      }
      made.ended = true
      stopSilence()
      stopRenewing()
      if (connection === made && clock.now() - since < shortest) {
        drop(made)
        giveUp()
      } else lose(made)
    }
  }

  /** The next stream tells before this one ends, so nothing is missed and nobody has to read. */
  async function renew(present: Connection): Promise<void> {
    if (connection !== present) return
    const next = connect(present.number)
    await next.opened
    if (connection !== present || next.ended) return next.abort.abort()
    connection = next
    present.abort.abort()
  }

  function leave(id: string, bell: Bell): void {
    const others = bells.get(id)
    others?.delete(bell)
    if (others?.size === 0) bells.delete(id)
    patrol.leave(bell)
    holding.delete(bell)
    closeWhenUnused()
  }

  function closeWhenUnused(): void {
    if (bells.size > 0 || watchers.size > 0) return
    cancelClosing()
    cancelClosing = clock.after(linger, () => connection && lose(connection))
  }

  function connectUnlessFailed(): Connection | undefined {
    if (connection) return connection
    // A clock that was ahead and is set back makes the pause no longer.
    retryAt = Math.min(retryAt, clock.now() + pauseAfterFailure)
    if (clock.now() < retryAt) return undefined
    const made = connect()
    connection = made
    void made.opened.then((opened) => opened || giveUp())
    return made
  }

  return {
    follow(id: string): Following {
      const bell = createBell()
      const others = bells.get(id)
      if (others) others.add(bell)
      else bells.set(id, new Set([bell]))
      cancelClosing()
      let ended = false
      return {
        async way() {
          patrol.leave(bell)
          holding.delete(bell)
          const streaming = await connectUnlessFailed()?.opened
          if (ended) return 'polled'
          if (streaming) {
            patrol.join(bell)
            return 'stream'
          }
          if (holding.size >= maxHeld) return 'polled'
          holding.add(bell)
          return 'held'
        },
        rung: () => bell.rung(),
        end() {
          ended = true
          leave(id, bell)
        },
      }
    },

    watchEpochs(changed: (userId: string) => void): EpochWatch {
      watchers.add(changed)
      cancelClosing()
      return {
        stream() {
          const present = connectUnlessFailed()
          return present?.heardAt === undefined ? undefined : present.number
        },
        toldUntil(number) {
          if (connection?.number === number && connection.heardAt !== undefined) return clock.now()
          return lostOne?.number === number ? lostOne.heardAt : undefined
        },
        end() {
          watchers.delete(changed)
          closeWhenUnused()
        },
      }
    },
  }
}

/** After which a session is read in spite of the stream, in case that it lost something; seconds. */
const distrust = 25
/** From one such read to the next, whosever it is: 10,000 who wait would make 400 a second. Milliseconds. */
const patrolPace = 100

/** Has those who wait read in turns, whoever has not read for the longest time first. */
function createPatrol(clock: Clock) {
  /** When each has read last, Unix time, seconds; oldest first. */
  const readAt = new Map<Bell, number>()
  let planned = false

  function plan(): void {
    const [oldest] = readAt.values()
    if (planned || oldest === undefined) return
    planned = true
    clock.after(Math.max(patrolPace, (oldest + distrust - clock.now()) * 1_000), () => {
      planned = false
      const [first] = readAt
      if (first && first[1] + distrust <= clock.now()) {
        readAt.delete(first[0])
        first[0].ring('unsure')
      }
      plan()
    })
  }

  return {
    join(bell: Bell): void {
      readAt.set(bell, clock.now())
      plan()
    },
    leave: (bell: Bell) => void readAt.delete(bell),
  }
}

type Bell = ReturnType<typeof createBell>

function createBell() {
  let listener: (why: Ring) => void = () => {}
  return {
    ring: (why: Ring) => listener(why),
    rung: () => new Promise<Ring>((resolve) => void (listener = resolve)),
  }
}
