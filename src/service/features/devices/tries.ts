import { audit } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem, tooManyRequests } from '../../engine/base/problem.ts'
import { networkOf } from '../../engine/base/network.ts'
import { takeAttempt } from '../../engine/limits/attempts.ts'
import { release, reserve } from '../../engine/limits/tallies.ts'
import type { Reserved } from '../../engine/limits/tallies.ts'

/**
 * Looks up an activation code within the budgets of its address and of the service. Only wrong codes count, but an exhausted
 * budget rejects right codes as well: otherwise guessing could continue while wrong guesses are rejected. An attempt is
 * reserved before the lookup, so that concurrent attempts do not exceed the budget, and released if the code is right. Nothing
 * is counted per code or part of a code: an attacker could then lock a code to prevent its use.
 *
 * @throws {ApiProblem} `api.error.toomanyrequests`, `api.error.notfound.activationcode`
 */
export async function tryCode<T>(
  ctx: ServiceContext,
  address: string | undefined,
  find: () => Promise<T | undefined>,
): Promise<T> {
  const reserved = await reserveTry(ctx, address)
  const result = await find().catch(async (error: unknown) => {
    // Internal errors count against no caller. If the database is unavailable, the attempt stays counted for its time.
    await releaseTry(ctx, reserved).catch(() => {})
    throw error
  })
  if (result === undefined) {
    ctx.observer.triedActivation('wrong')
    const failures = reserved.counts[1] ?? 0
    if (failures >= ctx.limits.triesAlert) await alert(ctx, 'activation.many_failed', failures)
    throw new ApiProblem('api.error.notfound.activationcode')
  }
  await releaseTry(ctx, reserved)
  ctx.observer.triedActivation('right')
  return result
}

async function reserveTry(ctx: ServiceContext, address: string | undefined): Promise<Reserved> {
  const { triesPerAddress, triesPerService } = ctx.limits
  const ofAddress = { scope: `code ${networkOf(address)}`, limit: triesPerAddress, window: 10 * 60, slot: 1 }
  const ofService = { scope: 'code', limit: triesPerService, window: hour, slot: 60 }
  const reserved = await ctx.store.db
    .transaction()
    .execute((db) => reserve(db, [ofAddress, ofService], ctx.clock.now()))
  if ('counts' in reserved) return reserved
  ctx.observer.triedActivation('refused')
  if (reserved.refusedBy === ofService) await alert(ctx, 'activation.suspended', triesPerService)
  const [max, from] =
    reserved.refusedBy === ofService
      ? [triesPerService, 'in an hour']
      : [triesPerAddress, 'from one address in 10 minutes']
  const limit = `at most ${max} wrong activation codes ${from}`
  throw tooManyRequests({ limit, wait: reserved.wait, now: ctx.clock.now() })
}

const releaseTry = (ctx: ServiceContext, reserved: Reserved) =>
  ctx.store.db.transaction().execute((db) => release(db, reserved))

/** Seconds. */
const hour = 60 * 60

const alerts = {
  'activation.many_failed': 'many wrong activation codes: an attacker may be guessing',
  'activation.suspended': 'activation codes are rejected: too many wrong ones were tried',
} as const

/** Alerts the operator once an hour across all nodes. Each process checks once a minute. */
async function alert(ctx: ServiceContext, event: keyof typeof alerts, failures: number): Promise<void> {
  if (!ctx.logLimit.admits(event)) return
  const limit = { scope: event, limit: 1, window: hour }
  const telling = ctx.store.db.transaction().execute(async (db) => {
    const wait = await takeAttempt(db, [limit], ctx.clock.now())
    const actor = { kind: 'service', id: ctx.serviceId } as const
    if (wait === 0) await audit(db, ctx, { event, organizationId: null, actor, address: null, facts: { failures } })
    return wait === 0
  })
  // The response stands even if this fails, and a duplicate line is better than none.
  const wasSent = await telling.catch((error: unknown) => {
    ctx.logger.error({ err: error, event }, 'audit entry not written')
    return true
  })
  if (!wasSent) return
  ctx.observer.alerted(event)
  ctx.logger.error({ event, failures }, alerts[event])
}
