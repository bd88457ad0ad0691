import type { Insertable, Selectable } from 'kysely'

import { prepare } from './prepared.ts'
import { isSomeOf, removedBy, someOf } from './due.ts'
import type { DeviceTable, Queryable } from './schema.ts'

export type DeviceRow = Selectable<DeviceTable>

export async function insertDevice(db: Queryable, row: Insertable<DeviceTable>): Promise<void> {
  await db.insertInto('device').values(row).execute()
}

/** Also a revoked one. */
export function deviceById(db: Queryable, id: string): Promise<DeviceRow | undefined> {
  return byId(db, { id }).executeTakeFirst()
}

const byId = prepare((db, { id }: { id: string }) => db.selectFrom('device').selectAll().where('id', '=', id))

/** The device that answers for a user in a domain. */
export function activeDevice(db: Queryable, domainId: string, userId: string): Promise<{ id: string } | undefined> {
  return activeOne(db, { domainId, userId }).executeTakeFirst()
}

const activeOne = prepare((db, { domainId, userId }: { domainId: string; userId: string }) =>
  db
    .selectFrom('token')
    .innerJoin('device', 'device.tokenId', 'token.id')
    .select('device.id')
    .where('token.domainId', '=', domainId)
    .where('token.userId', '=', userId)
    .where('token.state', '=', 'active')
    .where('device.revokedAt', 'is', null),
)

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
  return (await insertCall(db, call).executeChange()) === 1
}

const insertCall = prepare((db, { deviceId, jti, expiresAt }: { deviceId: string; jti: string; expiresAt: number }) =>
  db
    .insertInto('deviceCall')
    .values({ deviceId, jti, expiresAt })
    .onConflict((conflict) => conflict.doNothing()),
)

export async function forgetCalls(db: Queryable, now: number): Promise<number> {
  const due = db.selectFrom('deviceCall').select(['deviceId', 'jti']).where('expiresAt', '<', now)
  const isDue = isSomeOf(db, ['deviceId', 'jti'], due)
  return removedBy(await db.deleteFrom('deviceCall').where(isDue).executeTakeFirst())
}

export async function removeDevicesRevokedBefore(db: Queryable, time: number): Promise<number> {
  const due = db.selectFrom('device').select('id').where('revokedAt', '<', time)
  return removedBy(await db.deleteFrom('device').where('id', 'in', someOf(db, due)).executeTakeFirst())
}
