import { auditSpan } from './statements.ts'
import {
  beatAuditVerification,
  finishAuditVerification,
  leaveAuditVerification,
  takeAuditVerification,
} from './verification-statements.ts'
import type { RowOf } from '../database/statement.ts'
import { audit } from './audit.ts'
import type { TrailContext } from './audit.ts'
import { verifyOrganization } from './verify-organization.ts'
import type { OwnVerification } from './verify-organization.ts'
import { withoutCaller } from '../base/waiting-caller.ts'

/** Verifies audit trails in the background, one after the other. */
export interface Verifications {
  /** Starts what is requested, if no process of the service verifies already. */
  wake(): void
  /** Stops after the current step. Another process, or the next start, begins again. */
  close(): Promise<void>
}

/** A process that was not seen for so long no longer runs its verification, seconds. */
const lostAfter = 60

/** How often a verification says that it runs, milliseconds. */
const beatInterval = 1_000

type Context = Omit<TrailContext, 'address'>
type RunClaim = NonNullable<RowOf<typeof takeAuditVerification>>

export function createVerifications(ctx: Context): Verifications {
  const ending = new AbortController()
  let running: Promise<void> | undefined
  /** Whether something was requested since the last look. */
  let requested = false

  async function runAll(): Promise<void> {
    const { db } = ctx.store
    while (requested && !ending.signal.aborted) {
      requested = false
      const now = ctx.clock.now()
      const claim = await takeAuditVerification(db, now, now - lostAfter)
      if (!claim) continue
      await run(ctx, claim, ending.signal)
      requested = true
    }
  }

  const verifications: Verifications = {
    wake() {
      requested = true
      running ??= withoutCaller(runAll)
        .catch((error: unknown) => ctx.logger.warn({ err: error }, 'the audit trail could not be verified'))
        .finally(() => {
          running = undefined
          if (requested && !ending.signal.aborted) verifications.wake()
        })
    },
    async close() {
      ending.abort()
      await running
    },
  }
  return verifications
}

async function run(ctx: Context, claim: RunClaim, signal: AbortSignal): Promise<void> {
  const { db } = ctx.store
  const span = await auditSpan(db)
  const lost = new AbortController()
  let read = 0
  let beatenAt = 0
  async function onStep(count: number) {
    read += count
    if (performance.now() - beatenAt < beatInterval) return
    beatenAt = performance.now()
    const percent = Math.min(99, Math.floor((100 * read) / Math.max(1, span)))
    if (!(await beatAuditVerification(db, claim, ctx.clock.now(), percent))) lost.abort()
  }
  const stop = AbortSignal.any([signal, lost.signal])
  const result = await verifyOrganization(db, claim.organizationId, { onStep, signal: stop })
  if (signal.aborted) await leaveAuditVerification(db, claim)
  else if (!lost.signal.aborted) await finish(ctx, claim, result)
}

/** The trail records that it was verified, for whom, and how many deviations there are. */
async function finish(ctx: Context, claim: RunClaim, { entries, findings, first }: OwnVerification): Promise<void> {
  const { organizationId, requestedBy } = claim
  await ctx.store.db.transaction().execute(async (db) => {
    const broken = first ? JSON.stringify(first) : null
    const result = { finishedAt: ctx.clock.now(), finishedFor: requestedBy, entries, findings, broken }
    if (!(await finishAuditVerification(db, claim, result))) return
    const actor = { kind: 'administrator', id: requestedBy } as const
    const facts = { count: entries, findings }
    await audit(db, { ...ctx, address: null }, { event: 'audit.verified', organizationId, actor, facts })
  })
}
