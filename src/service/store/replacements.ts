import { removeCodeGenerators } from './code-generators.ts'
import { removeHistories } from './device-history.ts'
import type { Queryable } from './schema.ts'
import type { Revoked } from './tokens.ts'

/** @returns false where the token is not active any more. */
export async function setReplacement(
  db: Queryable,
  tokenId: string,
  { sealed, lookup, expiresAt }: { sealed: string; lookup: string; expiresAt: number },
): Promise<boolean> {
  const set = await db
    .updateTable('token')
    .set({ replacement: sealed, replacementLookup: lookup, replacementExpiresAt: expiresAt })
    .where('id', '=', tokenId)
    .where('state', '=', 'active')
    .executeTakeFirst()
  return set.numUpdatedRows === 1n
}

/** @returns false where there is none. */
export async function clearReplacement(db: Queryable, tokenId: string): Promise<boolean> {
  const cleared = await db
    .updateTable('token')
    .set(none)
    .where('id', '=', tokenId)
    .where('replacement', 'is not', null)
    .executeTakeFirst()
  return cleared.numUpdatedRows === 1n
}

/** What nobody used in time reads as none already. */
export async function clearExpiredReplacements(db: Queryable, now: number): Promise<void> {
  await db.updateTable('token').set(none).where('replacementExpiresAt', '<=', now).execute()
}

/** Uses a code up. @returns false when somebody else, or the clock, was first, or the token is gone. */
export async function useReplacement(
  db: Queryable,
  { tokenId, sealedCode }: { tokenId: string; sealedCode: string | null },
  now: number,
): Promise<boolean> {
  const won = await db
    .updateTable('token')
    .set({ ...none, activatedAt: now })
    .where('id', '=', tokenId)
    .where('state', '=', 'active')
    .where('replacement', '=', sealedCode)
    .where('replacementExpiresAt', '>', now)
    .executeTakeFirst()
  return won.numUpdatedRows === 1n
}

/** Takes the device of a token out of use, which stays for another one; with what it was asked. */
export async function moveAway(db: Queryable, tokenId: string, now: number): Promise<Revoked> {
  const devices = await db
    .updateTable('device')
    .set({ revokedAt: now, moved: 1, pin: null, push: null })
    .where('tokenId', '=', tokenId)
    .where('revokedAt', 'is', null)
    .returning(['id', 'domainId', 'userId'])
    .execute()
  const ids = devices.map(({ id }) => id)
  if (ids.length === 0) return { tokens: [], devices, sessions: [] }
  await removeCodeGenerators(db, ids)
  await removeHistories(db, ids)
  const sessions = await db
    .updateTable('session')
    .set({ state: 'cancelled', reason: 'cancelled', settledAt: now })
    .where('deviceId', 'in', ids)
    .where('state', '=', 'pending')
    .where('expiresAt', '>', now)
    .returning(['id', 'domainId', 'userId'])
    .execute()
  return { tokens: [], devices, sessions }
}

const none = { replacement: null, replacementLookup: null, replacementExpiresAt: null } as const
