import type { Agent } from 'node:https'

import { pause } from '../../../ground/clock.ts'
import { withoutCaller } from '../../engine/base/waiting-caller.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { StoreChange } from '../../engine/database/store.ts'
import { createPingSender, width } from './send-ping.ts'
import type { OpenPing } from './send-ping.ts'
import { answeredPings, answeredPingsAbout, duePings, mostAtOnce, nextPingDue } from './ping-statements.ts'

/**
 * Tells clients that a person has answered (CIBA Core 1.0 section 10.2). What is to be told stands in the database, so that any node goes
 * on with it: a try is taken by one statement, and the try of a node that ends meanwhile is due again a moment later.
 */
export interface Pings {
  /** Looks for what is due, also for what another process has left behind. */
  wake(): void
  /** Ends the tries under way, and gives them back. */
  close(): Promise<void>
}

/** How many ids one query names. */
const maxIds = 400

export function createPings(ctx: ServiceContext, agent: Agent): Pings {
  const { store, waiters, clock } = ctx
  const closing = new AbortController()
  const sender = createPingSender(ctx, { agent, signal: closing.signal })
  const underWay = new Map<string, UnderWay>()
  const alarm = createAlarm(() => note(everything))
  let pending: Look | undefined
  let looking: Promise<void> | undefined
  let unwatch: (() => void) | undefined

  function note(look: Look): void {
    const isNothing = !look.all && look.ids.length === 0
    if (isNothing || closing.signal.aborted || waiters.closed()) return
    pending = join(pending, look)
    looking ??= withoutCaller(lookUntilQuiet)
  }

  async function lookUntilQuiet(): Promise<void> {
    let look: Look | undefined
    try {
      while (pending && !closing.signal.aborted) {
        look = pending
        pending = undefined
        // Before it looks, so that no answer is missed in between.
        unwatch ??= waiters.watch((change) => note(lookAt(change)))
        const now = clock.now()
        const started = (await find(look, now)).filter(start)
        // There may be more, also of clients behind one that is busy now.
        if (started.length >= mostAtOnce) pending = join(pending, everything)
        await plan(now)
      }
    } catch (error) {
      if (!ctx.failures.covers(error)) ctx.logger.warn({ err: error }, 'pings of OpenID clients could not be read')
      pending = join(pending, look)
      alarm.set(pauseAfterFailure)
    } finally {
      // This happens in the same turn, so that the next note starts a new look.
      looking = undefined
    }
  }

  async function find({ ids, all }: Look, now: number): Promise<readonly OpenPing[]> {
    const query = { now, busy: busyClients() }
    const due = await duePings(store.db, query)
    if (all) return [...due, ...(await answeredPings(store.db, query))]
    return ids.length === 0 ? due : [...due, ...(await answeredPingsAbout(store.db, ids, query))]
  }

  /** Clients that use all tries that a client may have at a time. */
  function busyClients(): string[] {
    const clients = [...underWay.values()].map(({ clientId }) => clientId)
    return [...Map.groupBy(clients, (id) => id)].flatMap(([id, same]) => (same.length < width ? [] : [id]))
  }

  /** @returns whether it was not under way. */
  function start(ping: OpenPing): boolean {
    const { artifactId, clientId } = ping
    if (underWay.has(artifactId)) return false
    const ended = withoutCaller(() => sender.send(ping))
      .catch((error: unknown) => {
        if (!closing.signal.aborted && !ctx.failures.covers(error))
          ctx.logger.warn({ err: error }, 'a ping of an OpenID client was interrupted')
        // It is under way until then: where a try cannot be taken, it would be found again at once.
        return pause(clock, pauseAfterFailure * 1000, closing.signal)
      })
      .finally(() => {
        underWay.delete(artifactId)
        note(everything)
      })
    underWay.set(artifactId, { clientId: clientId ?? '', ended })
    return true
  }

  /**
   * Looks again when the next one is due, and at what people answer until then.
   * @param lookedAt The time at which it looked: what has become due since then is the next one.
   */
  async function plan(lookedAt: number): Promise<void> {
    const next = await nextPingDue(store.db, lookedAt)
    if (closing.signal.aborted) return
    const now = clock.now()
    if (next !== undefined && next <= now) return note(everything)
    alarm.set(next === undefined ? undefined : next - now)
    if (next === undefined && !pending) stopWatching()
  }

  function stopWatching(): void {
    unwatch?.()
    unwatch = undefined
  }

  function createAlarm(ring: () => void) {
    let cancel = () => {}
    return {
      /** @param seconds Undefined ends it. */
      set(seconds: number | undefined) {
        cancel()
        cancel = seconds === undefined ? () => {} : clock.after(seconds * 1000, ring)
      },
    }
  }

  return {
    wake: () => note(everything),
    async close() {
      closing.abort()
      stopWatching()
      alarm.set(undefined)
      await looking
      await Promise.all([...underWay.values()].map(({ ended }) => ended))
    },
  }
}

/** What to look at besides what is due: these sessions and approvals, or all. */
interface Look {
  readonly ids: readonly string[]
  readonly all: boolean
}

const everything: Look = { ids: [], all: true }

function join(first: Look | undefined, second: Look | undefined): Look {
  const ids = [...(first?.ids ?? []), ...(second?.ids ?? [])]
  return { ids: ids.slice(0, maxIds), all: first?.all || second?.all || ids.length > maxIds }
}

interface UnderWay {
  readonly clientId: string
  readonly ended: Promise<void>
}

/** How long to wait after the database did not answer, seconds. */
const pauseAfterFailure = 5

function lookAt(change: StoreChange): Look {
  if (typeof change === 'string') return everything
  return { ids: change.flatMap((key) => /^(?:session|approval):(.+)$/.exec(key)?.[1] ?? []), all: false }
}
