import type { News, Store } from './store/store.ts'

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
  /** Resolves when there was a wake since the last one; at once when there was one already. */
  woken(): Promise<void>
  /** Wakes this one alone: its time is up, or its caller is gone. */
  wake(): void
  end(): void
}

/** @param others Other processes; watched only while somebody waits. */
export function createWaiters(others: Pick<Store, 'watchOthers' | 'tellOthers'>): Waiters {
  const byKey = new Map<string, Set<Subscription>>()
  const watchers = new Set<(news: News) => void>()
  let stopWatching: (() => void) | undefined
  let closed = false

  const ring = (keys: readonly string[]) => {
    for (const key of keys) for (const subscription of byKey.get(key) ?? []) subscription.wake()
  }
  const hear = (news: News) => {
    ring(typeof news === 'string' ? [...byKey.keys()] : news)
    for (const watcher of watchers) watcher(news)
  }
  const watchOthers = () => void (stopWatching ??= others.watchOthers(hear))
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
      else watchOthers()
      return subscription
    },
    watch(watcher) {
      watchers.add(watcher)
      if (!closed) watchOthers()
      return () => {
        watchers.delete(watcher)
        leave()
      }
    },
    wake(...keys) {
      ring(keys)
      for (const watcher of watchers) watcher(keys)
      others.tellOthers(keys)
    },
    close() {
      closed = true
      ring([...byKey.keys()])
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

function createBell(): Pick<Subscription, 'woken' | 'wake'> {
  let rung = false
  let listener: (() => void) | undefined
  return {
    async woken() {
      if (!rung) await new Promise<void>((resolve) => void (listener = resolve))
      rung = false
    },
    wake() {
      rung = true
      listener?.()
    },
  }
}

/** What waits for a session, for the requests of a device, for its turn to synchronise an organization's users. */
export const waiterKey = {
  session: (id: string): string => `session:${id}`,
  device: (id: string): string => `device:${id}`,
  synchronisation: (organizationId: string): string => `synchronisation:${organizationId}`,
}

/** The session that a key is about. */
export function sessionIdOf(key: string): string | undefined {
  return key.startsWith('session:') ? key.slice('session:'.length) : undefined
}
