import { waiterKey } from '../base/waiter-key.ts'
import type { Observer } from '../monitoring/observer.ts'
import type { Queryable } from '../database/schema/schema.ts'
import type { Revoked } from '../base/revoked.ts'
import { afterCommit } from '../database/transaction-ends.ts'
import type { Waiters } from './waiters.ts'

/** Wakes the waiters of sessions and devices that this transaction revokes, once it is committed. */
export function notifyRevoked(
  db: Queryable,
  ctx: { readonly waiters: Waiters; readonly observer: Observer },
  revoked: Revoked,
): void {
  afterCommit(db, () => {
    ctx.observer.settled('cancelled', revoked.sessions.length)
    ctx.waiters.wake(
      ...revoked.sessions.map(({ id }) => waiterKey.session(id)),
      ...revoked.devices.map(({ id }) => waiterKey.device(id)),
    )
  })
}

/** Wakes the waiters of a session and its device. */
export function notifySession(
  ctx: { readonly waiters: Waiters },
  session: { id: string; deviceId: string | null },
): void {
  ctx.waiters.wake(waiterKey.session(session.id))
  if (session.deviceId !== null) ctx.waiters.wake(waiterKey.device(session.deviceId))
}
