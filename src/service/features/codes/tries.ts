import type { Budget } from '../../../contract/known-browser.ts'
import { endOfWait } from '../../engine/base/present.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { change, firstRow, firstValue, isPostgres, oneRow, pick } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'
import type { UserRow } from '../users/statements.ts'

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
    lockOf: (user: UserRow): ReadLock => ({ until: user[until], from: user[from] }),
    /** Counts a wrong code. @returns how many there are in a row. */
    countWrong: oneRow(`countWrong ${name}`, (db, userId: Slot<string>) =>
      db
        .updateTable('user')
        .set(failures, (eb) => eb(failures, '+', 1))
        .where('id', '=', userId)
        .returning((eb) => eb.ref(failures).as('failures')),
    ),
    readLock: firstRow(`readLock ${name}`, (db, userId: Slot<string>) =>
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
    /**
     * After a right code, and when an administrator unlocks. PostgreSQL updates the row even if nothing changes: that aborts
     * `serializable` transactions that have waited for it.
     */
    forget: change(`forget ${name}`, (db, userId: Slot<string>) =>
      db
        .updateTable('user')
        .set({ [failures]: 0, [until]: null, [from]: null })
        .where('id', '=', userId)
        .$if(!isPostgres(db), (query) =>
          query.where((eb) => eb.or([eb(failures, '<>', 0), eb(until, 'is not', null)])),
        ),
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
  const lock = await codeBudgets[budget].readLock(db, userId)
  return lock && endOfLock(lock, now)
}

/** The time until which codes are locked, Unix time in seconds; null where they are not. */
export const endOfLock = ({ from, until }: ReadLock, now: number): number | null =>
  until === null ? null : endOfWait({ from: from ?? 0, until }, now)

interface ReadLock {
  readonly from: number | null
  readonly until: number | null
}

/** Takes one of the tries of a challenge. @returns how many are taken now; undefined where none was left. */
export const takeChallengeTry = firstValue(
  'takeChallengeTry',
  (db, row: Slots<{ challenge: string; expiresAt: number }>, max: Slot<number>) =>
    db
      .insertInto('challengeTry')
      .values({ ...pick(row, ['challenge', 'expiresAt']), failures: 1 })
      .onConflict((conflict) =>
        conflict
          .column('challenge')
          .doUpdateSet((eb) => ({ failures: eb('challengeTry.failures', '+', 1) }))
          .where('challengeTry.failures', '<', max),
      )
      .returning('failures'),
)

export const forgetChallenge = change('forgetChallenge', (db, challenge: Slot<string>) =>
  db.deleteFrom('challengeTry').where('challenge', '=', challenge),
)
