import { isDevice, waiterKey } from '../ground/waiter-key.ts'
import type { InboxLook } from './inbox-look.ts'
import type { News, Store } from '../store/store.ts'

/** Those who wait for something to change in the database. Whoever is woken reads it again: waking carries no news. */
export interface Waiters {
  /** From now on no wake is missed; the database is to be read after this. */
  subscribe(key: string): Subscription
  wake(...keys: string[]): void
  /** Calls back with all that is woken, here and by other processes; the answer ends it. */
  watch(watcher: (news: News) => void): () => void
  /** Ends all waiting, now and later. */
  close(): void
  closed(): boolean
  /** How many wait, by the kind of thing they wait for. */
  count(): Map<string, number>
}

export interface Subscription {
  /** Resolves when there was a wake since the last one; at once when there was one already. @returns whether with news. */
  woken(): Promise<boolean>
  /** Wakes this one alone. */
  wake(): void
  /** Likewise, but without news: its time is up, or its caller is gone. */
  giveUp(): void
  end(): void
}

/**
 * @param others Other processes; watched only while somebody waits.
 * @param look Says whose inbox they changed, where they do not; without it everybody reads anew.
 */
export function createWaiters(
  others: Pick<Store, 'watchOtherProcesses' | 'notifyOtherProcesses'>,
  look?: InboxLook,
): Waiters {
  const byKey = new Map<string, Set<Subscription>>()
  const watchers = new Set<(news: News) => void>()
  let stopWatching: (() => void) | undefined
  let closed = false

  const ring = (keys: readonly string[]) => {
    for (const key of keys) for (const subscription of byKey.get(key) ?? []) subscription.wake()
  }
  const hear = (news: News) => {
    if (typeof news !== 'string') ring(news)
    else if (news === 'gap' || !look) ring([...byKey.keys()])
    else {
      ring([...byKey.keys()].filter((key) => !isDevice(key)))
      lookForDevices()
    }
    for (const watcher of watchers) watcher(news)
  }
  const lookForDevices = oneAtATime(async () => {
    // Where the look fails, those who read find out why.
    const changed = await look?.().catch(() => undefined)
    ring(changed?.map((id) => waiterKey.device(id)) ?? [...byKey.keys()].filter((key) => isDevice(key)))
  })
  const watchOtherProcesses = () => void (stopWatching ??= others.watchOtherProcesses(hear))
  const leave = () => {
    if (byKey.size > 0 || watchers.size > 0) return
    stopWatching?.()
    stopWatching = undefined
  }
  const remove = (key: string, subscription: Subscription) => {
    const subscriptions = byKey.get(key)
    subscriptions?.delete(subscription)
    if (subscriptions?.size === 0) byKey.delete(key)
    leave()
  }

  return {
    subscribe(key) {
      const subscription: Subscription = { ...createBell(), end: () => remove(key, subscription) }
      const present = byKey.get(key)
      if (present) present.add(subscription)
      else byKey.set(key, new Set([subscription]))
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
      others.notifyOtherProcesses(keys)
    },
    close() {
      closed = true
      // Without news: many wait, and each would read once more what it knows.
      for (const subscriptions of byKey.values()) for (const subscription of subscriptions) subscription.giveUp()
    },
    closed: () => closed,
    count() {
      const counts = new Map<string, number>()
      for (const [key, { size }] of byKey) {
        const kind = key.replace(/:.*$/s, '')
        counts.set(kind, (counts.get(kind) ?? 0) + size)
      }
      return counts
    },
  }
}

/** Acts, and once more where it was asked to meanwhile. */
function oneAtATime(act: () => Promise<void>): () => void {
  let acting = false
  let again = false
  return function start() {
    again = acting
    if (acting) return
    acting = true
    void act().finally(() => {
      acting = false
      if (again) start()
    })
  }
}

function createBell(): Pick<Subscription, 'woken' | 'wake' | 'giveUp'> {
  let rung: 'news' | 'nothing' | undefined
  let listener: (() => void) | undefined
  return {
    async woken() {
      if (!rung) await new Promise<void>((resolve) => void (listener = resolve))
      const news = rung === 'news'
      rung = undefined
      return news
    },
    wake() {
      rung = 'news'
      listener?.()
    },
    giveUp() {
      rung ??= 'nothing'
      listener?.()
    },
  }
}
