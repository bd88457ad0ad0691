import type { Budget } from '../rules/known-browsers.ts'
import { endOfWait } from '../rules/present.ts'
import type { Queryable } from './schema.ts'
import { change, firstRow, firstValue, pick } from './statement.ts'
import type { Slot, Slots } from './statement.ts'

/** Wrong codes from known browsers are counted apart, and lock apart. */
const budgets = {
  known: budgetOf('known', {
    failures: 'knownCodeFailures',
    until: 'knownCodesLockedUntil',
    from: 'knownCodesLockedAt',
  }),
  other: budgetOf('other', { failures: 'codeFailures', until: 'codesLockedUntil', from: 'codesLockedAt' }),
} as const

interface Columns {
  readonly failures: 'knownCodeFailures' | 'codeFailures'
  readonly until: 'knownCodesLockedUntil' | 'codesLockedUntil'
  readonly from: 'knownCodesLockedAt' | 'codesLockedAt'
}

function budgetOf(name: Budget, { failures, until, from }: Columns) {
  return {
    takeTry: firstValue(`takeTry ${name}`, (db, userId: Slot<string>, now: Slot<number>) =>
      db
        .updateTable('user')
        .set(failures, (eb) => eb(failures, '+', 1))
        .where('id', '=', userId)
        .where((eb) => eb.or([eb(until, 'is', null), eb(until, '<=', now)]))
        .returning((eb) => eb.ref(failures).as('failures')),
    ),
    lockOf: firstRow(`lockOf ${name}`, (db, userId: Slot<string>) =>
      db
        .selectFrom('user')
        .select((eb) => [eb.ref(until).as('until'), eb.ref(from).as('from')])
        .where('id', '=', userId),
    ),
    lock: change(`lock ${name}`, (db, userId: Slot<string>, lock: Slots<Lock>) =>
      db
        .updateTable('user')
        .set({ [until]: lock.until, [from]: lock.from })
        .where('id', '=', userId),
    ),
    forget: change(`forget ${name}`, (db, userId: Slot<string>) =>
      db
        .updateTable('user')
        .set({ [failures]: 0, [until]: null, [from]: null })
        .where('id', '=', userId),
    ),
  }
}

/** Unix times, seconds. */
interface Lock {
  /** Null where only an administrator ends it. */
  readonly from: number | null
  readonly until: number
}

/** The user whose codes are tried, and the budget for where they are tried from. */
export interface CodesOf {
  readonly userId: string
  readonly budget: Budget
}

/**
 * Takes a try of a user's codes before any is verified: transactions about one user follow each other from here on, so
 * that no failure is counted twice or not at all.
 *
 * @returns how many in a row this one makes, if it is wrong; undefined where codes are locked.
 */
export const takeCodeTry = (db: Queryable, { userId, budget }: CodesOf, now: number): Promise<number | undefined> =>
  budgets[budget].takeTry(db, userId, now)

/** Unix time, seconds; null where they are not locked. */
export async function codesLockedUntil(
  db: Queryable,
  { userId, budget }: CodesOf,
  now: number,
): Promise<number | null> {
  const lock = await budgets[budget].lockOf(db, userId)
  return lock && lock.until !== null ? endOfWait({ from: lock.from ?? 0, until: lock.until }, now) : null
}

export const lockCodes = (db: Queryable, { userId, budget }: CodesOf, lock: Lock): Promise<void> =>
  budgets[budget].lock(db, userId, lock)

/** After a right code, and when an administrator unlocks. */
export const forgetFailures = (db: Queryable, { userId, budget }: CodesOf): Promise<void> =>
  budgets[budget].forget(db, userId)

/** Takes one of the tries of a challenge. @returns how many are taken now; undefined where none was left. */
export const takeChallengeTry = firstValue(
  'takeChallengeTry',
  (db, row: Slots<{ challenge: string; expiresAt: number }>, most: Slot<number>) =>
    db
      .insertInto('challengeTry')
      .values({ ...pick(row, ['challenge', 'expiresAt']), failures: 1 })
      .onConflict((conflict) =>
        conflict
          .column('challenge')
          .doUpdateSet((eb) => ({ failures: eb('challengeTry.failures', '+', 1) }))
          .where('challengeTry.failures', '<', most),
      )
      .returning('failures'),
)

export const forgetChallenge = change('forgetChallenge', (db, challenge: Slot<string>) =>
  db.deleteFrom('challengeTry').where('challenge', '=', challenge),
)
