import { sql } from 'kysely'

import { shownCodeExpiry } from '../rules/activation-code.ts'
import { endOfTime } from '../rules/bypass-code.ts'
import { challengeTriesKept } from '../rules/code-lock.ts'
import { emailCodeLifetime } from '../rules/email-code.ts'
import { knownFor } from '../rules/known-browsers.ts'
import { latestBeginning } from '../rules/present.ts'
import { isSomeOf, removedBy, someOf, sweepStep } from './due.ts'
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
  (db, { future, present }) => {
    const rows = db.selectFrom('user').select('sequence').where('codesLockedAt', '>', future)
    const until = earlier('codes_locked_until', 'codes_locked_at', present)
    const lock = { codesLockedUntil: until, codesLockedAt: present }
    return changed(db.updateTable('user').set(lock).where('sequence', 'in', someOf(db, rows)))
  },
  (db, { future, present }) => {
    const rows = db.selectFrom('user').select('sequence').where('knownCodesLockedAt', '>', future)
    const until = earlier('known_codes_locked_until', 'known_codes_locked_at', present)
    const lock = { knownCodesLockedUntil: until, knownCodesLockedAt: present }
    return changed(db.updateTable('user').set(lock).where('sequence', 'in', someOf(db, rows)))
  },
  (db, correction) => toPresent(db, correction, 'user', 'emailChangedAt'),
  (db, correction) => toPresent(db, correction, 'attempt', 'at'),
  talliesToPresent,
  (db, correction) => toPresent(db, correction, 'session', 'settledAt'),
  (db, { future, present }) => {
    const rows = db
      .selectFrom('challengeTry')
      .select('challenge')
      .where('expiresAt', '>', future + challengeTriesKept)
    const update = db.updateTable('challengeTry').set({ expiresAt: present + challengeTriesKept })
    return changed(update.where('challenge', 'in', someOf(db, rows)))
  },
  (db, correction) => toPresent(db, correction, 'deviceHistory', 'settledAt'),
  (db, correction) => toPresent(db, correction, 'deviceNotice', 'createdAt'),
  // Short-lived codes from the future are removed: users can request new ones.
  async (db, { present }) => {
    const rows = db
      .selectFrom('emailCode')
      .select(['domainId', 'userId'])
      .where('expiresAt', '>', latestBeginning(present + emailCodeLifetime))
    const isFuture = isSomeOf(db, ['domainId', 'userId'], rows)
    return removedBy(await db.deleteFrom('emailCode').where(isFuture).executeTakeFirst())
  },
  (db, { present }) => {
    const latest = latestBeginning(shownCodeExpiry(present))
    const rows = db.selectFrom('token').select('id').where('replacementExpiresAt', '>', latest)
    return changed(db.updateTable('token').set(noReplacement).where('id', 'in', someOf(db, rows)))
  },
]

/**
 * Codes and known browsers that are valid for days or months. They are accepted only once they have begun, so correcting
 * them is not needed for safety; when a clock is slow for a moment, none of them may be lost.
 * The future begins after the later one of the present and of what `rules/trusted-time.ts` believes.
 */
export const accessCorrections: readonly Step[] = [
  (db, { future, present }) => {
    const rows = db
      .selectFrom('token')
      .select('id')
      .where('codeExpiresAt', 'is not', null)
      .where('createdAt', '>', future)
    const code = { codeExpiresAt: earlier('code_expires_at', 'created_at', present), createdAt: present }
    return changed(db.updateTable('token').set(code).where('id', 'in', someOf(db, rows)))
  },
  (db, { future, present }) => {
    const rows = db.selectFrom('bypassCode').select('sequence').where('createdAt', '>', future)
    const expiresAt = sql<number>`case when expires_at = ${endOfTime} then expires_at
      else ${earlier('expires_at', 'created_at', present)} end`
    const code = { expiresAt, createdAt: present }
    return changed(db.updateTable('bypassCode').set(code).where('sequence', 'in', someOf(db, rows)))
  },
  (db, { future, present }) => {
    const rows = db
      .selectFrom('knownBrowser')
      .select(['idHash', 'domainId', 'userId'])
      .where('expiresAt', '>', future + knownFor)
    const browser = {
      passedAt: present,
      expiresAt: present + knownFor,
      rememberedUntil: earlier('remembered_until', 'passed_at', present),
    }
    const isFuture = isSomeOf(db, ['idHash', 'domainId', 'userId'], rows)
    return changed(db.updateTable('knownBrowser').set(browser).where(isFuture))
  },
]

/** An end that comes as long after now as it came after its beginning. */
const earlier = (until: string, from: string, now: number) =>
  sql<number>`${sql.ref(until)} - (${sql.ref(from)} - cast(${now} as bigint))`

async function changed(update: { executeTakeFirst(): Promise<{ readonly numUpdatedRows: bigint }> }): Promise<number> {
  return Number((await update.executeTakeFirst()).numUpdatedRows)
}

/** For times that stand alone. */
async function toPresent(
  db: Queryable,
  { future, present }: Correction,
  table: 'user' | 'attempt' | 'session' | 'deviceHistory' | 'deviceNotice',
  column: string,
): Promise<number> {
  const rows = db.selectFrom(table).select('sequence').where(sql.ref(column), '>', future)
  const update = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${present} where sequence in ${someOf(db, rows)}`
  return Number((await update.execute(db)).numAffectedRows)
}

/** Adds up counts of several times. Locks nothing where there are none. */
async function talliesToPresent(db: Queryable, { future, present }: Correction): Promise<number> {
  const rows = db.selectFrom('tally').select(['scope', 'at']).where('at', '>', future)
  if ((await rows.limit(1).execute()).length === 0) return 0
  return db.transaction().execute((transaction) => addUpTallies(transaction, { future, present }))
}

async function addUpTallies(db: Queryable, { future, present }: Correction): Promise<number> {
  const rows = db.selectFrom('tally').select(['scope', 'at']).where('at', '>', future)
  const isFuture = isSomeOf(db, ['scope', 'at'], rows, sweepStep / 2)
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
