import { auditCall } from '../audit/audit.ts'
import type { ServiceContext } from '../context.ts'
import { StoreUnavailableError } from '../store/store.ts'
import { abandonedSynchronisations, markApplied } from '../store/synchronisations.ts'
import type { Held, StagedRow, SynchronisationRow } from '../store/synchronisations.ts'
import { abandonedAfter, claim, replaceHolder } from './claim.ts'
import { finish, undo } from './finish.ts'
import { stage } from './stage.ts'
import type { Changes } from './stage.ts'

/**
 * Makes the rows the members of the domain: staged in small steps that nobody sees, applied by one, then cleaned up in
 * small steps. Until the one step everything is as before, after it everything is new.
 */
export async function synchronizeMembers(
  ctx: ServiceContext,
  of: { organizationId: string; domainId: string },
  rows: readonly StagedRow[],
): Promise<void> {
  const held = await claim(ctx, of, (abandoned) => recover(ctx, abandoned))
  const changes = await stageOrUndo(ctx, held, rows)
  if (changes.added + changes.changed + changes.removed === 0) return undo(ctx, held)
  await apply(ctx, held, changes)
  await finish(ctx, held)
}

async function apply(ctx: ServiceContext, held: Held, changes: Changes): Promise<void> {
  await ctx.store.db.transaction().execute(async (db) => {
    if (!(await markApplied(db, held, ctx.clock.now()))) {
      throw new StoreUnavailableError('The synchronisation was taken over.')
    }
    const { organizationId, domainId: domain } = held
    await auditCall(db, { ...ctx, organizationId }, 'membership.synchronised', { domain, ...changes })
  })
}

async function stageOrUndo(ctx: ServiceContext, held: Held, rows: readonly StagedRow[]): Promise<Changes> {
  try {
    return await stage(ctx, held, rows)
  } catch (error) {
    // What cannot be taken back now, the next one or the sweep takes back.
    await undo(ctx, held).catch((reason: unknown) => ctx.logger.warn({ err: reason }, 'synchronisation left behind'))
    throw error
  }
}

/** Brings those to an end whose process has died on the way. */
export async function recoverSynchronisations(ctx: ServiceContext): Promise<void> {
  const abandoned = await abandonedSynchronisations(ctx.store.db, ctx.clock.now() - abandonedAfter)
  for (const row of abandoned) await recover(ctx, row)
}

async function recover(ctx: ServiceContext, row: SynchronisationRow): Promise<void> {
  const held = await replaceHolder(ctx, row)
  if (!held) return
  if (row.appliedAt === null) await undo(ctx, held)
  else await finish(ctx, held)
}
