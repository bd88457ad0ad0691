import type { Selectable } from 'kysely'

import type { Database, Fact } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, firstRow, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import { ofHardware, ofDevice } from '../factors/possessions.ts'

export type CodeGeneratorRow = Selectable<Database['codeGenerator']>

export type NewGenerator = Pick<Database['codeGenerator'], 'id' | 'seed' | 'algorithm' | 'digits' | 'period'>

/** The state of a generator of which no code was accepted yet. */
export const neverUsed = { lastStep: -1, drift: 0, syncState: 'Never Used' } as const

export const insertCodeGenerator = change('insertCodeGenerator', (db, generator: Slots<NewGenerator>) =>
  db.insertInto('codeGenerator').values({
    ...pick(generator, ['id', 'seed', 'algorithm', 'digits', 'period']),
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

export const removeCodeGenerators = change('removeCodeGenerators', (db, ids: List<string>) =>
  db.deleteFrom('codeGenerator').where('id', 'in', ids),
)
