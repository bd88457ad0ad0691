import type { ApprovalEvent } from '../../../contract/approvals.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { followChanges } from '../../engine/http/follow-changes.ts'
import type { EventSource } from '../../engine/waiting/follower.ts'
import { approvalsWithoutSome } from './approver-statements.ts'
import { settleAbandoned } from './settle.ts'
import { pendingApprovals, settledApprovals } from './statements.ts'

/** Times are whole seconds, and a change is visible a moment after it was made; seconds. */
const slack = 5

/** Sends the id of each approval of a domain that settles from now on. Some may be sent twice, and none is missed. */
export function followApprovals(ctx: ServiceContext, domainId: string): EventSource<ApprovalEvent> {
  return followChanges(ctx, waiterKey.approvalsOf(domainId), () => {
    let since = ctx.clock.now()
    let sent = new Map<string, number>()
    return async () => {
      const now = ctx.clock.now()
      const { settled, nextExpiry } = await look(ctx, domainId, Math.min(since, now) - slack)
      const events = settled.filter((id) => !sent.has(id)).map((id) => ({ id }))
      sent = new Map([...sent, ...settled.map((id) => [id, now] as const)].filter(([, at]) => at > now - 2 * slack))
      since = now
      return { events, changesAt: nextExpiry }
    }
  })
}

/** What has settled since a time, and when the next approval expires; `Infinity` where none waits. */
async function look(ctx: ServiceContext, domainId: string, since: number) {
  const { store, clock } = ctx
  for (const row of await approvalsWithoutSome(store.db, domainId)) await settleAbandoned(ctx, row)
  const settled = await settledApprovals(store.db, { domainId, since })
  const pending = await pendingApprovals(store.db, domainId)
  const now = clock.now()
  const expired = pending.filter(({ expiresAt }) => expiresAt <= now && expiresAt >= since)
  const waiting = pending.flatMap(({ expiresAt }) => (expiresAt > now ? [expiresAt] : []))
  return { settled: [...settled, ...expired.map(({ id }) => id)], nextExpiry: Math.min(...waiting) }
}
