import type { Clock } from '../ground/clock.ts'

/**
 * Redeems each approval of a 1.3 service once, over all nodes of the app. A service that speaks 1.4 does that itself, and
 * this store is never used.
 */
export interface ChallengeStore {
  /** @returns true on the first call for a session and false on every later one, for at least `ttl` seconds. */
  use(sessionId: string, ttl: number): Promise<boolean>
}

/** A store for an app with one process. Several processes must share a store, or each could redeem the same approval. */
export function createMemoryChallengeStore(clock: Clock): ChallengeStore {
  const used = new Set<string>()
  return {
    use(sessionId, ttl) {
      if (used.has(sessionId)) return Promise.resolve(false)
      used.add(sessionId)
      clock.after(ttl * 1000, () => used.delete(sessionId))
      return Promise.resolve(true)
    },
  }
}
