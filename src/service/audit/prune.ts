import { inSteps } from '../ground/in-steps.ts'
import { auditRowsOf, auditWriterById, auditWritersBefore, moveAuditStart, removeAuditRows } from '../store/audit.ts'
import { takePruneBudget } from '../store/trusted-clock.ts'
import { audit } from './audit.ts'
import type { TrailContext } from './audit.ts'

/** The most entries that one transaction removes. */
const pruneStep = 250

type Context = Pick<TrailContext, 'store' | 'trail' | 'actor' | 'address'>

/**
 * Removes older entries from the start of each chain, and records that in the trail.
 * @returns the number of removed entries.
 */
export async function pruneAudit(ctx: Context, before: number, options: PruneOptions = {}): Promise<number> {
  let removed = 0
  for (const writer of await auditWritersBefore(ctx.store.db, before)) {
    const steps = { size: pruneStep, signal: options.signal }
    removed += await inSteps(steps, () => pruneSome(ctx, writer, before, options))
  }
  return removed
}

export interface PruneOptions {
  /** Removes no more than the daily budget. */
  readonly withinBudget?: boolean
  /** Stops early, after one step of each chain. */
  readonly signal?: AbortSignal | undefined
}

function pruneSome(
  ctx: Context,
  writer: string,
  before: number,
  { withinBudget = false }: PruneOptions,
): Promise<number> {
  return ctx.store.db.transaction().execute(async (db) => {
    const start = await auditWriterById(db, writer)
    if (!start) return 0
    const rows = await auditRowsOf(db, writer, start.startSequence, pruneStep)
    const young = rows.findIndex(({ at }) => at >= before)
    const due = young === -1 ? rows : rows.slice(0, young)
    const old = withinBudget ? due.slice(0, await takePruneBudget(db, due.length)) : due
    const last = old.at(-1)
    if (!last || !(await moveAuditStart(db, writer, start.startSequence, last))) return 0
    await removeAuditRows(db, writer, last.sequence)
    const facts = { chain: writer, through: last.sequence, removed: old.length, before }
    await audit(db, ctx, { event: 'audit.pruned', organizationId: null, facts })
    return old.length
  })
}
