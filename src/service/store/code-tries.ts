import type { Queryable } from './schema.ts'

/**
 * Takes a try of a user's codes before any is looked at: transactions about one user follow each other from here on, so
 * that no failure is counted twice or not at all.
 *
 * @returns how many in a row this one makes, if it is wrong; undefined where codes are locked.
 */
export async function takeCodeTry(db: Queryable, userId: string, now: number): Promise<number | undefined> {
  const taken = await db
    .updateTable('user')
    .set((eb) => ({ codeFailures: eb('codeFailures', '+', 1) }))
    .where('id', '=', userId)
    .where((eb) => eb.or([eb('codesLockedUntil', 'is', null), eb('codesLockedUntil', '<=', now)]))
    .returning('codeFailures')
    .executeTakeFirst()
  return taken?.codeFailures
}

/** Unix time, seconds; null where they are not locked. */
export async function codesLockedUntil(db: Queryable, userId: string): Promise<number | null> {
  const user = await db.selectFrom('user').select('codesLockedUntil').where('id', '=', userId).executeTakeFirst()
  return user?.codesLockedUntil ?? null
}

export async function lockCodes(db: Queryable, userId: string, until: number): Promise<void> {
  await db.updateTable('user').set({ codesLockedUntil: until }).where('id', '=', userId).execute()
}

/** After a right code, and when an administrator unlocks. */
export async function forgetFailures(db: Queryable, userId: string): Promise<void> {
  await db.updateTable('user').set({ codeFailures: 0, codesLockedUntil: null }).where('id', '=', userId).execute()
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

export async function removeOldChallengeTries(db: Queryable, now: number): Promise<void> {
  await db.deleteFrom('challengeTry').where('expiresAt', '<=', now).execute()
}
