import { notAfter } from '../base/present.ts'
import type { Queryable } from '../database/schema/schema.ts'
import { allRows, change } from '../database/statement.ts'
import type { Slot } from '../database/statement.ts'

/** Allows `limit` in any `window`, counted in stretches of `slot`; both in seconds. */
export interface TallyLimit {
  readonly scope: string
  readonly limit: number
  readonly window: number
  /** Longer stretches make fewer rows to add up. A count stays in force until its whole stretch has left the window. */
  readonly slot: number
}

/** The counted attempts, so that they can be released. */
export interface Reserved {
  readonly limits: readonly TallyLimit[]
  readonly at: number
  readonly amount: number
  /** How many each limit has counted now, these included; in the order of the limits. */
  readonly counts: readonly number[]
}

/** The limit that is used up, and the seconds until it is not. */
export interface Refused {
  readonly refusedBy: TallyLimit
  readonly wait: number
}

/**
 * Counts an amount for each limit, or for none where one has no room for it. In a transaction, so that those at once are counted one
 * by one.
 *
 * @param amount At most each limit.
 */
export async function reserve(
  db: Queryable,
  limits: readonly TallyLimit[],
  now: number,
  amount = 1,
): Promise<Reserved | Refused> {
  const counts: number[] = []
  for (const limit of limits) {
    const { count, wait } = await counted(db, limit, now, amount)
    if (wait > 0) return { refusedBy: limit, wait }
    counts.push(count + amount)
  }
  for (const { scope, slot } of limits) await countMore(db, scope, slotOf(now, slot), amount)
  return { limits, at: now, amount, counts }
}

const countMore = change('countMore', (db, scope: Slot<string>, at: Slot<number>, count: Slot<number>) =>
  db
    .insertInto('tally')
    .values({ scope, at, count })
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'at'])
        .doUpdateSet((eb) => ({ count: eb('tally.count', '+', eb.ref('excluded.count')) })),
    ),
)

/** Counts it no more. In a transaction. */
export async function release(
  db: Queryable,
  { limits, at, amount }: Pick<Reserved, 'limits' | 'at' | 'amount'>,
): Promise<void> {
  for (const { scope, slot } of limits) {
    await countLess(db, scope, slotOf(at, slot), amount)
    await removeEmpty(db, scope, slotOf(at, slot))
  }
}

const countLess = change('countLess', (db, scope: Slot<string>, at: Slot<number>, amount: Slot<number>) =>
  db
    .updateTable('tally')
    .set((eb) => ({ count: eb('count', '-', amount) }))
    .where((is) => is.and({ scope, at })),
)

const removeEmpty = change('removeEmpty', (db, scope: Slot<string>, at: Slot<number>) =>
  db.deleteFrom('tally').where('scope', '=', scope).where('at', '=', at).where('count', '<=', 0),
)

const slotOf = (now: number, slot: number) => now - (now % slot)

/** @returns what counts now, and the seconds until there is room for so many more. */
export async function counted(
  db: Queryable,
  { scope, limit, window, slot }: TallyLimit,
  now: number,
  more = 1,
): Promise<{ count: number; wait: number }> {
  const lastSecond = slot - 1
  const rows = await countsAfter(db, scope, now - window - lastSecond)
  const count = rows.reduce((sum, row) => sum + row.count, 0)
  let remaining = count
  let wait = 0
  for (const row of rows) {
    if (remaining + more <= limit) break
    remaining -= row.count
    wait = notAfter(row.at, now) + lastSecond + window - now
  }
  return { count, wait }
}

const countsAfter = allRows('countsAfter', (db, scope: Slot<string>, after: Slot<number>) =>
  db.selectFrom('tally').select(['at', 'count']).where('scope', '=', scope).where('at', '>', after).orderBy('at'),
)
