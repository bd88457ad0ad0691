import type { Insertable, Selectable } from 'kysely'

import type { Database, Fact, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, firstRow, pick, withDefaults } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import { ofHardware, ofDevice } from '../factors/possessions.ts'

export type CodeGeneratorRow = Selectable<Database['codeGenerator']>

export type NewGenerator = Pick<
  Insertable<Database['codeGenerator']>,
  'id' | 'seed' | 'algorithm' | 'digits' | 'period' | 'counter'
>

/** The state of a generator of which no code was accepted yet. */
export const neverUsed = { lastStep: -1, drift: 0, syncState: 'Never Used' } as const

export const insertCodeGenerator = change('insertCodeGenerator', (db, generator: Slots<NewGenerator>) =>
  db.insertInto('codeGenerator').values({
    ...pick(generator, ['id', 'seed', 'algorithm', 'digits', 'period']),
    ...withDefaults(generator, { counter: null }),
    ...neverUsed,
  }),
)

/** Both; `selfEnrolled` is null for the device. */
export const generatorsOf = allRows('generatorsOf', (db, domainId: Slot<string>, userId: Slot<string>) =>
  ofHardware(db, userId)
    .select((eb) => eb.ref('hardwareToken.selfEnrolled').$castTo<Fact | null>().as('selfEnrolled'))
    .unionAll(ofDevice(db, domainId, userId).select((eb) => eb.lit(null).$castTo<Fact | null>().as('selfEnrolled'))),
)

/** What says when a code of it was last accepted; see `lastCodeAt`. */
export const lastStepOf = firstRow('lastStepOf', (db, id: Slot<string>) =>
  db.selectFrom('codeGenerator').select(['lastStep', 'drift', 'period']).where('id', '=', id),
)

/** Uses a time step up, and all before it. @returns false when it was used already. */
export const useStep = changesRow(
  'useStep',
  (db, id: Slot<string>, { step, drift }: Slots<{ step: number; drift: number }>) =>
    db
      .updateTable('codeGenerator')
      .set({ lastStep: step, drift, seenStep: null, seenAt: null, syncState: 'Synchronized' })
      .where('id', '=', id)
      .where('lastStep', '<', step),
)

/** Remembers a step that was too far away to be accepted. */
export const rememberStep = change('rememberStep', (db, id: Slot<string>, use: Slots<{ step: number; at: number }>) =>
  db
    .updateTable('codeGenerator')
    .set({ seenStep: use.step, seenAt: use.at, syncState: 'Out of Sync' })
    .where('id', '=', id)
    .where('lastStep', '<', use.step),
)

/** Uses a counter up, and all before it. @returns false when it was used already, or the counter is not known since a restore. */
export const useCounter = changesRow(
  'useCounter',
  (db, id: Slot<string>, { next, at }: Slots<{ next: number; at: number }>) =>
    advance(db, id, { next, at }).where('needsResynchronization', '=', 0),
)

/** Uses a counter up that an administrator has seen on the token: it is known again. */
export const resynchronizeCounter = changesRow(
  'resynchronizeCounter',
  (db, id: Slot<string>, { next, at }: Slots<{ next: number; at: number }>) =>
    advance(db, id, { next, at }).set({ needsResynchronization: 0 }),
)

const advance = (db: Queryable, id: Slot<string>, { next, at }: Slots<{ next: number; at: number }>) =>
  db
    .updateTable('codeGenerator')
    .set({ counter: next, usedAt: at, seenCounter: null, seenAt: null, syncState: 'Synchronized' })
    .where('id', '=', id)
    .where('counter', '<', next)

/** Remembers a counter that was too far ahead to be accepted. */
export const rememberCounter = change(
  'rememberCounter',
  (db, id: Slot<string>, { seen, at }: Slots<{ seen: number; at: number }>) =>
    db
      .updateTable('codeGenerator')
      .set({ seenCounter: seen, seenAt: at, syncState: 'Out of Sync' })
      .where('id', '=', id)
      .where('counter', '<=', seen),
)

export const removeCodeGenerators = change('removeCodeGenerators', (db, ids: List<string>) =>
  db.deleteFrom('codeGenerator').where('id', 'in', ids),
)
