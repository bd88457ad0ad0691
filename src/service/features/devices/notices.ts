import { AccessChangeKind, FactorChangeKind } from '../../../contract/device-answers.ts'
import type { AccessNotice, FactorNotice, Inbox } from '../../../contract/device-answers.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { removeNotice } from '../factors/notice-statements.ts'
import type { NoticeRow } from '../factors/notice-statements.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { consumeCall } from './signed-call.ts'
import type { SignedCall } from './signed-call.ts'

/** Removes a notice that the user has read. Acknowledging it again succeeds. Notices of other devices stay. */
export async function acknowledgeNotice(ctx: ServiceContext, call: SignedCall, noticeId: string): Promise<void> {
  await ctx.store.db.transaction().execute(async (db) => {
    await consumeCall(db, call)
    await removeNotice(db, { id: noticeId, deviceId: call.device.id })
  })
  ctx.waiters.wake(waiterKey.device(call.device.id))
}

/** The lists of an inbox that are not empty. */
export function noticeLists(rows: readonly NoticeRow[]): Pick<Inbox, 'notices' | 'accessNotices'> {
  const all = rows.map(({ id, domainId, domainName, kind, createdAt }) => {
    return { id, domain: { id: domainId, name: domainName }, kind, createdAt }
  })
  const notices = all.filter((notice): notice is FactorNotice => isOneOf(FactorChangeKind.options, notice.kind))
  const accessNotices = all.filter((notice): notice is AccessNotice => isOneOf(AccessChangeKind.options, notice.kind))
  return { ...(notices.length > 0 && { notices }), ...(accessNotices.length > 0 && { accessNotices }) }
}

const isOneOf = (kinds: readonly string[], kind: string): boolean => kinds.includes(kind)
