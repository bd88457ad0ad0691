import type { Clock } from '../../../ground/clock.ts'
import { notAfter } from '../base/present.ts'
import {
  epochsChangedAfter,
  newestEpochChange,
  firstExpiry,
  summariesById,
  expiredBetween,
  settledSince,
} from './statements.ts'
import type { EpochChange, SessionSummary } from './statements.ts'
import type { Queryable } from '../database/schema/schema.ts'

/** The result of a read of the database. */
export interface FoundSessions {
  readonly settled: readonly Pick<SessionSummary, 'domainId' | 'id'>[]
  /** Users whose epochs changed. */
  readonly epochs?: readonly EpochChange[]
  /** The time at which the first pending session expires. */
  readonly expiry: number | undefined
}

/** Finds settled sessions of the followed domains. */
export interface SettledReader {
  /** Looks at these sessions, which have changed. */
  byIds(ids: readonly string[]): Promise<FoundSessions>
  /** Looks at all sessions, after another process changed something unknown. */
  recent(): Promise<FoundSessions>
  /** Looks at expired sessions. */
  expired(): Promise<FoundSessions>
}

/** Times are whole seconds, and a change is visible a moment after it was made; seconds. */
const slack = 5
/** The number of epoch changes that are reported again at first, because they may have been missed before the first read. */
const epochSlack = 100
/** The most ids per query. */
const maxIds = 400

export function createSettledReader(db: Queryable, clock: Clock, domains: () => readonly string[]): SettledReader {
  const reported = new Map<string, number>()
  let recentReadAt = clock.now()
  let expiredReadAt = clock.now()
  let epochsSeen: number | undefined
  return {
    async byIds(ids) {
      const sessions: SessionSummary[] = []
      for (let start = 0; start < ids.length; start += maxIds) {
        sessions.push(...(await summariesById(db, ids.slice(start, start + maxIds))))
      }
      const [pending, settled] = partition(sessions)
      return {
        settled,
        expiry: pending.length === 0 ? undefined : Math.min(...pending.map((session) => session.expiresAt)),
      }
    },

    async recent() {
      const now = clock.now()
      const since = notAfter(recentReadAt, now) - slack
      for (const [id, at] of reported) if (at < since) reported.delete(id)
      const settled = (await settledSince(db, domains(), since)).filter(({ id }) => !reported.has(id))
      for (const { id } of settled) reported.set(id, now)
      recentReadAt = now
      epochsSeen ??= ((await newestEpochChange(db)) ?? 0) - epochSlack
      const epochs = await epochsChangedAfter(db, domains(), epochsSeen)
      epochsSeen = epochs.at(-1)?.sequence ?? epochsSeen
      return { settled, epochs, expiry: await firstExpiry(db, domains(), now) }
    },

    async expired() {
      const now = clock.now()
      const settled = await expiredBetween(db, domains(), notAfter(expiredReadAt, now), now)
      expiredReadAt = now
      epochsSeen ??= ((await newestEpochChange(db)) ?? 0) - epochSlack
      return { settled, expiry: await firstExpiry(db, domains(), now) }
    },
  }
}

function partition(sessions: readonly SessionSummary[]): [pending: SessionSummary[], settled: SessionSummary[]] {
  return [sessions.filter(({ state }) => state === 'pending'), sessions.filter(({ state }) => state !== 'pending')]
}
