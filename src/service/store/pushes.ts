import { isPending } from './pending.ts'
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
export async function forgetPush(
  db: Queryable,
  { deviceId, sealed }: Pick<SealedPush, 'deviceId' | 'sealed'>,
): Promise<void> {
  await db.updateTable('device').set({ push: null }).where('id', '=', deviceId).where('push', '=', sealed).execute()
}

/** A subscription as it stands in the database. */
export interface SealedPush {
  readonly deviceId: string
  readonly userId: string
  readonly sealed: string
}

/** Where to push a session to that still waits for its answer; nothing where there is no need to any more. */
export async function pushOfPending(db: Queryable, sessionId: string, now: number): Promise<SealedPush | undefined> {
  const found = await db
    .selectFrom('session')
    .innerJoin('device', 'device.id', 'session.deviceId')
    .select(['device.id as deviceId', 'session.userId', 'device.push as sealed'])
    .where('session.id', '=', sessionId)
    .where(isPending(now))
    .where('device.revokedAt', 'is', null)
    .executeTakeFirst()
  return found?.sealed ? { deviceId: found.deviceId, userId: found.userId, sealed: found.sealed } : undefined
}

/** Where to push a notice to that was not acknowledged yet; nothing where there is no need to any more. */
export async function pushOfNotice(db: Queryable, noticeId: string): Promise<SealedPush | undefined> {
  const found = await db
    .selectFrom('deviceNotice')
    .innerJoin('device', 'device.id', 'deviceNotice.deviceId')
    .select(['device.id as deviceId', 'device.userId', 'device.push as sealed'])
    .where('deviceNotice.id', '=', noticeId)
    .where('device.revokedAt', 'is', null)
    .executeTakeFirst()
  return found?.sealed ? { deviceId: found.deviceId, userId: found.userId, sealed: found.sealed } : undefined
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
