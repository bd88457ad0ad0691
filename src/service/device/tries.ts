import type { ServiceContext } from '../context.ts'
import { tooManyRequests } from '../problem.ts'
import { networkOf } from '../rules/network.ts'
import { takeAttempt } from '../store/attempts.ts'

/** Counts a try of an activation code, in a transaction of its own: it counts whatever becomes of it. */
export async function takeTry(ctx: ServiceContext, address: string | undefined): Promise<void> {
  const limits = [
    { scope: `code:${networkOf(address)}`, limit: ctx.limits.triesPerAddress, window: 10 * 60 },
    { scope: 'code', limit: ctx.limits.triesPerService, window: 60 * 60 },
  ]
  const wait = await ctx.store.db.transaction().execute((db) => takeAttempt(db, limits, ctx.clock.now()))
  if (wait > 0) throw tooManyRequests(wait)
}
