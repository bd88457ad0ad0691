import { beginStep, withoutCaller } from '../base/waiting-caller.ts'
import { isDevice, waiterKey } from '../base/waiter-key.ts'
import type { ChangedInboxes } from './changed-inboxes.ts'
import type { Store, StoreChange } from '../database/store.ts'

/** Subscriptions to changes in the database. A waiter that is woken reads again: waking carries no data. */
export interface Waiters {
  /** Resolves when no wake is missed any longer; read the database after it. */
  subscribe(key: string): Subscription
  wake(...keys: string[]): void
  /** Calls back with everything that is woken, here and by other processes. The returned function unsubscribes. */
  watch(watcher: (change: StoreChange) => void): () => void
  /** Ends all waiting, the current and later ones. */
  close(): void
  closed(): boolean
  /** The number of waiters by kind. */
  count(): Map<string, number>
}

export interface Subscription {
  /**
   * Resolves when there was a wake since the last call, at once if there already was one. @returns whether anything changed.
   */
  woken(): Promise<boolean>
  /** Wakes this subscription only. */
  wake(): void
  /** Ends the wait without a change: its time is up, or its caller has disconnected. */
  giveUp(): void
  end(): void
}

/**
 * @param otherProcesses Other processes; watched only while there are waiters.
 * @param changedInboxes Finds the inboxes that other processes changed without saying which; without it all waiters read again.
 */
export function createWaiters(
  otherProcesses: Pick<Store, 'watchOtherProcesses' | 'notifyOtherProcesses'>,
  changedInboxes?: ChangedInboxes,
): Waiters {
  /** Lists, because most have one member: a Set for each takes 200 bytes more. */
  const byKey = new Map<string, readonly Subscription[]>()
  const watchers = new Set<(change: StoreChange) => void>()
  let stopWatching: (() => void) | undefined
  let closed = false

  const ring = (keys: readonly string[]) => {
    for (const key of keys) for (const subscription of byKey.get(key) ?? []) subscription.wake()
  }
  const hear = (change: StoreChange) => {
    if (typeof change !== 'string') ring(change)
    else if (change === 'gap' || !changedInboxes) ring([...byKey.keys()])
    else {
      ring([...byKey.keys()].filter((key) => !isDevice(key)))
      lookForDevices()
    }
    for (const watcher of watchers) watcher(change)
  }
  const lookForDevices = oneAtATime(async () => {
    // If this fails, the waiters find out why when they read.
    const changed = await changedInboxes?.().catch(() => undefined)
    ring(changed?.map((id) => waiterKey.device(id)) ?? [...byKey.keys()].filter((key) => isDevice(key)))
  })
  const watchOtherProcesses = () => void (stopWatching ??= otherProcesses.watchOtherProcesses(hear))
  const leave = () => {
    if (byKey.size > 0 || watchers.size > 0) return
    stopWatching?.()
    stopWatching = undefined
  }
  const remove = (key: string, subscription: Subscription) => {
    const remaining = byKey.get(key)?.filter((other) => other !== subscription) ?? []
    if (remaining.length > 0) byKey.set(key, remaining)
    else byKey.delete(key)
    leave()
  }

  return {
    subscribe(key) {
      const subscription: Subscription = { ...createBell(), end: () => remove(key, subscription) }
      byKey.set(key, [...(byKey.get(key) ?? []), subscription])
      if (closed) subscription.wake()
      else watchOtherProcesses()
      return subscription
    },
    watch(watcher) {
      watchers.add(watcher)
      if (!closed) watchOtherProcesses()
      return () => {
        watchers.delete(watcher)
        leave()
      }
    },
    wake(...keys) {
      ring(keys)
      for (const watcher of watchers) watcher(keys)
      otherProcesses.notifyOtherProcesses(keys)
    },
    close() {
      closed = true
      // Without a change: otherwise each of many waiters would read once more.
      for (const subscriptions of byKey.values()) for (const subscription of subscriptions) subscription.giveUp()
    },
    closed: () => closed,
    count() {
      const counts = new Map<string, number>()
      for (const [key, { length }] of byKey) {
        const kind = key.replace(/:.*$/s, '')
        counts.set(kind, (counts.get(kind) ?? 0) + length)
      }
      return counts
    },
  }
}

/** Runs the action, and once more if it was requested meanwhile. */
function oneAtATime(act: () => Promise<void>): () => void {
  let acting = false
  let needsRerun = false
  return function start() {
    needsRerun = acting
    if (acting) return
    acting = true
    // It serves all who wait, and not only the request that has started it.
    void withoutCaller(act).finally(() => {
      acting = false
      if (needsRerun) start()
    })
  }
}

function createBell(): Pick<Subscription, 'woken' | 'wake' | 'giveUp'> {
  let ringState: 'news' | 'nothing' | undefined
  let listener: (() => void) | undefined
  return {
    async woken() {
      if (!ringState) await new Promise<void>((resolve) => void (listener = resolve))
      const hasNews = ringState === 'news'
      ringState = undefined
      beginStep()
      return hasNews
    },
    wake() {
      ringState = 'news'
      listener?.()
    },
    giveUp() {
      ringState ??= 'nothing'
      listener?.()
    },
  }
}
