import type { NotNull } from 'kysely'

import { clockSkew } from '../../../ground/clock.ts'
import { moveLifetimes } from '../../../contract/device.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { change, changesRow, derived, firstRow, pick } from '../../engine/database/statement.ts'
import type { List, RowOf, Slot, Slots } from '../../engine/database/statement.ts'

type Stage = keyof typeof moveLifetimes

/** A later end was set by a clock that was ahead. */
const latestEnd = (stage: Stage) => (now: number) => now + moveLifetimes[stage] + clockSkew

/** Begins a move. One that the device has begun before ends, with its claim. */
export const setMove = change('setMove', (db, row: Slots<Pick<MoveRow, 'deviceId' | 'codeLookup' | 'expiresAt'>>) => {
  const values = pick(row, ['deviceId', 'codeLookup', 'expiresAt'])
  return db
    .insertInto('deviceMove')
    .values(values)
    .onConflict((conflict) => conflict.column('deviceId').doUpdateSet({ ...values, ...noClaim }))
})

type MoveRow = { deviceId: string; codeLookup: string; expiresAt: number }

const noClaim = { claimId: null, claimName: null, claimKeyX: null, claimKeyY: null, requested: 0 } as const

/** The token of the device that began a move, by its code. @param lookups The lookup of the code with each key of the ring. */
export const moveOfCode = firstRow('moveOfCode', (db, lookups: List<string>, now: Slot<number>) =>
  db
    .selectFrom('deviceMove')
    .innerJoin('device', 'device.id', 'deviceMove.deviceId')
    .select(['deviceMove.deviceId', 'device.tokenId', 'device.domainId', 'device.userId'])
    .where('device.revokedAt', 'is', null)
    .where('deviceMove.codeLookup', 'in', lookups)
    .where('deviceMove.expiresAt', '>', now)
    .where('deviceMove.expiresAt', '<=', derived(now, latestEnd('code'))),
)

interface NewClaim {
  readonly deviceId: string
  readonly lookups: readonly string[]
  readonly claimId: string
  readonly claimName: string
  readonly claimKeyX: string
  readonly claimKeyY: string
  readonly expiresAt: number
}

/** Uses the code up. @returns false where another device was first. */
export const claimMove = changesRow('claimMove', (db, claim: Slots<NewClaim>) =>
  db
    .updateTable('deviceMove')
    .set({ codeLookup: null, ...pick(claim, ['claimId', 'claimName', 'claimKeyX', 'claimKeyY', 'expiresAt']) })
    .where('deviceId', '=', claim.deviceId)
    .where('codeLookup', 'in', claim.lookups),
)

/** The claim that the old device can confirm. */
export const claimOfDevice = firstRow('claimOfDevice', (db, deviceId: Slot<string>, now: Slot<number>) =>
  openClaims(db, now).where('deviceId', '=', deviceId),
)

/** Finds the claim of a new device, before and after it was confirmed. */
export const claimById = firstRow('claimById', (db, claimId: Slot<string>, now: Slot<number>) =>
  openClaims(db, now).where('claimId', '=', claimId),
)

/** A claim that waits for the old device, or for the new one to get the account. */
export type ClaimRow = RowOf<typeof claimById>

const openClaims = (db: Queryable, now: Slot<number>) =>
  db
    .selectFrom('deviceMove')
    .selectAll()
    .where('claimId', 'is not', null)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', derived(now, latestEnd('account')))
    .$narrowType<{ claimId: NotNull; claimName: NotNull; claimKeyX: NotNull; claimKeyY: NotNull }>()

export const requestMove = change('requestMove', (db, claimId: Slot<string>) =>
  db.updateTable('deviceMove').set({ requested: 1 }).where('claimId', '=', claimId),
)

/** Confirms the claim of that device and no other. @returns nothing where there is no such claim anymore. */
export const confirmMove = firstRow(
  'confirmMove',
  (db, slots: Slots<{ deviceId: string; claimId: string }>, now: Slot<number>) =>
    db
      .updateTable('deviceMove')
      .set({ expiresAt: derived(now, (time) => time + moveLifetimes.account) })
      .where((is) => is.and({ deviceId: slots.deviceId, claimId: slots.claimId, requested: 1 }))
      .where('expiresAt', '>', now)
      .where('expiresAt', '<=', derived(now, latestEnd('claim')))
      .returning(['claimName', 'claimKeyX', 'claimKeyY'])
      .$narrowType<{ claimName: NotNull; claimKeyX: NotNull; claimKeyY: NotNull }>(),
)

/** @returns false where there is none. */
export const cancelMove = changesRow('cancelMove', (db, deviceId: Slot<string>) =>
  db.deleteFrom('deviceMove').where('deviceId', '=', deviceId),
)
