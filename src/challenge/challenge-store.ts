import type { Clock } from '../clock.ts'

/**
 * What a 1.3 service does not do for us: using an approval up once, over all nodes of the app. A service that speaks 1.4
 * does it itself, and this is never asked.
 */
export interface ChallengeStore {
  /** @returns true the first time it is asked about a session, false ever after; remembered for `ttl` seconds. */
  use(sessionId: string, ttl: number): Promise<boolean>
}

/** For an app of one process. With several, an approval could be used once in each: they must share a store. */
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
