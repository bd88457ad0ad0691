import { waiterKey } from '../ground/waiter-key.ts'
import type { Observer } from '../monitoring/observer.ts'
import type { Revoked } from '../store/tokens.ts'
import type { Waiters } from './waiters.ts'

/** Tells those who wait for the sessions, and the devices, what was taken away. After the transaction, never in it. */
export function notifyRevoked(ctx: { readonly waiters: Waiters; readonly observer: Observer }, revoked: Revoked): void {
  ctx.observer.settled('cancelled', revoked.sessions.length)
  ctx.waiters.wake(
    ...revoked.sessions.map(({ id }) => waiterKey.session(id)),
    ...revoked.devices.map(({ id }) => waiterKey.device(id)),
  )
}

/** Tells those who wait for a session, and its device, that it changed. */
export function notifySession(
  ctx: { readonly waiters: Waiters },
  session: { id: string; deviceId: string | null },
): void {
  ctx.waiters.wake(waiterKey.session(session.id))
  if (session.deviceId !== null) ctx.waiters.wake(waiterKey.device(session.deviceId))
}
