import type { AccessChangeKind, FactorChangeKind } from '../../../contract/device-answers.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Actor } from '../../engine/audit/entry.ts'
import type { FactSources } from '../../engine/mail/mail-facts.ts'
import { mailAfterCommit } from '../../engine/mail/mail-after-commit.ts'
import type { ChangeKind } from '../../engine/mail/kinds.ts'
import { newId } from '../../engine/base/random.ts'
import { activeDevicesOfUser, insertNotice } from './notice-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { Revoked } from '../../engine/base/revoked.ts'
import { notifyAfter, onTransactionEnd } from '../../engine/database/transaction-ends.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'

type AnnounceContext = Pick<ServiceContext, 'clock' | 'random' | 'pusher' | 'securityMails'> & {
  readonly actor?: Actor
}

/** A change of a user's factors, or of what an administrator lifted or ended. */
export interface FactorChange extends Omit<FactSources, 'userId'> {
  readonly kind: ChangeKind
  readonly organizationId: string
  readonly userId: string
  /** The domain of the factor; absent if the factor is valid in every domain and no domain was named. */
  readonly domainId?: string | undefined
  /** The device that was just activated; it gets no notice. */
  readonly deviceId?: string
  /** One recovery code was made for the user. */
  readonly handedOver?: boolean
}

/**
 * Notifies the user of a change of factors: on the remaining devices and by mail. Every transaction that changes a factor
 * calls this after the change, so that a change and its notices are committed together. Mail and Web Push follow after
 * the commit and cannot fail the change.
 */
export async function announceChange(db: Queryable, ctx: AnnounceContext, change: FactorChange): Promise<void> {
  const createdAt = ctx.clock.now()
  const notices =
    change.kind === 'reset' ? [] : await storeNotices(db, ctx, { ...change, kind: change.kind }, createdAt)
  await mailAfterCommit(db, ctx, { changedDevice: change.deviceId, ...change })
  const inboxes = notices.map(({ deviceId }) => waiterKey.device(deviceId))
  notifyAfter(db, inboxes)
  onTransactionEnd(db, (ending) => {
    if (ending === 'undone') return
    for (const { id } of notices) ctx.pusher?.tell({ kind: 'notice', id, expiresAt: createdAt + pushLifetime })
  })
}

/** Notifies the user of a change by a caller of the same organization. */
export function announceCall(
  db: Queryable,
  call: AnnounceContext & Pick<FactorChange, 'organizationId'>,
  change: Omit<FactorChange, 'organizationId'>,
): Promise<void> {
  return announceChange(db, call, { ...change, organizationId: call.organizationId })
}

/** Notifies users of the devices that a revocation removed. */
export async function announceRevoked(
  db: Queryable,
  ctx: AnnounceContext,
  { devices }: Revoked,
  { organizationId, pass }: Pick<FactorChange, 'organizationId' | 'pass'>,
): Promise<void> {
  for (const { id, userId, domainId } of devices) {
    await announceChange(db, ctx, { kind: 'device_removed', organizationId, userId, domainId, changedDevice: id, pass })
  }
}

/** How long to try to wake a device by push, seconds. The notice itself stays longer. */
const pushLifetime = 60 * 60

interface StoredNotice {
  readonly id: string
  readonly deviceId: string
}

async function storeNotices(
  db: Queryable,
  { random }: AnnounceContext,
  { kind, userId, domainId, deviceId }: FactorChange & { readonly kind: FactorChangeKind | AccessChangeKind },
  createdAt: number,
): Promise<StoredNotice[]> {
  const devices = (await activeDevicesOfUser(db, userId)).filter((device) => device.id !== deviceId)
  const notices = devices.map((device) => ({
    id: newId(random),
    deviceId: device.id,
    // A factor of the whole organization is valid where the device is.
    domainId: domainId ?? device.domainId,
    kind,
    createdAt,
  }))
  for (const notice of notices) await insertNotice(db, notice)
  return notices
}
