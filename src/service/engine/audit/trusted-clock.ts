import type { Database, Queryable } from '../database/schema/schema.ts'
import { change, oneRow, pick } from '../database/statement.ts'
import type { Slot, Slots } from '../database/statement.ts'

/** Begins with the clock of the machine: a new database has no trail that could be lost. @returns the stored clock. */
export async function readTrustedClock(db: Queryable, wall: number): Promise<Database['trustedClock']> {
  await insertClock(db, wall)
  return readClock(db)
}

const insertClock = change('insertClock', (db, wall: Slot<number>) =>
  db
    .insertInto('trustedClock')
    .values({ row: 1, trustedAt: wall, wallAt: wall, agreed: 0, prunedOn: 0, pruneBudget: 0 })
    .onConflict((conflict) => conflict.doNothing()),
)

const readClock = oneRow('readClock', (db) => db.selectFrom('trustedClock').selectAll())

type ClockTime = Pick<Database['trustedClock'], 'trustedAt' | 'wallAt' | 'agreed'>

export const writeTrustedClock = change('writeTrustedClock', (db, time: Slots<ClockTime>) =>
  db.updateTable('trustedClock').set(pick(time, ['trustedAt', 'wallAt', 'agreed'])),
)

/** Sets how many entries of the audit trail may be removed on a day, once a day. @param day Unix time in days. */
export async function openPruneBudget(db: Queryable, day: number, count: () => Promise<number>): Promise<void> {
  const { prunedOn } = await readClock(db)
  if (prunedOn !== day) await setPruneBudget(db, day, prunedOn, await count())
}

const setPruneBudget = change('setPruneBudget', (db, day: Slot<number>, before: Slot<number>, budget: Slot<number>) =>
  db.updateTable('trustedClock').set({ prunedOn: day, pruneBudget: budget }).where('prunedOn', '=', before),
)

/** Takes from the budget of the day. @returns how much was available, at most `requested`. */
export async function takePruneBudget(db: Queryable, requested: number): Promise<number> {
  const granted = Math.min(requested, (await readClock(db)).pruneBudget)
  await reducePruneBudget(db, granted)
  return granted
}

const reducePruneBudget = change('reducePruneBudget', (db, amount: Slot<number>) =>
  db.updateTable('trustedClock').set((eb) => ({ pruneBudget: eb('pruneBudget', '-', amount) })),
)
