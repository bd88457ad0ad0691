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
export function notifySession(
  ctx: { readonly waiters: Waiters },
  { id, deviceId }: ChangedSession,
  ...eventKeys: readonly string[]
): void {
  ctx.waiters.wake(waiterKey.session(id), ...eventKeys, ...(deviceId === null ? [] : [waiterKey.device(deviceId)]))
}

/** The same for a session that has settled. Event streams report it without a read. */
export const notifySettled = (
  ctx: { readonly waiters: Waiters },
  session: ChangedSession & { readonly domainId: string },
): void => notifySession(ctx, session, sessionEventKey.settled(session.domainId, session.id))

/** The same for a session that waits for an answer. Event streams report when it expires. */
export const notifyPending = (
  ctx: { readonly waiters: Waiters },
  session: ChangedSession & { readonly expiresAt: number },
): void => notifySession(ctx, session, sessionEventKey.pending(session.id, session.expiresAt))
