import { createHash } from 'node:crypto'

import type { Queryable } from './schema.ts'

/**
 * What a user has to pass a second step with, in short: as soon as a device or a token comes or goes, or the user wants it,
 * it is something else. Nobody has to be told of a change, and none can be forgotten. What can come back, such as a
 * hardware token or a membership, has the count raised as it goes.
 */
export async function factorState(db: Queryable, userId: string): Promise<string> {
  const user = await db.selectFrom('user').select('browsersForgotten').where('id', '=', userId).executeTakeFirst()
  const devices = await db
    .selectFrom('device')
    .select('id')
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .orderBy('id')
    .execute()
  const hardware = await db.selectFrom('hardwareToken').select('id').where('userId', '=', userId).execute()
  const all = [user?.browsersForgotten ?? null, devices.map(({ id }) => id), hardware.map(({ id }) => id)]
  return createHash('sha256').update(JSON.stringify(all)).digest('base64url')
}

export async function forgetBrowsersOf(db: Queryable, userIds: readonly string[]): Promise<void> {
  await db
    .updateTable('user')
    .set((eb) => ({ browsersForgotten: eb('browsersForgotten', '+', 1) }))
    .where('id', 'in', userIds)
    .execute()
}
