import type * as contract from '../../../contract/sessions.ts'
import { auditSession } from './audit.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { atTime, isReadable } from './rules.ts'
import { pendingSessionView, sessionView } from './view.ts'
import { cancelPending, pendingOfMember, sessionOf } from './statements.ts'
import type { SessionRow } from './statements.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { findDomain, findMember } from '../domains/find.ts'
import { notifySettled } from '../../engine/waiting/notify.ts'

type SessionKey = { domainId: string; sessionId: string }

export const get: Handler<typeof contract.getSession> = async (input, call) => {
  const read = () => load(call, input)
  if (!call.http) return sessionView(await read())
  const session = await call.http.hold(waiterKey.session(input.sessionId), {
    read,
    changesAt: ({ state, expiresAt }) => (state === 'pending' ? expiresAt : undefined),
    userOf: ({ userId }) => userId,
  })
  return sessionView(session)
}

export const listPending: Handler<typeof contract.listPendingSessions> = async (input, call) => {
  const { domain, user } = await findMember(call, input.domainId, { id: input.userId })
  const member = { domainId: domain.id, userId: user.id }
  const rows = await pendingOfMember(call.store.db, member, call.clock.now())
  return rows.map((row) => pendingSessionView(row))
}

export const watch: Handler<typeof contract.watchSessions> = async (input, call) => {
  const domain = await findDomain(call, input.domainId)
  return (follower) => call.settled.follow(domain.id, follower)
}

export const cancel: Handler<typeof contract.cancelSession> = async (input, call) => {
  const session = await load(call, input)
  const cancelled = await readCommitted(call.store.db).execute(async (db) => {
    const cancelledRow = await cancelPending(db, session.id, call.clock.now())
    if (cancelledRow) await auditSession(db, call, { ...session, state: 'cancelled' }, call)
    return cancelledRow
  })
  if (cancelled) notifyCancelled(call, [session])
}

/** Call it once the change is committed. */
export function notifyCancelled(call: Call, sessions: readonly SessionRow[]): void {
  for (const session of sessions) {
    call.observer.settled('cancelled', 1, { factor: 'push', seconds: call.clock.now() - session.createdAt })
    notifySettled(call, session)
  }
}

/** The session in its current state. Settled sessions can be read for a day. */
export async function load(call: Call, sessionKey: SessionKey): Promise<SessionRow> {
  const now = call.clock.now()
  const row = await sessionOf(call.store.db, { organizationId: call.organizationId, ...sessionKey })
  if (!row) await findDomain(call, sessionKey.domainId)
  const session = row && atTime(row, now)
  if (!session || !isReadable(session, now)) throw new ApiProblem('api.error.notfound.session')
  return session
}
