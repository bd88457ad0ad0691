import type { ServiceContext } from '../../engine/context/service-context.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { afterCommit } from '../../engine/database/transaction-ends.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

interface Changed {
  readonly id: string
  readonly domainId: string
}

/** Wakes all who wait for an approval, once this transaction is committed. @param deviceIds The devices whose inbox changes. */
export function notifyApproval(
  db: Queryable,
  { waiters }: Pick<ServiceContext, 'waiters'>,
  { id, domainId }: Changed,
  deviceIds: readonly (string | null)[],
): void {
  const devices = deviceIds.flatMap((deviceId) => (deviceId === null ? [] : [waiterKey.device(deviceId)]))
  afterCommit(db, () => waiters.wake(waiterKey.approval(id), waiterKey.approvalsOf(domainId), ...devices))
}
