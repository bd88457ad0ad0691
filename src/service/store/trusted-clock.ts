import type { Queryable, TrustedClockTable } from './schema.ts'

/** Begins with the clock of the machine: a new database has no trail that could be lost. @returns what is stored. */
export async function readTrustedClock(db: Queryable, wall: number): Promise<TrustedClockTable> {
  await db
    .insertInto('trustedClock')
    .values({ row: 1, trustedAt: wall, wallAt: wall, agreed: 0, prunedOn: 0, pruneBudget: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db.selectFrom('trustedClock').selectAll().executeTakeFirstOrThrow()
}

export async function writeTrustedClock(
  db: Queryable,
  time: Pick<TrustedClockTable, 'trustedAt' | 'wallAt' | 'agreed'>,
): Promise<void> {
  await db.updateTable('trustedClock').set(time).execute()
}

/** Sets how many entries of the audit trail may go on a day, once a day. @param day Unix time in days. */
export async function openPruneBudget(db: Queryable, day: number, count: () => Promise<number>): Promise<void> {
  const { prunedOn } = await db.selectFrom('trustedClock').select('prunedOn').executeTakeFirstOrThrow()
  if (prunedOn === day) return
  const pruneBudget = await count()
  await db.updateTable('trustedClock').set({ prunedOn: day, pruneBudget }).where('prunedOn', '=', prunedOn).execute()
}

/** Takes from the budget of the day. @returns how much was there, at most what was wanted. */
export async function takePruneBudget(db: Queryable, wanted: number): Promise<number> {
  const { pruneBudget } = await db.selectFrom('trustedClock').select('pruneBudget').executeTakeFirstOrThrow()
  const taken = Math.min(wanted, pruneBudget)
  await db
    .updateTable('trustedClock')
    .set((eb) => ({ pruneBudget: eb('pruneBudget', '-', taken) }))
    .execute()
  return taken
}
