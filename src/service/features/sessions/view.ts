import type { Attribute, PendingSession, Session } from '../../../contract/sessions.ts'
import type { RowOf } from '../../engine/database/statement.ts'
import type { pendingOfMember, SessionRow } from './statements.ts'

export function sessionView(session: SessionRow): Session {
  return {
    id: session.id,
    state: session.state,
    reason: session.reason ?? undefined,
    factor: session.factor ?? undefined,
    factorId: session.factorId ?? undefined,
    userVerified: session.userVerified === 1 ? true : undefined,
    purpose: session.purpose,
    // A settled session needs no number.
    number: session.state === 'pending' ? (session.number ?? undefined) : undefined,
    keepBrowser: session.browser === 'keeping' ? true : undefined,
    fromKeptBrowser: session.browser === 'kept' ? true : undefined,
    createdAt: session.createdAt,
    expiresAt: session.expiresAt,
    settledAt: session.settledAt ?? undefined,
  }
}

export function pendingSessionView({ attributes, ...session }: RowOf<typeof pendingOfMember>): PendingSession {
  return { ...session, attributes: JSON.parse(attributes) as Attribute[] }
}
