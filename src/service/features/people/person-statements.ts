import type { Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, firstValue } from '../../engine/database/statement.ts'
import type { List, Slot } from '../../engine/database/statement.ts'
import { exists } from '../users/statements.ts'
import type { UserRow } from '../users/statements.ts'

/** Reads them in the order of the ids. */
export async function usersByIds(db: Queryable, ids: readonly string[]): Promise<UserRow[]> {
  const rows = new Map((await usersWithIds(db, ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => rows.get(id) ?? [])
}

const usersWithIds = allRows('usersWithIds', (db, ids: List<string>) =>
  db.selectFrom('user').selectAll().where('id', 'in', ids),
)

/** Finds the users who exist, of any organization: by id alone, SQLite finds them by the primary key. */
export const presentUsers = allRows('presentUsers', (db, ids: List<string>) =>
  db
    .selectFrom('user')
    .select(['user.id', 'user.email', 'user.organizationId'])
    .where('user.id', 'in', ids)
    .where(exists),
)

export const hardwareTokenBySerial = firstValue(
  'hardwareTokenBySerial',
  (db, organizationId: Slot<string>, serialNumber: Slot<string>) =>
    db
      .selectFrom('hardwareToken')
      .select('id')
      .where('organizationId', '=', organizationId)
      .where('serialNumber', '=', serialNumber),
)

export const tokensOfUser = allRows('tokensOfUser', (db, userId: Slot<string>) =>
  db
    .selectFrom('token')
    .innerJoin('domain', 'domain.id', 'token.domainId')
    .selectAll('token')
    .select('domain.keyType')
    .where('token.userId', '=', userId)
    .orderBy('token.createdAt'),
)
