import type { Domain } from '../../contract/domains.ts'
import { prepare } from './prepared.ts'
import type { Queryable } from './schema.ts'

/** What a domain demands of those who approve. */
export interface PinRule {
  readonly keyType: Domain['keyType']
  readonly maxAllowedRetries: number
}

export function pinRule(db: Queryable, domainId: string): Promise<PinRule | undefined> {
  return ruleOf(db, { domainId }).executeTakeFirst()
}

const ruleOf = prepare((db, { domainId }: { domainId: string }) =>
  db.selectFrom('domain').select(['keyType', 'maxAllowedRetries']).where('id', '=', domainId),
)

/**
 * Takes one of the tries of a PIN, before it is looked at: however many come at once, no more than `most` are.
 * @returns the device's hash, and how many were taken; nothing where none is left, or this one was taken already.
 */
export function takePinTry(
  db: Queryable,
  { deviceId, attempt, most }: { deviceId: string; attempt: string; most: number },
): Promise<{ pin: string | null; pinTries: number } | undefined> {
  return db
    .updateTable('device')
    .set((eb) => ({ pinTries: eb('pinTries', '+', 1), pinAttempt: attempt }))
    .where('id', '=', deviceId)
    .where('revokedAt', 'is', null)
    .where('pinTries', '<', most)
    .where((eb) => eb.or([eb('pinAttempt', 'is', null), eb('pinAttempt', '<>', attempt)]))
    .returning(['pin', 'pinTries'])
    .executeTakeFirst()
}

/** @returns how many tries are taken now; nothing where the device is no longer in use. */
export async function noteWrongPin(db: Queryable, deviceId: string, attempt: string): Promise<number | undefined> {
  const noted = await db
    .updateTable('device')
    .set({ pinWrong: attempt })
    .where('id', '=', deviceId)
    .where('revokedAt', 'is', null)
    .returning('pinTries')
    .executeTakeFirst()
  return noted?.pinTries
}

/** After a right one. */
export async function forgetPinTries(db: Queryable, deviceId: string): Promise<void> {
  await db
    .updateTable('device')
    .set({ pinTries: 0, pinAttempt: null, pinWrong: null })
    .where('id', '=', deviceId)
    .execute()
}
