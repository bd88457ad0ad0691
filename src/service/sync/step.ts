import type { ServiceContext } from '../context/service-context.ts'
import type { Queryable } from '../store/schema.ts'
import { StoreUnavailableError } from '../store/store.ts'
import { beat } from '../store/synchronisations.ts'
import type { Held } from '../store/synchronisations.ts'

/** One short transaction of a synchronisation that is still ours; then everybody else has a turn. */
export async function step<T>(ctx: ServiceContext, held: Held, work: (db: Queryable) => Promise<T>): Promise<T> {
  const result = await ctx.store.db.transaction().execute(async (db) => {
    if (!(await beat(db, held, ctx.clock.now()))) throw new StoreUnavailableError('The synchronisation was taken over.')
    return work(db)
  })
  await new Promise<void>((resolve) => void setImmediate(resolve))
  return result
}

/** Steps until one says that nothing was left to do. */
export async function stepThrough(
  ctx: ServiceContext,
  held: Held,
  work: (db: Queryable) => Promise<boolean>,
): Promise<void> {
  while (await step(ctx, held, work));
}
