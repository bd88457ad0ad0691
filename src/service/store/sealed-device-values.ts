import type { SealedPlace } from './sealed-values.ts'

/** What devices are unlocked with and reached by; nothing is found by either. */
const ofDevices = (kind: SealedPlace['kind'], column: 'pin' | 'push'): SealedPlace => ({
  kind,
  async page(db, after, limit) {
    const rows = await db
      .selectFrom('device')
      .select(['id', `${column} as sealed`])
      .where('id', '>', after)
      .where(column, 'is not', null)
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(({ id, sealed }) => ({ id, sealed: sealed ?? '' }))
  },
  async replace(db, { id, sealed }, by) {
    await db
      .updateTable('device')
      .set(column === 'pin' ? { pin: by.sealed } : { push: by.sealed })
      .where('id', '=', id)
      .where(column, '=', sealed)
      .execute()
  },
})

/** The id of the one there is. */
export const pushKeyRecord = { kind: 'push key', id: 'vapid' } as const

const pushKeys: SealedPlace = {
  kind: pushKeyRecord.kind,
  async page(db, after) {
    if (after !== '') return []
    const rows = await db.selectFrom('pushKey').select('privateKey as sealed').execute()
    return rows.map(({ sealed }) => ({ id: pushKeyRecord.id, sealed }))
  },
  async replace(db, { sealed }, by) {
    await db.updateTable('pushKey').set({ privateKey: by.sealed }).where('privateKey', '=', sealed).execute()
  },
}

export const sealedDevicePlaces: readonly SealedPlace[] = [
  ofDevices('pin', 'pin'),
  ofDevices('push subscription', 'push'),
  pushKeys,
]
