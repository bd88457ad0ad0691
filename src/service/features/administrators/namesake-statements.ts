import type { Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change, firstValue } from '../../engine/database/statement.ts'
import type { List, Slot } from '../../engine/database/statement.ts'

/** An administrator, and a user of its organization. */
interface Pair {
  readonly administratorId: string
  readonly userId: string
}

/** Says that the user is the administrator, and nobody else. In a transaction. */
export async function linkRecord(db: Queryable, { administratorId, userId }: Pair): Promise<void> {
  await removeNamesake(db, administratorId, userId)
  await setOwnUser(db, administratorId, userId)
}

/** Says that the user is somebody else than the administrator. In a transaction. */
export async function denyRecord(db: Queryable, { administratorId, userId }: Pair): Promise<void> {
  await removeOwnUser(db, administratorId, userId)
  await insertNamesake(db, administratorId, userId)
}

export const namesakesOf = allRows('namesakesOf', (db, administratorIds: List<string>) =>
  db
    .selectFrom('administratorNamesake')
    .select(['administratorId', 'userId'])
    .where('administratorId', 'in', administratorIds)
    .orderBy('userId'),
)

export const namesake = firstValue('namesake', (db, administratorId: Slot<string>, userId: Slot<string>) =>
  db
    .selectFrom('administratorNamesake')
    .select('userId')
    .where((is) => is.and({ administratorId, userId })),
)

const insertNamesake = change('insertNamesake', (db, administratorId: Slot<string>, userId: Slot<string>) =>
  db
    .insertInto('administratorNamesake')
    .values({ administratorId, userId })
    .onConflict((already) => already.doNothing()),
)

const removeNamesake = change('removeNamesake', (db, administratorId: Slot<string>, userId: Slot<string>) =>
  db.deleteFrom('administratorNamesake').where((is) => is.and({ administratorId, userId })),
)

const setOwnUser = change('setOwnUser', (db, id: Slot<string>, userId: Slot<string>) =>
  db.updateTable('administrator').set({ userId }).where('id', '=', id),
)

const removeOwnUser = change('removeOwnUser', (db, id: Slot<string>, userId: Slot<string>) =>
  db
    .updateTable('administrator')
    .set({ userId: null })
    .where((is) => is.and({ id, userId })),
)
