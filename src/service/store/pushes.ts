import type { PushKeyTable, Queryable } from './schema.ts'

/** @param sealed Null for none. */
export async function setPush(db: Queryable, deviceId: string, sealed: string | null): Promise<void> {
  await db
    .updateTable('device')
    .set({ push: sealed })
    .where('id', '=', deviceId)
    .where('revokedAt', 'is', null)
    .execute()
}

/** Unless the device has set another one meanwhile. */
export async function forgetPush(db: Queryable, { deviceId, sealed }: SealedPush): Promise<void> {
  await db.updateTable('device').set({ push: null }).where('id', '=', deviceId).where('push', '=', sealed).execute()
}

/** A subscription as it stands in the database. */
export interface SealedPush {
  readonly deviceId: string
  readonly sealed: string
}

/** Where to push a session to that still waits for its answer; nothing where there is no need to any more. */
export async function pushOfPending(db: Queryable, sessionId: string, now: number): Promise<SealedPush | undefined> {
  const found = await db
    .selectFrom('session')
    .innerJoin('device', 'device.id', 'session.deviceId')
    .select(['device.id as deviceId', 'device.push as sealed'])
    .where('session.id', '=', sessionId)
    .where('session.state', '=', 'pending')
    .where('session.expiresAt', '>', now)
    .where('device.revokedAt', 'is', null)
    .executeTakeFirst()
  return found?.sealed ? { deviceId: found.deviceId, sealed: found.sealed } : undefined
}

/** @returns the pair of this database: the one given where there was none yet, on whichever node. */
export async function pushKey(db: Queryable, given: Omit<PushKeyTable, 'row'>): Promise<Omit<PushKeyTable, 'row'>> {
  await db
    .insertInto('pushKey')
    .values({ row: 1, ...given })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db.selectFrom('pushKey').select(['publicKey', 'privateKey']).executeTakeFirstOrThrow()
}
