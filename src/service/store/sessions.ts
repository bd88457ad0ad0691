import type { ExpressionBuilder, Insertable, Selectable } from 'kysely'

import type { Decision } from '../../contract/device.ts'
import type { SessionReason } from '../../contract/sessions.ts'
import type { Database, Queryable, SessionTable } from './schema.ts'

export type SessionRow = Selectable<SessionTable>

/** How a session ends. */
export type Outcome =
  | { readonly state: 'approved'; readonly factor: 'push'; readonly reason?: undefined }
  | { readonly state: 'denied'; readonly reason: SessionReason; readonly factor?: undefined }

export async function insertSession(db: Queryable, row: Insertable<SessionTable>): Promise<SessionRow> {
  return db.insertInto('session').values(row).returningAll().executeTakeFirstOrThrow()
}

/** The hot one: people wait for it. Whoever asks sees only sessions of its organization and of the domain it names. */
export function sessionOf(
  db: Queryable,
  of: { organizationId: string; domainId: string; sessionId: string },
): Promise<SessionRow | undefined> {
  return db
    .selectFrom('session')
    .innerJoin('domain', 'domain.id', 'session.domainId')
    .selectAll('session')
    .where('session.id', '=', of.sessionId)
    .where('domain.id', '=', of.domainId)
    .where('domain.organizationId', '=', of.organizationId)
    .executeTakeFirst()
}

export function sessionOfDevice(db: Queryable, deviceId: string, id: string): Promise<SessionRow | undefined> {
  return db.selectFrom('session').selectAll().where('id', '=', id).where('deviceId', '=', deviceId).executeTakeFirst()
}

/** A pending session with the words a person knows it by. */
export interface PendingRow extends SessionRow {
  readonly domainName: string
  readonly username: string
}

/** What waits for an answer of the device, newest first. */
export function pendingOfDevice(db: Queryable, deviceId: string, now: number): Promise<PendingRow[]> {
  return db
    .selectFrom('session')
    .innerJoin('domain', 'domain.id', 'session.domainId')
    .innerJoin('user', 'user.id', 'session.userId')
    .selectAll('session')
    .select(['domain.name as domainName', 'user.username'])
    .where('session.deviceId', '=', deviceId)
    .where('session.state', '=', 'pending')
    .where('session.expiresAt', '>', now)
    .orderBy('session.sequence', 'desc')
    .execute()
}

/** When the requests that wait for a user in a domain lapse, soonest first. */
export async function pendingExpiries(
  db: Queryable,
  of: { domainId: string; userId: string },
  now: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('session')
    .select('expiresAt')
    .where('userId', '=', of.userId)
    .where('domainId', '=', of.domainId)
    .where('state', '=', 'pending')
    .where('expiresAt', '>', now)
    .orderBy('expiresAt')
    .execute()
  return rows.map((row) => row.expiresAt)
}

/** Numbers a person may be looking at right now. */
export async function pendingNumbers(db: Queryable, userId: string, now: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('session')
    .select('number')
    .where('userId', '=', userId)
    .where('state', '=', 'pending')
    .where('expiresAt', '>', now)
    .where('number', 'is not', null)
    .execute()
  return new Set(rows.flatMap((row) => row.number ?? []))
}

/**
 * Settles a pending session by its device's answer.
 * @returns false when another answer, a cancellation, a revocation or the clock was first.
 */
export async function settleSession(
  db: Queryable,
  answer: { id: string; deviceId: string; decision: Decision; number: string | null; outcome: Outcome },
  now: number,
): Promise<boolean> {
  const won = await db
    .updateTable('session')
    .set({
      state: answer.outcome.state,
      reason: answer.outcome.reason ?? null,
      factor: answer.outcome.factor ?? null,
      answeredDecision: answer.decision,
      answeredNumber: answer.number,
      settledAt: now,
    })
    .where('id', '=', answer.id)
    .where('state', '=', 'pending')
    .where('expiresAt', '>', now)
    .where('deviceId', '=', answer.deviceId)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('device')
          .select('device.id')
          .where('device.id', '=', answer.deviceId)
          .where('device.revokedAt', 'is', null),
      ),
    )
    .where(isOfMember)
    .executeTakeFirst()
  return won.numUpdatedRows === 1n
}

/** @returns the device it was pending on; nothing when it was not pending any more. */
export function cancelPending(
  db: Queryable,
  id: string,
  now: number,
): Promise<{ deviceId: string | null } | undefined> {
  return db
    .updateTable('session')
    .set({ state: 'cancelled', reason: 'cancelled', settledAt: now })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('expiresAt', '>', now)
    .returning('deviceId')
    .executeTakeFirst()
}

/**
 * Uses an approval up, once, for its challenge. What was revoked since it was given no longer counts.
 * @returns the session, or nothing where there is no such approval.
 */
export function redeemApproval(
  db: Queryable,
  of: { id: string; domainId: string; challenge: string; settledAfter: number },
  now: number,
): Promise<SessionRow | undefined> {
  return db
    .updateTable('session')
    .set({ redeemedAt: now })
    .where('id', '=', of.id)
    .where('domainId', '=', of.domainId)
    .where('state', '=', 'approved')
    .where('challenge', '=', of.challenge)
    .where('redeemedAt', 'is', null)
    .where('settledAt', '>', of.settledAfter)
    .where(isOfMember)
    .where((eb) =>
      eb.or([
        eb('deviceId', 'is', null),
        eb.exists(
          eb
            .selectFrom('device')
            .select('device.id')
            .whereRef('device.id', '=', 'session.deviceId')
            .where('device.revokedAt', 'is', null),
        ),
      ]),
    )
    .returningAll()
    .executeTakeFirst()
}

export async function countPending(db: Queryable, now: number): Promise<number> {
  const { pending } = await db
    .selectFrom('session')
    .select((eb) => eb.fn.countAll<number | string>().as('pending'))
    .where('state', '=', 'pending')
    .where('expiresAt', '>', now)
    .executeTakeFirstOrThrow()
  return Number(pending)
}

/** Writes down what reads as expired already, some of it. In a transaction. */
export function expireSessions(db: Queryable, now: number, most: number): Promise<SessionRow[]> {
  const some = db
    .selectFrom('session')
    .select('sequence')
    .where('state', '=', 'pending')
    .where('expiresAt', '<=', now)
    .limit(most)
  return db
    .updateTable('session')
    .set((eb) => ({ state: 'expired', reason: 'timeout', settledAt: eb.ref('expiresAt') }))
    .where('sequence', 'in', some)
    .where('state', '=', 'pending')
    .returningAll()
    .execute()
}

export async function removeSessionsSettledBefore(db: Queryable, time: number): Promise<void> {
  await db.deleteFrom('session').where('settledAt', '<=', time).execute()
}

/** Who has left the domain a moment ago, together with many others, may still have a device. */
function isOfMember(eb: ExpressionBuilder<Database, 'session'>) {
  return eb.exists(
    eb
      .selectFrom('member')
      .select('member.userId')
      .whereRef('member.domainId', '=', 'session.domainId')
      .whereRef('member.userId', '=', 'session.userId'),
  )
}
