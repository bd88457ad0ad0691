import { sql } from 'kysely'
import type { SqlBool } from 'kysely'

import { invitationLifetime } from '../../contract/admin/roles.ts'
import { ceremonyLifetime } from '../../contract/passkeys.ts'
import { shownCodeExpiry } from '../rules/activation-code.ts'
import { endOfTime } from '../rules/bypass-code.ts'
import { challengeTriesKept } from '../rules/code-lock.ts'
import { emailCodeLifetime } from '../rules/email-code.ts'
import { knownFor } from '../rules/known-browsers.ts'
import { latestBeginning } from '../rules/present.ts'
import { changeSome, isSome, removeSome, sweepStep } from './due.ts'
import type { IsDue, Key } from './due.ts'
import { noReplacement } from './replacements.ts'
import type { Queryable } from './schema.ts'

/** Unix times, seconds. */
export interface Correction {
  /** Times later than this are in the future. */
  readonly future: number
  /** Where it is brought to. */
  readonly present: number
}

/** Brings some rows to the present. @returns how many; fewer than `sweepStep` where none is left. */
type Step = (db: Queryable, correction: Correction) => Promise<number>

/** Locks, budgets, pauses and rows that expire: each keeps its length. See `rules/present.ts`. */
export const waitCorrections: readonly Step[] = [
  toPresent('user', 'codesLockedAt', ['codesLockedUntil']),
  toPresent('user', 'knownCodesLockedAt', ['knownCodesLockedUntil']),
  toPresent('user', 'emailChangedAt'),
  toPresent('attempt', 'at'),
  talliesToPresent,
  toPresent('session', 'settledAt'),
  (db, { future, present }) =>
    changeSome(db, 'challengeTry', ['challenge'], (is) => is('expiresAt', '>', future + challengeTriesKept), {
      expiresAt: present + challengeTriesKept,
    }),
  toPresent('callerVerification', 'settledAt'),
  toPresent('deviceHistory', 'settledAt'),
  toPresent('deviceNotice', 'createdAt'),
  // Short-lived codes, ceremonies and sessions of administrators from the future are removed: users can request new ones.
  (db, { present }) => {
    const latest = latestBeginning(present + emailCodeLifetime)
    return removeSome(db, 'emailCode', ['domainId', 'userId'], (is) => is('expiresAt', '>', latest))
  },
  (db, { present }) => {
    const latest = latestBeginning(present + ceremonyLifetime)
    return removeSome(db, 'passkeyCeremony', ['challengeHash'], (is) => is('expiresAt', '>', latest))
  },
  (db, { present }) => {
    const latest = latestBeginning(present + ceremonyLifetime)
    return removeSome(db, 'administratorCeremony', ['challengeHash'], (is) => is('expiresAt', '>', latest))
  },
  (db, { present }) => {
    const latest = latestBeginning(present + invitationLifetime)
    return removeSome(db, 'administratorInvitation', ['tokenHash'], (is) => is('expiresAt', '>', latest))
  },
  (db, { present }) => {
    const latest = latestBeginning(present)
    return removeSome(db, 'administratorSession', ['hash'], (is) => is('usedAt', '>', latest))
  },
  (db, { present }) => {
    const latest = latestBeginning(shownCodeExpiry(present))
    return changeSome(db, 'token', ['id'], (is) => is('replacementExpiresAt', '>', latest), noReplacement)
  },
]

/**
 * Codes and known browsers that are valid for days or months. They are accepted only once they have begun, so correcting
 * them is not needed for safety; when a clock is slow for a moment, none of them may be lost.
 * The future begins after the later one of the present and of what `rules/trusted-time.ts` believes.
 */
export const accessCorrections: readonly Step[] = [
  (db, { future, present }) => {
    const code = { codeExpiresAt: earlier('codeExpiresAt', 'createdAt', present), createdAt: present }
    const isFuture: IsDue<'token'> = (is) => is.and([is('codeExpiresAt', 'is not', null), is('createdAt', '>', future)])
    return changeSome(db, 'token', ['id'], isFuture, code)
  },
  (db, { future, present }) => {
    const expiresAt = sql<number>`case when expires_at = ${endOfTime} then expires_at
      else ${earlier('expiresAt', 'createdAt', present)} end`
    const code = { expiresAt, createdAt: present }
    return changeSome(db, 'bypassCode', ['sequence'], (is) => is('createdAt', '>', future), code)
  },
  (db, { future, present }) => {
    const rememberedUntil = earlier('rememberedUntil', 'passedAt', present)
    const browser = { passedAt: present, expiresAt: present + knownFor, rememberedUntil }
    const isFuture: IsDue<'knownBrowser'> = (is) => is('expiresAt', '>', future + knownFor)
    return changeSome(db, 'knownBrowser', ['idHash', 'domainId', 'userId'], isFuture, browser)
  },
]

/** Brings times to the present, each with the end of what began then. */
function toPresent<T extends 'user' | 'attempt' | 'session' | 'deviceHistory' | 'deviceNotice' | 'callerVerification'>(
  table: T,
  from: Key<T>[number],
  ends: Key<T> = [],
): Step {
  return (db, { future, present }) => {
    const isFuture = () => sql<SqlBool>`${sql.ref(from)} > ${future}`
    const values = ends.map((end) => [end, earlier(end, from, present)])
    return changeSome(db, table, ['sequence'], isFuture, Object.fromEntries([...values, [from, present]]))
  }
}

/** An end that comes as long after now as it came after its beginning. */
const earlier = (until: string, from: string, now: number) =>
  sql<number>`${sql.ref(until)} - (${sql.ref(from)} - cast(${now} as bigint))`

/** Adds up counts of several times. Locks nothing where there are none. */
async function talliesToPresent(db: Queryable, { future, present }: Correction): Promise<number> {
  const rows = db.selectFrom('tally').select(['scope', 'at']).where('at', '>', future)
  if ((await rows.limit(1).execute()).length === 0) return 0
  return db.transaction().execute((transaction) => addUpTallies(transaction, { future, present }))
}

async function addUpTallies(db: Queryable, { future, present }: Correction): Promise<number> {
  const isFuture = isSome(db, 'tally', ['scope', 'at'], (is) => is('at', '>', future), sweepStep / 2)
  const removed = await db.deleteFrom('tally').where(isFuture).returning(['scope', 'count']).execute()
  const counts = new Map<string, number>()
  for (const { scope, count } of removed) counts.set(scope, (counts.get(scope) ?? 0) + count)
  if (counts.size === 0) return 0
  await db
    .insertInto('tally')
    .values([...counts].map(([scope, count]) => ({ scope, at: present, count })))
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'at'])
        .doUpdateSet((eb) => ({ count: eb('tally.count', '+', eb.ref('excluded.count')) })),
    )
    .execute()
  // Each of them was touched twice.
  return removed.length * 2
}
