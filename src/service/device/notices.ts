import type { FactorNotice } from '../../contract/device-answers.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { removeNotice } from '../store/device-notices.ts'
import type { NoticeRow } from '../store/device-notices.ts'
import { waiterKey } from '../ground/waiter-key.ts'
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

export function noticeView({ id, domainId, domainName, kind, createdAt }: NoticeRow): FactorNotice {
  return { id, domain: { id: domainId, name: domainName }, kind, createdAt }
}
