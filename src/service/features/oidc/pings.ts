import type { Agent } from 'node:https'

import { withoutCaller } from '../../engine/base/waiting-caller.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { StoreChange } from '../../engine/database/store.ts'
import { createPingSender } from './send-ping.ts'
import type { OpenPing } from './send-ping.ts'
import { answeredPings, answeredPingsAbout, duePings, nextPingDue } from './ping-statements.ts'

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
  const underWay = new Map<string, Promise<void>>()
  const alarm = createAlarm(() => note(everything))
  let pending: Look | undefined
  let looking: Promise<void> | undefined
  let unwatch: (() => void) | undefined

  function note({ ids, all }: Look): void {
    if (closing.signal.aborted || waiters.closed()) return
    const before = pending ?? nothing
    pending = { ids: [...before.ids, ...ids].slice(0, maxIds), all: before.all || all || ids.length > maxIds }
    looking ??= withoutCaller(lookUntilQuiet).finally(() => (looking = undefined))
  }

  async function lookUntilQuiet(): Promise<void> {
    try {
      while (pending && !closing.signal.aborted) {
        const look = pending
        pending = undefined
        // Before it looks, so that no answer is missed in between.
        unwatch ??= waiters.watch((change) => note(lookAt(change)))
        const now = clock.now()
        for (const ping of await find(look, now)) start(ping)
        await plan(now)
      }
    } catch (error) {
      if (!ctx.failures.covers(error)) ctx.logger.warn({ err: error }, 'pings of OpenID clients could not be read')
      alarm.set(pauseAfterFailure)
    }
  }

  async function find({ ids, all }: Look, now: number): Promise<readonly OpenPing[]> {
    const due = await duePings(store.db, now)
    if (all) return [...due, ...(await answeredPings(store.db, now))]
    return ids.length === 0 ? due : [...due, ...(await answeredPingsAbout(store.db, ids, now))]
  }

  function start(ping: OpenPing): void {
    const { artifactId } = ping
    if (underWay.has(artifactId)) return
    const sending = withoutCaller(() => sender.send(ping))
      .catch((error: unknown) => {
        if (!closing.signal.aborted && !ctx.failures.covers(error))
          ctx.logger.warn({ err: error }, 'a ping of an OpenID client was interrupted')
      })
      .finally(() => {
        underWay.delete(artifactId)
        note(everything)
      })
    underWay.set(artifactId, sending)
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
      await Promise.all(underWay.values())
    },
  }
}

/** What to look at besides what is due: these sessions and approvals, or all. */
interface Look {
  readonly ids: readonly string[]
  readonly all: boolean
}

const nothing: Look = { ids: [], all: false }
const everything: Look = { ids: [], all: true }

/** How long to wait after the database did not answer, seconds. */
const pauseAfterFailure = 5

function lookAt(change: StoreChange): Look {
  if (typeof change === 'string') return everything
  return { ids: change.flatMap((key) => /^(?:session|approval):(.+)$/.exec(key)?.[1] ?? []), all: false }
}
