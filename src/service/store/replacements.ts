import { removeCodeGenerators } from './code-generators.ts'
import { removeHistories } from './device-history.ts'
import { removeNotices } from './device-notices.ts'
import { someOf } from './due.ts'
import { endOtherSessions } from './epochs.ts'
import { shownCodeExpiry } from '../rules/activation-code.ts'
import { latestBeginning } from '../rules/present.ts'
import type { Factor } from '../../contract/users.ts'
import { isPending } from './pending.ts'
import type { Queryable } from './schema.ts'
import type { Revoked } from './tokens.ts'

/** What the user had passed with to whom a code is shown; nothing where an administrator hands it over. */
export interface CodeGrant {
  readonly factor: Factor | null
  readonly factorId: string | null
}

/** @returns false where the token is not active any more. */
export async function setReplacement(
  db: Queryable,
  tokenId: string,
  {
    sealed,
    lookup,
    expiresAt,
    epoch,
    grant,
  }: { sealed: string; lookup: string; expiresAt: number; epoch?: string | undefined; grant: CodeGrant },
): Promise<boolean> {
  const set = await db
    .updateTable('token')
    .set({
      replacement: sealed,
      replacementLookup: lookup,
      replacementExpiresAt: expiresAt,
      replacementEpoch: epoch ?? null,
      grantedFactor: grant.factor,
      grantedFactorId: grant.factorId,
    })
    .where('id', '=', tokenId)
    .where('state', '=', 'active')
    .executeTakeFirst()
  return set.numUpdatedRows === 1n
}

/** @returns false where there is none. */
export async function clearReplacement(db: Queryable, tokenId: string): Promise<boolean> {
  const cleared = await db
    .updateTable('token')
    .set(noReplacement)
    .where('id', '=', tokenId)
    .where('replacement', 'is not', null)
    .executeTakeFirst()
  return cleared.numUpdatedRows === 1n
}

/** What nobody used in time reads as none already. */
export async function clearExpiredReplacements(db: Queryable, now: number): Promise<number> {
  const due = db.selectFrom('token').select('id').where('replacementExpiresAt', '<=', now)
  const cleared = await db.updateTable('token').set(noReplacement).where('id', 'in', someOf(db, due)).executeTakeFirst()
  return Number(cleared.numUpdatedRows)
}

/** Uses a code up. @returns false when somebody else, or the clock, was first, or the token is gone. */
export async function useReplacement(
  db: Queryable,
  { tokenId, sealedCode }: { tokenId: string; sealedCode: string | null },
  now: number,
): Promise<boolean> {
  const won = await db
    .updateTable('token')
    .set({ ...noReplacement, activatedAt: now })
    .where('id', '=', tokenId)
    .where('state', '=', 'active')
    .where('replacement', '=', sealedCode)
    .where('replacementExpiresAt', '>', now)
    .where('replacementExpiresAt', '<=', latestBeginning(shownCodeExpiry(now)))
    .executeTakeFirst()
  return won.numUpdatedRows === 1n
}

/** Takes the device of a token out of use, which stays for another one; with what it was asked. */
export async function moveAway(
  db: Queryable,
  { tokenId, replacementEpoch }: { tokenId: string; replacementEpoch: string | null },
  now: number,
): Promise<Revoked> {
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
  await removeNotices(db, ids)
  await endOtherSessions(db, [...new Set(devices.map(({ userId }) => userId))], replacementEpoch ?? undefined)
  const sessions = await db
    .updateTable('session')
    .set({ state: 'cancelled', reason: 'cancelled', settledAt: now })
    .where('deviceId', 'in', ids)
    .where(isPending(now))
    .returning(['id', 'domainId', 'userId'])
    .execute()
  return { tokens: [], devices, sessions }
}

/** What a token has of a replacement when it has none. */
export const noReplacement = {
  replacement: null,
  replacementLookup: null,
  replacementExpiresAt: null,
  replacementEpoch: null,
  grantedFactor: null,
  grantedFactorId: null,
} as const
