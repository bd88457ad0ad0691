import type { ExpressionBuilder, Insertable, Selectable } from 'kysely'

import type { Decision } from '../../contract/device.ts'
import type { SessionReason } from '../../contract/sessions.ts'
import { prepare } from './prepared.ts'
import { latestBeginning } from '../rules/present.ts'
import type { AskedUser } from '../rules/push-limits.ts'
import { maxRequestTimeout } from '../rules/session-state.ts'
import { removedBy, someOf } from './due.ts'
import { isPending } from './pending.ts'
import type { Database, Fact, Queryable, SessionTable } from './schema.ts'

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
  return ofDomain(db, of).executeTakeFirst()
}

const ofDomain = prepare((db, of: { organizationId: string; domainId: string; sessionId: string }) =>
  db
    .selectFrom('session')
    .innerJoin('domain', 'domain.id', 'session.domainId')
    .selectAll('session')
    .where('session.id', '=', of.sessionId)
    .where('domain.id', '=', of.domainId)
    .where('domain.organizationId', '=', of.organizationId),
)

export function sessionOfDevice(db: Queryable, deviceId: string, id: string): Promise<SessionRow | undefined> {
  return ofDevice(db, { deviceId, id }).executeTakeFirst()
}

const ofDevice = prepare((db, { deviceId, id }: { deviceId: string; id: string }) =>
  db.selectFrom('session').selectAll().where('id', '=', id).where('deviceId', '=', deviceId),
)

/** A pending session with the words a person knows it by. */
export interface PendingRow extends SessionRow {
  readonly domainName: string
  readonly username: string
}

/** What waits for an answer of the device, newest first. */
export function pendingOfDevice(db: Queryable, deviceId: string, now: number): Promise<PendingRow[]> {
  return pendingOnes(db, { deviceId, now, latest: latestBeginning(now) }).execute()
}

const pendingOnes = prepare((db, { deviceId, now, latest }: { deviceId: string; now: number; latest: number }) =>
  db
    .selectFrom('session')
    .innerJoin('domain', 'domain.id', 'session.domainId')
    .innerJoin('user', 'user.id', 'session.userId')
    .selectAll('session')
    .select(['domain.name as domainName', 'user.username'])
    .where('session.deviceId', '=', deviceId)
    .where(isPending(now, latest))
    .orderBy('session.sequence', 'desc'),
)

/** When the requests that wait for a user in a domain lapse, soonest first: those of known browsers, or the others. */
export async function pendingExpiries(
  db: Queryable,
  of: { domainId: string; userId: string; knownBrowser: Fact },
  now: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('session')
    .select('expiresAt')
    .where('userId', '=', of.userId)
    .where('domainId', '=', of.domainId)
    .where('knownBrowser', '=', of.knownBrowser)
    .where(isPending(now))
    .orderBy('expiresAt')
    .execute()
  return rows.map((row) => row.expiresAt)
}

/** Requests of one network that are looked at, newest first: more of them say nothing else, and would take longer. */
const maxRequestsRead = 1_000

/** The different users whom a network has asked in a domain. */
export async function askedFrom(
  db: Queryable,
  { domainId, network, since, until }: { domainId: string; network: string; since: number; until: number },
): Promise<AskedUser[]> {
  const rows = await db
    .selectFrom('session')
    .select(['userId', 'state', 'createdAt'])
    .where('domainId', '=', domainId)
    .where('network', '=', network)
    .where('createdAt', '>', since)
    .where('createdAt', '<=', until)
    .orderBy('createdAt', 'desc')
    .limit(maxRequestsRead)
    .execute()
  return [...Map.groupBy(rows, ({ userId }) => userId).values()].map((requests) => ({
    lastAskedAt: Math.max(...requests.map(({ createdAt }) => createdAt)),
    approved: requests.some(({ state }) => state === 'approved'),
  }))
}

/** Numbers a person may be looking at right now. */
export async function pendingNumbers(db: Queryable, userId: string, now: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('session')
    .select('number')
    .where('userId', '=', userId)
    .where(isPending(now))
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
      factorId: answer.outcome.factor === undefined ? null : answer.deviceId,
      answeredDecision: answer.decision,
      answeredNumber: answer.number,
      settledAt: now,
    })
    .where('id', '=', answer.id)
    .where(isPending(now))
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
    .where(isPending(now))
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
  return redeeming(db, { ...of, now, latest: latestBeginning(now) }).executeTakeFirst()
}

interface Redeeming {
  readonly id: string
  readonly domainId: string
  readonly challenge: string
  readonly settledAfter: number
  readonly latest: number
  readonly now: number
}

const redeeming = prepare((db, of: Redeeming & Readonly<Record<string, unknown>>) =>
  db
    .updateTable('session')
    .set({ redeemedAt: of.now, passed: 1 })
    .where('id', '=', of.id)
    .where('domainId', '=', of.domainId)
    .where('state', '=', 'approved')
    .where('challenge', '=', of.challenge)
    .where('redeemedAt', 'is', null)
    .where('settledAt', '>', of.settledAfter)
    .where('settledAt', '<=', of.latest)
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
    .returningAll(),
)

export async function countPending(db: Queryable, now: number): Promise<number> {
  const { pending } = await db
    .selectFrom('session')
    .select((eb) => eb.fn.countAll<number | string>().as('pending'))
    .where(isPending(now))
    .executeTakeFirstOrThrow()
  return Number(pending)
}

/** Writes down what reads as expired already, some of it. In a transaction. */
export function expireSessions(db: Queryable, now: number, most: number): Promise<SessionRow[]> {
  const due = db.selectFrom('session').select('sequence').where('state', '=', 'pending').where('expiresAt', '<=', now)
  return (
    db
      .updateTable('session')
      .set((eb) => ({ state: 'expired', reason: 'timeout', settledAt: eb.ref('expiresAt') }))
      // Nothing else is asked here, or SQLite walks through all pending sessions to find these.
      .where('sequence', 'in', someOf(db, due, most))
      .returningAll()
      .execute()
  )
}

/** The same for what a clock that was ahead has dated in the future: it reads as expired, too. */
export function endFutureSessions(db: Queryable, now: number, most: number): Promise<SessionRow[]> {
  const future = db
    .selectFrom('session')
    .select('sequence')
    .where('state', '=', 'pending')
    .where('expiresAt', '>', latestBeginning(now + maxRequestTimeout))
  return db
    .updateTable('session')
    .set({ state: 'expired', reason: 'timeout', settledAt: now })
    .where('sequence', 'in', someOf(db, future, most))
    .returningAll()
    .execute()
}

export async function removeSessionsSettledBefore(db: Queryable, time: number): Promise<number> {
  const due = db.selectFrom('session').select('sequence').where('settledAt', '<=', time)
  return removedBy(await db.deleteFrom('session').where('sequence', 'in', someOf(db, due)).executeTakeFirst())
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
