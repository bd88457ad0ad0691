import type { Budget } from '../rules/known-browsers.ts'
import { endOfWait } from '../rules/present.ts'
import { removedBy, someOf } from './due.ts'
import type { Queryable } from './schema.ts'

/**
 * Takes a try of a user's codes before any is looked at: transactions about one user follow each other from here on, so
 * that no failure is counted twice or not at all.
 *
 * @returns how many in a row this one makes, if it is wrong; undefined where codes are locked.
 */
export async function takeCodeTry(
  db: Queryable,
  { userId, budget }: CodesOf,
  now: number,
): Promise<number | undefined> {
  const { failures, lockedUntil } = columns[budget]
  const taken = await db
    .updateTable('user')
    .set((eb) =>
      budget === 'known'
        ? { knownCodeFailures: eb('knownCodeFailures', '+', 1) }
        : { codeFailures: eb('codeFailures', '+', 1) },
    )
    .where('id', '=', userId)
    .where((eb) => eb.or([eb(lockedUntil, 'is', null), eb(lockedUntil, '<=', now)]))
    .returning((eb) => eb.ref(failures).as('failures'))
    .executeTakeFirst()
  return taken?.failures
}

/** Whose codes, and tried from where: wrong ones from known browsers are counted apart. */
export interface CodesOf {
  readonly userId: string
  readonly budget: Budget
}

const columns = {
  known: { failures: 'knownCodeFailures', lockedUntil: 'knownCodesLockedUntil', lockedAt: 'knownCodesLockedAt' },
  other: { failures: 'codeFailures', lockedUntil: 'codesLockedUntil', lockedAt: 'codesLockedAt' },
} as const

/** Unix time, seconds; null where they are not locked. */
export async function codesLockedUntil(
  db: Queryable,
  { userId, budget }: CodesOf,
  now: number,
): Promise<number | null> {
  const { lockedUntil, lockedAt } = columns[budget]
  const user = await db
    .selectFrom('user')
    .select((eb) => [eb.ref(lockedUntil).as('until'), eb.ref(lockedAt).as('from')])
    .where('id', '=', userId)
    .executeTakeFirst()
  if (user === undefined || user.until === null) return null
  return endOfWait({ from: user.from ?? 0, until: user.until }, now)
}

/** @param lock `from` is null where only an administrator ends it. */
export async function lockCodes(
  db: Queryable,
  { userId, budget }: CodesOf,
  { from, until }: { readonly from: number | null; readonly until: number },
): Promise<void> {
  const lock =
    budget === 'known'
      ? { knownCodesLockedUntil: until, knownCodesLockedAt: from }
      : { codesLockedUntil: until, codesLockedAt: from }
  await db.updateTable('user').set(lock).where('id', '=', userId).execute()
}

/** After a right code, and when an administrator unlocks. */
export async function forgetFailures(db: Queryable, { userId, budget }: CodesOf): Promise<void> {
  const none =
    budget === 'known'
      ? { knownCodeFailures: 0, knownCodesLockedUntil: null, knownCodesLockedAt: null }
      : { codeFailures: 0, codesLockedUntil: null, codesLockedAt: null }
  await db.updateTable('user').set(none).where('id', '=', userId).execute()
}

/** Takes one of the tries of a challenge. @returns how many are taken now; undefined where none was left. */
export async function takeChallengeTry(
  db: Queryable,
  row: { challenge: string; expiresAt: number },
  most: number,
): Promise<number | undefined> {
  const taken = await db
    .insertInto('challengeTry')
    .values({ ...row, failures: 1 })
    .onConflict((conflict) =>
      conflict
        .column('challenge')
        .doUpdateSet((eb) => ({ failures: eb('challengeTry.failures', '+', 1) }))
        .where('challengeTry.failures', '<', most),
    )
    .returning('failures')
    .executeTakeFirst()
  return taken?.failures
}

export async function forgetChallenge(db: Queryable, challenge: string): Promise<void> {
  await db.deleteFrom('challengeTry').where('challenge', '=', challenge).execute()
}

export async function removeOldChallengeTries(db: Queryable, now: number): Promise<number> {
  const due = db.selectFrom('challengeTry').select('challenge').where('expiresAt', '<=', now)
  return removedBy(await db.deleteFrom('challengeTry').where('challenge', 'in', someOf(db, due)).executeTakeFirst())
}
