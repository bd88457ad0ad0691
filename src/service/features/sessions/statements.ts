import { sql } from 'kysely'
import type { ExpressionBuilder, Selectable } from 'kysely'

import type { Decision } from '../../../contract/device.ts'
import type { SessionReason } from '../../../contract/sessions.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import type { AskedUser } from './push-limits.ts'
import { maxRequestTimeout } from '../../../admin-contract/domain-settings.ts'
import { someOf } from '../../engine/database/due.ts'
import { isPending } from '../../engine/database/pending.ts'
import type { Database, Fact, Queryable } from '../../engine/database/schema/schema.ts'
import {
  allRows,
  allValues,
  change,
  changesRow,
  derived,
  firstRow,
  pick,
  withDefaults,
} from '../../engine/database/statement.ts'
import type { RowOf, Slot, Slots } from '../../engine/database/statement.ts'

export type SessionRow = Omit<Selectable<Database['session']>, 'sequence'>

/** How a session ends. */
export type Outcome =
  | { readonly state: 'approved'; readonly factor: 'push'; readonly reason?: undefined }
  | { readonly state: 'denied'; readonly reason: SessionReason; readonly factor?: undefined }

/** @returns the row, for which nothing has to be read: the database adds only its place in the order. */
export async function insertSession(db: Queryable, row: NewSession): Promise<SessionRow> {
  const complete = { ...unanswered, ...row }
  await insertRow(db, complete)
  return complete
}

type NewSession = Partial<SessionRow> & Omit<SessionRow, keyof typeof unanswered>

const insertRow = change('insertSession', (db, row: Slots<SessionRow>) =>
  db.insertInto('session').values({
    ...pick(row, ['id', 'domainId', 'userId', 'state', 'nonce', 'attributes', 'createdAt', 'expiresAt']),
    ...withDefaults(row, unanswered),
  }),
)

const unanswered = {
  purpose: 'sign_in',
  userVerified: 0,
  knownBrowser: 0,
  passed: 0,
  deviceId: null,
  reason: null,
  factor: null,
  factorId: null,
  number: null,
  scanHash: null,
  ipAddress: null,
  challenge: null,
  settledAt: null,
  redeemedAt: null,
  answeredDecision: null,
  answeredNumber: null,
  network: null,
  phishingResistant: null,
  browser: null,
  keptBrowser: null,
  binding: null,
  passedBefore: null,
} as const

/** Callers see only sessions of their organization and of the domain they name. */
export const sessionOf = firstRow(
  'sessionOf',
  (db, slots: Slots<{ organizationId: string; domainId: string; sessionId: string }>) =>
    db
      .selectFrom('session')
      .innerJoin('domain', 'domain.id', 'session.domainId')
      .selectAll('session')
      .where('session.id', '=', slots.sessionId)
      .where('domain.id', '=', slots.domainId)
      .where('domain.organizationId', '=', slots.organizationId),
)

export const sessionOfDevice = firstRow('sessionOfDevice', (db, deviceId: Slot<string>, id: Slot<string>) =>
  db.selectFrom('session').selectAll().where('id', '=', id).where('deviceId', '=', deviceId),
)

/** A pending session with the names a person knows it by. */
export type PendingRow = RowOf<typeof pendingOfDevice>

/** The sessions that wait for an answer of the device, newest first. */
export const pendingOfDevice = allRows('pendingOfDevice', (db, deviceId: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('session')
    .innerJoin('domain', 'domain.id', 'session.domainId')
    .innerJoin('user', 'user.id', 'session.userId')
    .selectAll('session')
    .select(['domain.name as domainName', 'user.username', 'user.name'])
    .where('session.deviceId', '=', deviceId)
    .where(isPending(now))
    .orderBy('session.sequence', 'desc'),
)

/** The sessions of a user in a domain that wait for an answer of the device, newest first. */
export const pendingOfMember = allRows(
  'pendingOfMember',
  (db, slots: Slots<Pick<SessionRow, 'domainId' | 'userId'>>, now: Slot<number>) =>
    db
      .selectFrom('session')
      .select(['id', 'purpose', 'attributes', 'createdAt', 'expiresAt'])
      .where((is) => is.and({ userId: slots.userId, domainId: slots.domainId }))
      .where(isPending(now))
      .orderBy('sequence', 'desc'),
)

/** Finds when the pending requests of a user in a domain expire, soonest first: those of known browsers, or the others. */
export const pendingExpiries = allValues(
  'pendingExpiries',
  (db, slots: Slots<{ domainId: string; userId: string; knownBrowser: Fact }>, now: Slot<number>) =>
    db
      .selectFrom('session')
      .select('expiresAt')
      .where((is) => is.and({ userId: slots.userId, domainId: slots.domainId, knownBrowser: slots.knownBrowser }))
      .where(isPending(now))
      .orderBy('expiresAt'),
)

/** Requests of one network that are looked at, newest first: more of them say nothing else, and would take longer. */
const maxRequestsRead = 1_000

type Asking = Pick<SessionRow, 'domainId'> & {
  readonly network: string
  readonly since: number
  readonly until: number
}

/** The different users who were asked from a network in a domain. */
export async function askedFrom(db: Queryable, period: Asking): Promise<AskedUser[]> {
  const rows = await requestsFrom(db, period)
  return [...Map.groupBy(rows, ({ userId }) => userId).values()].map((requests) => ({
    lastAskedAt: Math.max(...requests.map(({ createdAt }) => createdAt)),
    approved: requests.some(({ state }) => state === 'approved'),
  }))
}

const requestsFrom = allRows('requestsFrom', (db, { domainId, network, since, until }: Slots<Asking>) =>
  db
    .selectFrom('session')
    .select(['userId', 'state', 'createdAt'])
    .where((is) => is.and({ domainId, network }))
    .where('createdAt', '>', since)
    .where('createdAt', '<=', until)
    .orderBy('createdAt', 'desc')
    .limit(maxRequestsRead),
)

/** Numbers that a person may be looking at right now. */
export async function pendingNumbers(db: Queryable, userId: string, now: number): Promise<Set<string>> {
  return new Set((await numbersOf(db, userId, now)).flatMap((number) => number ?? []))
}

const numbersOf = allValues('numbersOf', (db, userId: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('session')
    .select('number')
    .where('userId', '=', userId)
    .where(isPending(now))
    .where('number', 'is not', null),
)

interface Answer {
  readonly id: string
  readonly deviceId: string
  readonly decision: Decision
  readonly number: string | null
  readonly outcome: Outcome
  readonly browser: SessionRow['browser']
}

/**
 * Settles a pending session by its device's answer.
 * @returns false when another answer, a cancellation, a revocation or the clock was first.
 */
export const settleSession = changesRow('settleSession', (db, answer: Slots<Answer>, now: Slot<number>) =>
  db
    .updateTable('session')
    .set({
      state: derived(answer.outcome, ({ state }) => state),
      reason: derived(answer.outcome, ({ reason }) => reason ?? null),
      factor: derived(answer.outcome, ({ factor }) => factor ?? null),
      factorId: derived(answer, ({ outcome, deviceId }) => (outcome.factor === undefined ? null : deviceId)),
      answeredDecision: answer.decision,
      answeredNumber: answer.number,
      browser: answer.browser,
      settledAt: now,
    })
    .where('id', '=', answer.id)
    .where(isPending(now))
    .where('deviceId', '=', answer.deviceId)
    // One that was reported after its time waits again once the clock is set back, and stays reported.
    .where('answeredDecision', 'is', null)
    .where(hasDeviceInUse)
    .where(isOfMember),
)

/** @returns the device it was pending on; nothing if it was no longer pending. */
export const cancelPending = firstRow('cancelPending', (db, id: Slot<string>, now: Slot<number>) =>
  db
    .updateTable('session')
    .set({ state: 'cancelled', reason: 'cancelled', settledAt: now })
    .where('id', '=', id)
    .where(isPending(now))
    .returning('deviceId'),
)

type Asker = Pick<SessionRow, 'domainId' | 'userId'> & { readonly binding: string }

/** Cancels what a newer request of the same browser replaces. In a transaction that has locked the user. */
export const cancelReplaced = allRows('cancelReplaced', (db, slots: Slots<Asker>, now: Slot<number>) =>
  db
    .updateTable('session')
    .set({ state: 'cancelled', reason: 'cancelled', settledAt: now })
    .where((is) => is.and({ userId: slots.userId, domainId: slots.domainId, binding: slots.binding }))
    .where(isPending(now))
    .returningAll(),
)

type Redeeming = Pick<SessionRow, 'id' | 'domainId'> & { readonly challenge: string; readonly settledAfter: number }

/**
 * Uses an approval up, once, for its challenge. An approval by a device that was revoked since then does not count.
 * @returns the session, or nothing where there is no such approval.
 */
export const redeemApproval = firstRow('redeemApproval', (db, slots: Slots<Redeeming>, now: Slot<number>) =>
  db
    .updateTable('session')
    .set({ redeemedAt: now, passed: 1 })
    .where('id', '=', slots.id)
    .where('domainId', '=', slots.domainId)
    .where('state', '=', 'approved')
    .where('challenge', '=', slots.challenge)
    .where('redeemedAt', 'is', null)
    // An expression, or PostgreSQL may plan to read all sessions of that time while the table is new.
    .where((eb) => eb(eb.fn.coalesce('settledAt', eb.lit(0)), '>', slots.settledAfter))
    .where((eb) => eb(eb.fn.coalesce('settledAt', eb.lit(0)), '<=', derived(now, latestBeginning)))
    .where(isOfMember)
    .where((eb) => eb.or([eb('deviceId', 'is', null), hasDeviceInUse(eb)]))
    .returningAll(),
)

/** Writes down what reads as expired already, some of it. In a transaction. */
export function expireSessions(db: Queryable, now: number, max: number): Promise<SessionRow[]> {
  const due = waiting(db).where('expiresAt', '<=', now)
  return (
    db
      .updateTable('session')
      .set((eb) => ({ state: 'expired', reason: 'timeout', settledAt: eb.ref('expiresAt') }))
      // Nothing else is asked here, or SQLite walks through all pending sessions to find these.
      .where('sequence', 'in', someOf(db, due, max))
      .returningAll()
      .execute()
  )
}

/** The same for sessions that a clock that was ahead dated in the future: they read as expired, too. */
export function endFutureSessions(db: Queryable, now: number, max: number): Promise<SessionRow[]> {
  const future = waiting(db).where('expiresAt', '>', latestBeginning(now + maxRequestTimeout))
  return db
    .updateTable('session')
    .set({ state: 'expired', reason: 'timeout', settledAt: now })
    .where('sequence', 'in', someOf(db, future, max))
    .returningAll()
    .execute()
}

/** A literal: SQLite uses a partial index for no parameter. */
const waiting = (db: Queryable) =>
  db
    .selectFrom('session')
    .select('sequence')
    .where('state', '=', sql.lit('pending' as const))

/** A user whom a synchronization has just removed from the domain may still have a device. */
function isOfMember(eb: ExpressionBuilder<Database, 'session'>) {
  return eb.exists(
    eb
      .selectFrom('member')
      .select('member.userId')
      .whereRef('member.domainId', '=', 'session.domainId')
      .whereRef('member.userId', '=', 'session.userId'),
  )
}

function hasDeviceInUse(eb: ExpressionBuilder<Database, 'session'>) {
  return eb.exists(
    eb
      .selectFrom('device')
      .select('device.id')
      .whereRef('device.id', '=', 'session.deviceId')
      .where('device.revokedAt', 'is', null),
  )
}

/** Notes that the challenge which has set up the device asks it. @returns false if one did so before. */
export const greetDevice = changesRow('greetDevice', (db, id: Slot<string>) =>
  db.updateTable('device').set({ greeted: 1 }).where('id', '=', id).where('greeted', '=', 0),
)
