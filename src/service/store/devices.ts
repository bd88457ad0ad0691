import type { Insertable, Selectable } from 'kysely'

import type { DeviceTable, Queryable } from './schema.ts'

export type DeviceRow = Selectable<DeviceTable>

export async function insertDevice(db: Queryable, row: Insertable<DeviceTable>): Promise<void> {
  await db.insertInto('device').values(row).execute()
}

/** Also a revoked one. */
export function deviceById(db: Queryable, id: string): Promise<DeviceRow | undefined> {
  return db.selectFrom('device').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The device that answers for a user in a domain. */
export function activeDevice(db: Queryable, domainId: string, userId: string): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('token')
    .innerJoin('device', 'device.tokenId', 'token.id')
    .select('device.id')
    .where('token.domainId', '=', domainId)
    .where('token.userId', '=', userId)
    .where('token.state', '=', 'active')
    .where('device.revokedAt', 'is', null)
    .executeTakeFirst()
}

/** The device in use, as it is shown. */
export function deviceOfToken(
  db: Queryable,
  tokenId: string,
): Promise<Pick<DeviceRow, 'id' | 'name' | 'createdAt'> | undefined> {
  return db
    .selectFrom('device')
    .select(['id', 'name', 'createdAt'])
    .where('tokenId', '=', tokenId)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
}

/** @returns false where the device used the id before. */
export async function rememberCall(
  db: Queryable,
  call: { deviceId: string; jti: string; expiresAt: number },
): Promise<boolean> {
  const inserted = await db
    .insertInto('deviceCall')
    .values(call)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export async function forgetCalls(db: Queryable, now: number): Promise<void> {
  await db.deleteFrom('deviceCall').where('expiresAt', '<', now).execute()
}

export async function removeDevicesRevokedBefore(db: Queryable, time: number): Promise<void> {
  await db.deleteFrom('device').where('revokedAt', '<', time).execute()
}
