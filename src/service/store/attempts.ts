import { prepare } from './prepared.ts'
import { notAfter } from '../rules/present.ts'
import { removedBy, someOf } from './due.ts'
import type { Queryable } from './schema.ts'

/** At most so many in so many seconds. */
export interface Limit {
  readonly scope: string
  readonly limit: number
  /** Seconds. */
  readonly window: number
}

/**
 * Takes one attempt of each limit, or of none where one is used up. Inside a transaction, so that attempts at once are counted one by one.
 * @returns 0, or the seconds until there is one again.
 */
export async function takeAttempt(db: Queryable, limits: readonly Limit[], now: number): Promise<number> {
  for (const limit of limits) {
    const wait = await secondsUntilFree(db, limit, now)
    if (wait > 0) return wait
  }
  await db
    .insertInto('attempt')
    .values(limits.map(({ scope }) => ({ scope, at: now })))
    .execute()
  return 0
}

/** @returns 0, or the seconds until there is one again. */
export async function secondsUntilFree(db: Queryable, { scope, limit, window }: Limit, now: number): Promise<number> {
  // The one that has to leave the window before the next may enter it.
  const blocking = await nthNewest(db, { scope, after: now - window, skipped: limit - 1 }).executeTakeFirst()
  return blocking === undefined ? 0 : notAfter(blocking.at, now) + window - now
}

const nthNewest = prepare((db, { scope, after, skipped }: { scope: string; after: number; skipped: number }) =>
  db
    .selectFrom('attempt')
    .select('at')
    .where('scope', '=', scope)
    .where('at', '>', after)
    .orderBy('at', 'desc')
    .offset(skipped)
    .limit(1),
)

/** Counts one, whatever the limits say. */
export async function noteAttempt(db: Queryable, scopes: readonly string[], at: number): Promise<void> {
  await db
    .insertInto('attempt')
    .values(scopes.map((scope) => ({ scope, at })))
    .execute()
}

export async function forgetScopes(db: Queryable, scopes: readonly string[]): Promise<void> {
  await db.deleteFrom('attempt').where('scope', 'in', scopes).execute()
}

/** Takes back what was counted at that time. */
export async function forgetAttempt(db: Queryable, scope: string, at: number): Promise<void> {
  await db.deleteFrom('attempt').where('scope', '=', scope).where('at', '=', at).execute()
}

export async function forgetAttempts(db: Queryable, before: number): Promise<number> {
  const due = db.selectFrom('attempt').select('sequence').where('at', '<', before)
  return removedBy(await db.deleteFrom('attempt').where('sequence', 'in', someOf(db, due)).executeTakeFirst())
}
