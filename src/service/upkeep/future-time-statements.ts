import { sql } from 'kysely'
import type { RawBuilder, SqlBool } from 'kysely'

import { sentFactors } from '../../contract/factor-descriptions.ts'
import { consentLifetime } from '../../admin-contract/consents.ts'
import { requesterBlockLength } from '../../contract/approvals.ts'
import { rememberedFor } from '../../contract/idempotency-key.ts'
import { invitationLifetime } from '../../contract/roles.ts'
import { ceremonyLifetime } from '../../contract/passkeys.ts'
import { shownCodeExpiry } from '../features/devices/activation-code.ts'
import { endOfTime } from '../features/bypass-codes/rules.ts'
import { challengeTriesKept } from '../features/codes/lock.ts'
import { sentCodeLifetime } from '../features/sent-codes/rules.ts'
import { knownFor } from '../features/browsers/rules.ts'
import { changeOf } from '../features/users/reach.ts'
import { maxLifetime } from '../features/oidc/models.ts'
import { publishedBefore } from '../features/oidc/key-times.ts'
import { mailReportLifetime } from '../features/mail-reports/rules.ts'
import { latestBeginning } from '../engine/base/present.ts'
import { changeSome, isSome, removeSome, sweepStep } from '../engine/database/due.ts'
import type { Key } from '../engine/database/due.ts'
import { noReplacement } from '../features/devices/replacement-statements.ts'
import type { Database, Queryable } from '../engine/database/schema/schema.ts'

/** Unix times, seconds. */
export interface Correction {
  /** Times later than this are in the future. */
  readonly future: number
  /** The time that future times are set to. */
  readonly now: number
}

/** Rows of one kind whose times can be in the future. */
export interface FutureRows {
  /** Whether there is one, in SQL. */
  exist(correction: Correction): RawBuilder<SqlBool>
  /** Brings some of them to the present. @returns how many; fewer than `sweepStep` where none is left. */
  correctSome(db: Queryable, correction: Correction): Promise<number>
}

/** Locks, budgets, pauses and rows that expire: each keeps its length. See `engine/base/present.ts`. */
export const waitCorrections: readonly FutureRows[] = [
  toPresent('user', 'codesLockedAt', ['codesLockedUntil']),
  toPresent('user', 'knownCodesLockedAt', ['knownCodesLockedUntil']),
  ...sentFactors.map((factor) => toPresent('user', changeOf(factor))),
  toPresent('attempt', 'at'),
  { exist: ({ future }) => exists('tally', isLater('at', future)), correctSome: talliesToPresent },
  toPresent('session', 'settledAt'),
  changedRows(
    'challengeTry',
    ['challenge'],
    ({ future }) => isLater('expiresAt', future + challengeTriesKept),
    ({ now }) => ({ expiresAt: now + challengeTriesKept }),
  ),
  toPresent('callerVerification', 'settledAt'),
  toPresent('approval', 'settledAt'),
  changedRows(
    'requesterBlock',
    ['sequence'],
    ({ future }) => isLater('blockedUntil', future + requesterBlockLength),
    ({ now }) => ({ blockedUntil: now + requesterBlockLength }),
  ),
  // A colleague's No lasts as long as usual. What is not decided, or not used yet, is asked again.
  changedRows(
    'consent',
    ['id'],
    ({ now }) => sql<SqlBool>`${isLater('expiresAt', latestBeginning(now + consentLifetime))} and state = 'denied'`,
    ({ now }) => ({ expiresAt: now + consentLifetime }),
  ),
  removedRows('consent', ['id'], 'expiresAt', (now) => now + consentLifetime),
  toPresent('deviceHistory', 'settledAt'),
  toPresent('deviceNotice', 'createdAt'),
  // Short-lived codes, ceremonies and sessions of administrators from the future are removed: users can request new ones.
  removedRows('emailCode', ['domainId', 'userId'], 'expiresAt', (now) => now + sentCodeLifetime),
  removedRows('passkeyCeremony', ['challengeHash'], 'expiresAt', (now) => now + ceremonyLifetime),
  removedRows('administratorCeremony', ['challengeHash'], 'expiresAt', (now) => now + ceremonyLifetime),
  removedRows('administratorInvitation', ['tokenHash'], 'expiresAt', (now) => now + invitationLifetime),
  removedRows('mailReport', ['secretHash'], 'expiresAt', (now) => now + mailReportLifetime),
  removedRows('rememberedAnswer', ['id'], 'expiresAt', (now) => now + rememberedFor),
  removedRows('oidcArtifact', ['id'], 'expiresAt', (now) => now + maxLifetime),
  changedRows(
    'oidcKey',
    ['id'],
    ({ future }) => isLater('createdAt', future),
    ({ now }) => ({ createdAt: now, signsFrom: now + publishedBefore }),
  ),
  removedRows('administratorSession', ['hash'], 'usedAt', (now) => now),
  changedRows(
    'token',
    ['id'],
    ({ now }) => isLater('replacementExpiresAt', latestBeginning(shownCodeExpiry(now))),
    () => noReplacement,
  ),
]

/**
 * Codes and known browsers that are valid for days or months. They are accepted only once they have begun, so correcting
 * them is not needed for safety; when a clock is slow for a moment, none of them may be lost.
 * The future begins after the later one of the present and of what `engine/audit/trusted-time.ts` believes.
 */
export const accessCorrections: readonly FutureRows[] = [
  changedRows(
    'token',
    ['id'],
    ({ future }) => sql<SqlBool>`${sql.ref('codeExpiresAt')} is not null and ${isLater('createdAt', future)}`,
    ({ now }) => ({ codeExpiresAt: earlier('codeExpiresAt', 'createdAt', now), createdAt: now }),
  ),
  changedRows(
    'bypassCode',
    ['sequence'],
    ({ future }) => isLater('createdAt', future),
    ({ now }) => ({
      expiresAt: sql<number>`case when expires_at = ${endOfTime} then expires_at
        else ${earlier('expiresAt', 'createdAt', now)} end`,
      createdAt: now,
    }),
  ),
  changedRows(
    'knownBrowser',
    ['idHash', 'domainId', 'userId'],
    ({ future }) => isLater('expiresAt', future + knownFor),
    ({ now }) => ({
      passedAt: now,
      expiresAt: now + knownFor,
      rememberedUntil: earlier('rememberedUntil', 'passedAt', now),
    }),
  ),
]

/** Whether any time is in the future: one read, which almost always spares a write for each kind of rows. */
export async function hasFutureTimes(db: Queryable, waits: Correction, access: Correction): Promise<boolean> {
  const conditions = [
    ...waitCorrections.map((rows) => rows.exist(waits)),
    ...accessCorrections.map((rows) => rows.exist(access)),
  ]
  const { rows } = await sql`select 1 as found where ${sql.join(conditions, sql` or `)}`.execute(db)
  return rows.length > 0
}

const isLater = (column: string, time: number): RawBuilder<SqlBool> => sql`${sql.ref(column)} > ${time}`

function exists(table: keyof Database, isFuture: RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  return sql`exists (select 1 from ${sql.table(table)} where ${isFuture} limit 1)`
}

/** Rows that get other values. */
function changedRows<T extends keyof Database>(
  table: T,
  key: Key<T>,
  isFuture: (correction: Correction) => RawBuilder<SqlBool>,
  values: (correction: Correction) => { readonly [C in keyof Database[T]]?: unknown },
): FutureRows {
  return {
    exist: (correction) => exists(table, isFuture(correction)),
    correctSome: (db, correction) => changeSome(db, table, key, () => isFuture(correction), values(correction)),
  }
}

/** Rows that are removed. @param latest Of a row that was created now. */
function removedRows<T extends keyof Database>(
  table: T,
  key: Key<T>,
  column: Key<T>[number],
  latest: (now: number) => number,
): FutureRows {
  const isFuture = ({ now }: Correction) => isLater(column, latestBeginning(latest(now)))
  return {
    exist: (correction) => exists(table, isFuture(correction)),
    correctSome: (db, correction) => removeSome(db, table, key, () => isFuture(correction)),
  }
}

/** Brings times to the present, each with the end of what began then. */
function toPresent<
  T extends 'user' | 'attempt' | 'session' | 'deviceHistory' | 'deviceNotice' | 'callerVerification' | 'approval',
>(table: T, from: Key<T>[number], ends: Key<T> = []): FutureRows {
  return changedRows(
    table,
    ['sequence'],
    ({ future }) => isLater(from, future),
    ({ now }) => {
      const values = ends.map((end) => [end, earlier(end, from, now)])
      return Object.fromEntries([...values, [from, now]])
    },
  )
}

/** An end that comes as long after now as it came after its beginning. */
const earlier = (until: string, from: string, now: number) =>
  sql<number>`${sql.ref(until)} - (${sql.ref(from)} - cast(${now} as bigint))`

/** Adds up counts of several times. Locks nothing where there are none. */
async function talliesToPresent(db: Queryable, { future, now }: Correction): Promise<number> {
  const rows = db.selectFrom('tally').select(['scope', 'at']).where('at', '>', future)
  if ((await rows.limit(1).execute()).length === 0) return 0
  return db.transaction().execute((transaction) => addUpTallies(transaction, { future, now }))
}

async function addUpTallies(db: Queryable, { future, now }: Correction): Promise<number> {
  const isFuture = isSome(db, 'tally', ['scope', 'at'], (is) => is('at', '>', future), sweepStep / 2)
  const removed = await db.deleteFrom('tally').where(isFuture).returning(['scope', 'count']).execute()
  const counts = new Map<string, number>()
  for (const { scope, count } of removed) counts.set(scope, (counts.get(scope) ?? 0) + count)
  if (counts.size === 0) return 0
  await db
    .insertInto('tally')
    .values([...counts].map(([scope, count]) => ({ scope, at: now, count })))
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'at'])
        .doUpdateSet((eb) => ({ count: eb('tally.count', '+', eb.ref('excluded.count')) })),
    )
    .execute()
  // Each of them was touched twice.
  return removed.length * 2
}
