import { sessionEventKey, waiterKey } from '../base/waiter-key.ts'
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

interface ChangedSession {
  readonly id: string
  readonly deviceId: string | null
}

/** Wakes the waiters of a session and its device. */
export const notifySession = (ctx: { readonly waiters: Waiters }, { id, deviceId }: ChangedSession): void =>
  ctx.waiters.wake(waiterKey.session(id), ...deviceKeys(deviceId))

/** The same for a session that has settled. Event streams report it without a read. */
export const notifySettled = (
  ctx: { readonly waiters: Waiters },
  { domainId, id, deviceId }: ChangedSession & { readonly domainId: string },
): void => ctx.waiters.wake(waiterKey.session(id), sessionEventKey.settled(domainId, id), ...deviceKeys(deviceId))

/** Wakes the waiters of the device that is asked. Event streams report the session when it expires. */
export const notifyPending = (
  ctx: { readonly waiters: Waiters },
  { id, deviceId, expiresAt }: ChangedSession & { readonly expiresAt: number },
): void => ctx.waiters.wake(sessionEventKey.pending(id, expiresAt), ...deviceKeys(deviceId))

const deviceKeys = (deviceId: string | null) => (deviceId === null ? [] : [waiterKey.device(deviceId)])
