import type { Queryable } from '../database/schema/schema.ts'
import { isPending } from '../database/pending.ts'
import { oneRow } from '../database/statement.ts'
import type { Slot } from '../database/statement.ts'

export async function countPending(db: Queryable, now: number): Promise<number> {
  return Number((await pendingCount(db, now)).pending)
}

const pendingCount = oneRow('pendingCount', (db, now: Slot<number>) =>
  db
    .selectFrom('session')
    .select((eb) => eb.fn.countAll<number | string>().as('pending'))
    .where(isPending(now)),
)
