import { sql } from 'kysely'

import type { Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change } from '../../engine/database/statement.ts'
import { stayingUsers } from '../../engine/audit/timeline.ts'
import type { List, Slot } from '../../engine/database/statement.ts'

/** Keeps the later of two times. A user who was deleted meanwhile gets none. */
export const noteSignIn = change('noteSignIn', (db, userId: Slot<string>, at: Slot<number>) =>
  db
    .insertInto('lastSignIn')
    .columns(['userSequence', 'at'])
    .expression(
      stayingUsers(
        db,
        db
          .selectFrom('user')
          .select(['user.sequence', sql<number>`cast(${at} as bigint)`.as('at')])
          .where('user.id', '=', userId),
      ),
    )
    .onConflict((conflict) =>
      conflict
        .column('userSequence')
        .doUpdateSet((eb) => ({ at: eb.ref('excluded.at') }))
        .whereRef('lastSignIn.at', '<', 'excluded.at'),
    ),
)

/** Finds the last sign-ins of these users, to within the interval of the sweep. */
export async function lastSignInsOf(db: Queryable, userIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  return new Map((await rowsOf(db, userIds)).map(({ userId, at }) => [userId, at]))
}

const rowsOf = allRows('lastSignInsOf', (db, userIds: List<string>) =>
  db
    .selectFrom('user')
    .innerJoin('lastSignIn', 'lastSignIn.userSequence', 'user.sequence')
    .select(['user.id as userId', 'lastSignIn.at'])
    .where('user.id', 'in', userIds),
)

export const removeLastSignIn = change('removeLastSignIn', (db, userId: Slot<string>) =>
  db
    .deleteFrom('lastSignIn')
    .where('userSequence', 'in', db.selectFrom('user').select('user.sequence').where('user.id', '=', userId)),
)
