import { notAfter } from '../base/present.ts'
import type { Queryable } from '../database/schema/schema.ts'
import { change, changesRow, firstValue } from '../database/statement.ts'
import type { List, Slot } from '../database/statement.ts'

/** Allows `limit` attempts within `window` seconds. */
export interface Limit {
  readonly scope: string
  readonly limit: number
  /** Seconds. */
  readonly window: number
}

/**
 * Takes one attempt of each limit, or of none where one is used up. Inside a transaction, so that attempts at once are
 * counted one by one.
 * @returns 0, or the seconds until there is one again.
 */
export async function takeAttempt(db: Queryable, limits: readonly Limit[], now: number): Promise<number> {
  for (const limit of limits) {
    const wait = await secondsUntilFree(db, limit, now)
    if (wait > 0) return wait
  }
  await noteAttempt(db, limits, now)
  return 0
}

/** @returns 0, or the seconds until there is one again. */
export async function secondsUntilFree(db: Queryable, { scope, limit, window }: Limit, now: number): Promise<number> {
  // The one that has to leave the window before the next may enter it.
  const blocking = await nthNewest(db, scope, now - window, limit - 1)
  return blocking === undefined ? 0 : notAfter(blocking, now) + window - now
}

/** @returns when the newest attempt after this time was, Unix time in seconds; undefined if there is none. */
export const newestAttempt = (db: Queryable, scope: string, after: number): Promise<number | undefined> =>
  nthNewest(db, scope, after, 0)

const nthNewest = firstValue('nthNewest', (db, scope: Slot<string>, after: Slot<number>, skipped: Slot<number>) =>
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
export async function noteAttempt(db: Queryable, limits: readonly Pick<Limit, 'scope'>[], at: number): Promise<void> {
  for (const { scope } of limits) await insertAttempt(db, scope, at)
}

const insertAttempt = change('insertAttempt', (db, scope: Slot<string>, at: Slot<number>) =>
  db.insertInto('attempt').values({ scope, at }),
)

export const forgetScopes = change('forgetScopes', (db, scopes: List<string>) =>
  db.deleteFrom('attempt').where('scope', 'in', scopes),
)

/** The same. @returns whether there was anything to forget. */
export const forgetCounted = changesRow('forgetCounted', (db, scopes: List<string>) =>
  db.deleteFrom('attempt').where('scope', 'in', scopes),
)

/** Removes the attempt that was counted at that time. */
export const forgetAttempt = change('forgetAttempt', (db, scope: Slot<string>, at: Slot<number>) =>
  db.deleteFrom('attempt').where('scope', '=', scope).where('at', '=', at),
)
