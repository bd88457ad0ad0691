import type { ServiceContext } from '../context/service-context.ts'
import type { Queryable } from '../store/schema.ts'
import { StoreUnavailableError } from '../store/store.ts'
import { beat } from '../store/synchronizations.ts'
import type { Held } from '../store/synchronizations.ts'

/** Runs one short transaction of a synchronization that still holds its claim; other work can run after it. */
export async function step<T>(ctx: ServiceContext, held: Held, work: (db: Queryable) => Promise<T>): Promise<T> {
  const result = await ctx.store.db.transaction().execute(async (db) => {
    if (!(await beat(db, held, ctx.clock.now())))
      throw new StoreUnavailableError('The synchronization was taken over by another process.')
    return work(db)
  })
  await new Promise<void>((resolve) => void setImmediate(resolve))
  return result
}

/** Repeats a step until nothing is left to do. */
export async function stepThrough(
  ctx: ServiceContext,
  held: Held,
  work: (db: Queryable) => Promise<boolean>,
): Promise<void> {
  while (await step(ctx, held, work));
}
