import { latestCodeExpiry } from './activation-statements.ts'
import type { Activation } from './activation-statements.ts'
import { endDevices } from './statements.ts'
import type { Factor } from '../../../contract/factor.ts'
import { isPending } from '../../engine/database/pending.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, changesRow, derived } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import { noneRevoked } from '../../engine/base/revoked.ts'
import type { Revoked } from '../../engine/base/revoked.ts'

/** The factor that the user had passed with to see the code; nothing where an administrator hands it over. */
export interface CodeGrant {
  readonly factor: Factor | null
  readonly factorId: string | null
}

interface Replacement {
  readonly sealed: string
  readonly lookup: string
  readonly expiresAt: number
  readonly epoch?: string | undefined
  readonly grant: CodeGrant
}

/** @returns false if the token is no longer active. */
export const setReplacement = changesRow(
  'setReplacement',
  (db, tokenId: Slot<string>, replacement: Slots<Replacement>) =>
    db
      .updateTable('token')
      .set({
        replacement: replacement.sealed,
        replacementLookup: replacement.lookup,
        replacementExpiresAt: replacement.expiresAt,
        replacementEpoch: derived(replacement, ({ epoch }) => epoch ?? null),
        grantedFactor: derived(replacement.grant, ({ factor }) => factor),
        grantedFactorId: derived(replacement.grant, ({ factorId }) => factorId),
      })
      .where((is) => is.and({ id: tokenId, state: 'active' })),
)

/** @returns false where there is none. */
export const clearReplacement = changesRow('clearReplacement', (db, tokenId: Slot<string>) =>
  db.updateTable('token').set(noReplacement).where('id', '=', tokenId).where('replacement', 'is not', null),
)

/** Uses a code up. @returns false when another caller, or the clock, was first, or the token is gone. */
export const useReplacement = changesRow(
  'useReplacement',
  (db, { tokenId, sealedCode }: Slots<Pick<Activation, 'tokenId' | 'sealedCode'>>, now: Slot<number>) =>
    db
      .updateTable('token')
      .set({ ...noReplacement, activatedAt: now })
      .where((is) => is.and({ id: tokenId, state: 'active', replacement: sealedCode }))
      .where('replacementExpiresAt', '>', now)
      .where('replacementExpiresAt', '<=', derived(now, latestCodeExpiry)),
)

/** A token gets another device without a code; a code that was issued for it ends. @returns false if it is no longer active. */
export const renewToken = changesRow('renewToken', (db, tokenId: Slot<string>, now: Slot<number>) =>
  db
    .updateTable('token')
    .set({ activatedAt: now, ...noReplacement })
    .where((is) => is.and({ id: tokenId, state: 'active' })),
)

/** Revokes the device of a token, and cancels its pending sessions. The token stays for the next device. */
export async function moveAway(
  db: Queryable,
  { tokenId, replacementEpoch }: Pick<Activation, 'tokenId' | 'replacementEpoch'>,
  now: number,
): Promise<Revoked> {
  const devices = await moveDevices(db, tokenId, now)
  if (devices.length === 0) return noneRevoked
  await endDevices(db, devices, replacementEpoch ?? undefined)
  const ids = devices.map(({ id }) => id)
  return { tokens: [], devices, sessions: await cancelOfDevices(db, ids, now) }
}

const moveDevices = allRows('moveDevices', (db, tokenId: Slot<string>, now: Slot<number>) =>
  db
    .updateTable('device')
    .set({ revokedAt: now, moved: 1, pin: null, push: null })
    .where((is) => is.and({ tokenId, revokedAt: null }))
    .returning(['id', 'domainId', 'userId']),
)

const cancelOfDevices = allRows('cancelOfDevices', (db, deviceIds: List<string>, now: Slot<number>) =>
  db
    .updateTable('session')
    .set({ state: 'cancelled', reason: 'cancelled', settledAt: now })
    .where('deviceId', 'in', deviceIds)
    .where(isPending(now))
    .returning(['id', 'domainId', 'userId']),
)

/** The columns of a token without a replacement code. */
export const noReplacement = {
  replacement: null,
  replacementLookup: null,
  replacementExpiresAt: null,
  replacementEpoch: null,
  grantedFactor: null,
  grantedFactorId: null,
} as const
