import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { StoreUnavailableError } from '../../engine/base/store-errors.ts'
import { beat } from './synchronization-statements.ts'
import type { ClaimedSync } from './synchronization-statements.ts'
import { nextTurn } from '../../engine/base/next-turn.ts'

/** Runs one short transaction of a synchronization that still holds its claim; other work can run after it. */
export async function step<T>(
  ctx: ServiceContext,
  claimed: ClaimedSync,
  work: (db: Queryable) => Promise<T>,
): Promise<T> {
  const result = await ctx.store.db.transaction().execute(async (db) => {
    if (!(await beat(db, claimed, ctx.clock.now())))
      throw new StoreUnavailableError('The synchronization was taken over by another process.')
    return work(db)
  })
  await nextTurn()
  return result
}

/** Repeats a step until nothing is left to do. */
export async function stepThrough(
  ctx: ServiceContext,
  claimed: ClaimedSync,
  work: (db: Queryable) => Promise<boolean>,
): Promise<void> {
  while (await step(ctx, claimed, work));
}
