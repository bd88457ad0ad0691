import { historyKept } from '../contract/device.ts'
import type { AuditContext } from './audit/audit.ts'
import { auditSession } from './audit/sessions.ts'
import { pruneAudit, retentionEnd } from './audit/prune.ts'
import type { ServiceContext } from './context.ts'
import { readableFor } from './rules/session-state.ts'
import { recoverSynchronisations } from './synchronisation/synchronize.ts'
import { forgetAttempts } from './store/attempts.ts'
import { removeOldChallengeTries } from './store/code-tries.ts'
import { removeDeadBypassCodes } from './store/bypass-codes.ts'
import { removeHistorySettledBefore } from './store/device-history.ts'
import { forgetCalls, removeDevicesRevokedBefore } from './store/devices.ts'
import { removeExpiredEmailCodes } from './store/email-codes.ts'
import { organizationOfDomain } from './store/domains.ts'
import { clearExpiredReplacements } from './store/replacements.ts'
import { expireSessions, removeSessionsSettledBefore } from './store/sessions.ts'
import { removeExpiredTokens } from './store/tokens.ts'

/** Seconds. Nothing depends on it: what a sweep takes away reads as gone already. */
const interval = 5 * 60
/** The longest window an attempt counts in, seconds. */
const attemptsCountFor = 24 * 60 * 60
/** How long a device that was taken out of use learns so when it calls, seconds. */
const revokedDevicesKept = 90 * 24 * 60 * 60

/** Clears away, now and then, what nobody can see any more. */
export function startSweep(ctx: ServiceContext): { stop(): Promise<void> } {
  let running = Promise.resolve()
  let stopped = false
  let cancel = schedule()

  function schedule(): () => void {
    return ctx.clock.after(interval * 1000, () => {
      running = sweepAll(ctx).catch((error: unknown) => ctx.logger.warn({ err: error }, 'sweep failed'))
      if (!stopped) cancel = schedule()
    })
  }

  return {
    async stop() {
      stopped = true
      cancel()
      await running
    },
  }
}

async function sweepAll(ctx: ServiceContext): Promise<void> {
  await sweep(ctx)
  await recoverSynchronisations(ctx)
  await pruneAudit(ctx, retentionEnd(ctx.clock.now(), ctx.auditRetention))
}

/** Sessions that expire in one transaction. */
const expireStep = 200

async function expire(ctx: SweepContext): Promise<void> {
  for (let more = true; more;) {
    const expired = await ctx.store.db.transaction().execute(async (db) => {
      const sessions = await expireSessions(db, ctx.clock.now(), expireStep)
      for (const session of sessions) {
        await auditSession(db, ctx, session, { organizationId: await organizationOfDomain(db, session.domainId) })
      }
      return sessions
    })
    ctx.observer.settled('timeout', expired.length)
    more = expired.length === expireStep
  }
}

type SweepContext = Pick<ServiceContext, 'store' | 'clock' | 'observer'> & AuditContext

export async function sweep(ctx: SweepContext): Promise<void> {
  const { db } = ctx.store
  const now = ctx.clock.now()
  await expire(ctx)
  await removeSessionsSettledBefore(db, now - readableFor)
  await removeExpiredTokens(db, now)
  await clearExpiredReplacements(db, now)
  await removeDeadBypassCodes(db, now)
  await removeExpiredEmailCodes(db, now)
  await removeOldChallengeTries(db, now)
  await removeHistorySettledBefore(db, now - historyKept)
  await forgetCalls(db, now)
  await forgetAttempts(db, now - attemptsCountFor)
  await removeDevicesRevokedBefore(db, now - revokedDevicesKept)
}
