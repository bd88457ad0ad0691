import type { Budget } from '../rules/known-browsers.ts'
import { endOfWait } from '../rules/present.ts'
import type { Queryable } from './schema.ts'
import { change, firstRow, firstValue, pick } from './statement.ts'
import type { Slot, Slots } from './statement.ts'

/** Wrong codes from known browsers are counted apart, and lock apart. */
export const codeBudgets = {
  known: budgetOf('known', ['knownCodeFailures', 'knownCodesLockedUntil', 'knownCodesLockedAt']),
  other: budgetOf('other', ['codeFailures', 'codesLockedUntil', 'codesLockedAt']),
} as const

type Columns =
  | readonly ['knownCodeFailures', 'knownCodesLockedUntil', 'knownCodesLockedAt']
  | readonly ['codeFailures', 'codesLockedUntil', 'codesLockedAt']

function budgetOf(name: Budget, [failures, until, from]: Columns) {
  return {
    /**
     * Takes a try of a user's codes before any is verified: transactions about one user follow each other from here on, so
     * that no failure is counted twice or not at all. How many in a row this one makes, if it is wrong; undefined where codes
     * are locked or there is no such user.
     */
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
    /** After a right code, and when an administrator unlocks. */
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

/** Unix time, seconds; null where they are not locked, undefined where there is no such user. */
export async function codesLockedUntil(
  db: Queryable,
  { userId, budget }: CodesOf,
  now: number,
): Promise<number | null | undefined> {
  const lock = await codeBudgets[budget].lockOf(db, userId)
  if (lock === undefined) return undefined
  return lock.until !== null ? endOfWait({ from: lock.from ?? 0, until: lock.until }, now) : null
}

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
