import { repeat } from '../../ground/clock.ts'
import type { AuditContext } from '../engine/audit/audit.ts'
import { auditSessions } from '../features/sessions/audit.ts'
import { expireApprovals } from '../features/approvals/expire.ts'
import { createRetention } from '../engine/audit/retention.ts'
import type { ServiceContext } from '../engine/context/service-context.ts'
import { inSteps } from '../engine/base/in-steps.ts'
import { recoverSynchronizations } from '../features/users/synchronize.ts'
import { sweepStep } from '../engine/database/due.ts'
import { organizationOfDomain } from '../features/domains/statements.ts'
import { endFutureSessions, expireSessions } from '../features/sessions/statements.ts'
import { createEnrollmentCount } from '../features/people/count-enrolled.ts'
import { countSignIns } from '../features/sessions/count-sign-ins.ts'
import { correctFutureTimes } from './future-times.ts'

/** How often to sweep, seconds. Nothing depends on it: what a sweep removes already reads as absent. */
const interval = 5 * 60

/** Periodically removes expired data. */
export function startSweep(ctx: ServiceContext): { stop(): Promise<void> } {
  const retention = createRetention(ctx)
  const countEnrolled = createEnrollmentCount(ctx)
  const ending = new AbortController()
  let running: Promise<void> | undefined
  /** Seconds since the last sweep began. */
  let elapsed = 0
  const cancel = repeat(ctx.clock, interval * 1000, () => {
    elapsed += interval
    // A sweep that takes longer than the interval is not joined by a second one.
    running ??= sweepAll(ctx.clock.now()).finally(() => (running = undefined))
  })

  const failed = (error: unknown) => {
    if (!ctx.failures.covers(error)) ctx.logger.warn({ err: error }, 'sweep failed')
  }

  /** @param wall Unix time at which the sweep begins, seconds. */
  async function sweepAll(wall: number): Promise<void> {
    const passed = elapsed
    elapsed = 0
    const startedAt = performance.now()
    const parts = [
      () => sweep(ctx, ending.signal),
      () => recoverSynchronizations(ctx),
      // Before entries are removed.
      () => countSignIns(ctx, ending.signal),
      () => retention.apply(passed, wall, ending.signal),
      () => countEnrolled(ending.signal),
    ]
    const isDone = await runAll(parts, { signal: ending.signal, failed })
    ctx.observer.swept(isDone ? 'done' : 'failed', (performance.now() - startedAt) / 1000)
    // Continues what another process has left behind.
    ctx.verifications.wake()
    ctx.bulkJobs.wake()
  }

  return {
    /** The rest of a backlog is left to the next sweep of any node. */
    async stop() {
      ending.abort()
      cancel()
      await running
    },
  }
}

interface Run {
  readonly signal: AbortSignal
  readonly failed: (error: unknown) => void
}

/**
 * Runs one part after the other, whether or not one before fails: a failed count must not delay the deletion of old entries.
 *
 * @returns whether all succeeded.
 */
async function runAll(parts: readonly (() => Promise<unknown>)[], { signal, failed }: Run): Promise<boolean> {
  let isDone = true
  for (const part of parts) {
    // On a database that hangs, a service that closes would wait for each of them.
    if (signal.aborted && !isDone) break
    await part().catch((error: unknown) => {
      isDone = false
      failed(error)
    })
  }
  return isDone
}

type SweepContext = Pick<ServiceContext, 'store' | 'clock' | 'logger' | 'observer' | 'features' | 'waiters'> &
  AuditContext

/** @param signal Stops early, after one step of each kind. */
export async function sweep(ctx: SweepContext, signal?: AbortSignal): Promise<void> {
  const { db } = ctx.store
  await correctFutureTimes(ctx, undefined, signal)
  for (const endSome of [expireSessions, endFutureSessions]) {
    await inSteps({ size: expireStep, signal }, () => expire(ctx, endSome))
  }
  await inSteps({ size: expireStep, signal }, () => expireApprovals(ctx, expireStep))
  for (const { removeSome } of ctx.features.removals) {
    await inSteps({ size: sweepStep, signal }, () => removeSome(db, ctx.clock.now()))
  }
}

/** Sessions and approvals that expire per transaction. Each of them is audited. */
const expireStep = 200

async function expire(ctx: SweepContext, endSome: typeof expireSessions): Promise<number> {
  const expired = await ctx.store.db.transaction().execute(async (db) => {
    const sessions = await endSome(db, ctx.clock.now(), expireStep)
    const organizations = new Map<string, string>()
    for (const { domainId } of sessions) {
      if (!organizations.has(domainId)) organizations.set(domainId, await organizationOfDomain(db, domainId))
    }
    await auditSessions(db, ctx, sessions, ({ domainId }) => organizations.get(domainId) ?? '')
    return sessions
  })
  ctx.observer.settled('timeout', expired.length)
  return expired.length
}
