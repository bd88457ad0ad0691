import type { Clock } from '../../clock.ts'
import { notAfter } from '../rules/present.ts'
import { epochsChangedAfter, newestEpochChange } from '../store/epochs.ts'
import type { EpochChange } from '../store/epochs.ts'
import type { Queryable } from '../store/schema.ts'
import { firstExpiry, summariesById, expiredBetween, settledSince } from '../store/settled.ts'
import type { SessionSummary } from '../store/settled.ts'

/** What a look at the database found. */
export interface Found {
  readonly settled: readonly SessionSummary[]
  /** Users whose epochs changed. */
  readonly epochs?: readonly EpochChange[]
  /** When one of the pending sessions that were seen runs out. */
  readonly expiry: number | undefined
}

/** Looks for sessions that settled in the domains that somebody follows. */
export interface Look {
  /** Of these sessions, of which something changed. */
  at(ids: readonly string[]): Promise<Found>
  /** Of all, after another process changed it did not say what. */
  around(): Promise<Found>
  /** Of those whose time is up. */
  ahead(): Promise<Found>
}

/** Times have whole seconds, and a change is seen a moment after it was made; seconds. */
const slack = 5
/** How many changes of epochs are told again at first: somebody may have read of them before we began to look. */
const epochSlack = 100
/** How many ids one query names. */
const mostIds = 400

export function createLook(db: Queryable, clock: Clock, domains: () => readonly string[]): Look {
  const told = new Map<string, number>()
  let aroundAt = clock.now()
  let aheadAt = clock.now()
  let epochsSeen: number | undefined
  return {
    async at(ids) {
      const sessions: SessionSummary[] = []
      for (let start = 0; start < ids.length; start += mostIds) {
        sessions.push(...(await summariesById(db, ids.slice(start, start + mostIds))))
      }
      const [pending, settled] = partition(sessions)
      return { settled, expiry: pending.length === 0 ? undefined : Math.min(...pending.map((one) => one.expiresAt)) }
    },

    async around() {
      const now = clock.now()
      const since = notAfter(aroundAt, now) - slack
      for (const [id, at] of told) if (at < since) told.delete(id)
      const settled = (await settledSince(db, domains(), since)).filter(({ id }) => !told.has(id))
      for (const { id } of settled) told.set(id, now)
      aroundAt = now
      epochsSeen ??= (await newestEpochChange(db)) - epochSlack
      const epochs = await epochsChangedAfter(db, domains(), epochsSeen)
      epochsSeen = epochs.at(-1)?.sequence ?? epochsSeen
      return { settled, epochs, expiry: await firstExpiry(db, domains(), now) }
    },

    async ahead() {
      const now = clock.now()
      const settled = await expiredBetween(db, domains(), notAfter(aheadAt, now), now)
      aheadAt = now
      epochsSeen ??= (await newestEpochChange(db)) - epochSlack
      return { settled, expiry: await firstExpiry(db, domains(), now) }
    },
  }
}

function partition(sessions: readonly SessionSummary[]): [pending: SessionSummary[], settled: SessionSummary[]] {
  return [sessions.filter(({ state }) => state === 'pending'), sessions.filter(({ state }) => state !== 'pending')]
}
