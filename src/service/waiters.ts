/** Those who wait for something to change in the database. Whoever is woken reads it again: waking carries no news. */
export interface Waiters {
  /** From now on no wake is missed; the database is to be read after this. */
  subscribe(key: string): Subscription
  wake(...keys: string[]): void
  /** Ends all waiting, now and later. */
  close(): void
  closed(): boolean
}

export interface Subscription {
  /** Resolves when there was a wake since the last one; at once when there was one already. */
  /** How many wait, by the kind of thing they wait for. */
  count(): Map<string, number>
  woken(): Promise<void>
  /** Wakes this one alone: its time is up, or its caller is gone. */
  wake(): void
  end(): void
}

/** @param watchOthers Starts looking at what other processes change; used only while somebody waits. */
export function createWaiters(watchOthers: (changed: () => void) => () => void): Waiters {
  const byKey = new Map<string, Set<Subscription>>()
  let stopWatching: (() => void) | undefined
  let closed = false

  const wakeAll = () => {
    for (const subscriptions of byKey.values()) for (const subscription of subscriptions) subscription.wake()
  }

  const remove = (key: string, subscription: Subscription) => {
    const subscriptions = byKey.get(key)
    subscriptions?.delete(subscription)
    if (subscriptions?.size === 0) byKey.delete(key)
    if (byKey.size > 0) return
    stopWatching?.()
    stopWatching = undefined
  }

  return {
    subscribe(key) {
      const subscription: Subscription = { ...createBell(), end: () => remove(key, subscription) }
      const others = byKey.get(key)
      if (others) others.add(subscription)
      else byKey.set(key, new Set([subscription]))
      if (closed) subscription.wake()
      else stopWatching ??= watchOthers(wakeAll)
      return subscription
    },
    wake(...keys) {
      for (const key of keys) for (const subscription of byKey.get(key) ?? []) subscription.wake()
    },
    close() {
      closed = true
      wakeAll()
    },
    closed: () => closed,
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

/** What waits for a session, and what waits for the requests of a device. */
export const waiterKey = {
  session: (id: string): string => `session:${id}`,
  device: (id: string): string => `device:${id}`,
    count() {
      const counts = new Map<string, number>()
      for (const [key, { size }] of byKey) {
        const kind = key.replace(/:.*$/s, '')
        counts.set(kind, (counts.get(kind) ?? 0) + size)
      }
      return counts
    },
}
