import type { ServiceContext } from '../context.ts'
import { auditRowsOf, auditWriterById, auditWritersBefore, moveAuditStart, removeAuditRows } from '../store/audit.ts'
import { audit } from './audit.ts'

/** Rows that go in one transaction: others have a turn in between. */
const step = 1_000

type Context = Pick<ServiceContext, 'store' | 'trail' | 'actor' | 'address'>

/**
 * Takes away what is older, from the beginning of each chain, and writes down that it did.
 * @returns how many entries went.
 */
export async function pruneAudit(ctx: Context, before: number): Promise<number> {
  let removed = 0
  for (const writer of await auditWritersBefore(ctx.store.db, before)) {
    for (let some = step; some === step; removed += some) some = await pruneStep(ctx, writer, before)
  }
  return removed
}

function pruneStep(ctx: Context, writer: string, before: number): Promise<number> {
  return ctx.store.db.transaction().execute(async (db) => {
    const start = await auditWriterById(db, writer)
    if (!start) return 0
    const rows = await auditRowsOf(db, writer, start.startSequence, step)
    const young = rows.findIndex(({ at }) => at >= before)
    const old = young === -1 ? rows : rows.slice(0, young)
    const last = old.at(-1)
    if (!last || !(await moveAuditStart(db, writer, start.startSequence, last))) return 0
    await removeAuditRows(db, writer, last.sequence)
    const facts = { chain: writer, through: last.sequence, removed: old.length, before }
    await audit(db, ctx, { event: 'audit.pruned', organizationId: null, facts })
    return old.length
  })
}

const day = 24 * 60 * 60

/** Whole days, so that it is done once a day. @param days How long entries are kept. */
export const retentionEnd = (now: number, days: number): number => Math.floor(now / day) * day - days * day
