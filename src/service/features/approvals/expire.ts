import type { AuditContext } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { stopWaiting } from './approver-statements.ts'
import { auditPlain } from './audit.ts'
import { notifyApproval } from './notify.ts'
import { expireApproval, expiredApprovals } from './statements.ts'

type Context = Pick<ServiceContext, 'store' | 'clock' | 'observer' | 'waiters'> & AuditContext

/** Stores that approvals have expired; they read as expired before. @returns how many; fewer than `limit` where none is left. */
export async function expireApprovals(ctx: Context, limit: number): Promise<number> {
  const now = ctx.clock.now()
  const expired = await ctx.store.db.transaction().execute(async (db) => {
    const rows = []
    for (const row of await expiredApprovals(db, now, limit)) {
      if (!(await expireApproval(db, row.id, row.expiresAt))) continue
      const deviceIds = await stopWaiting(db, [row.id])
      await auditPlain(db, ctx, 'approval.expired', row)
      notifyApproval(db, ctx, row, deviceIds)
      rows.push(row)
    }
    return rows
  })
  expired.forEach(() => ctx.observer.approvalSettled('expired'))
  return expired.length
}
