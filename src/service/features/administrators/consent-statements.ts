import type { Selectable } from 'kysely'

import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, firstRow, firstValue, pick } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

export type ConsentRow = Selectable<Database['consent']>

export const insertConsent = change('insertConsent', (db, row: Slots<ConsentRow>) =>
  db.insertInto('consent').values({
    ...pick(row, ['id', 'organizationId', 'operation', 'userId', 'parameters', 'domainIds', 'digest']),
    ...pick(row, ['requestedBy', 'because', 'decidedBy', 'state', 'createdAt', 'expiresAt']),
  }),
)

/** The start of a page of requests: the page follows the request that is named. */
interface Before {
  readonly createdAt: number
  readonly id: string
}

/** How many requests are read at a time. */
export const consentPage = 100

/** Newest first. */
export const consentsBefore = allRows(
  'consentsBefore',
  (db, organizationId: Slot<string>, before: Slots<Before>, now: Slot<number>) =>
    db
      .selectFrom('consent')
      .selectAll()
      .where('organizationId', '=', organizationId)
      .where('createdAt', '<=', before.createdAt)
      .where((is) => is.or([is('createdAt', '<', before.createdAt), is('id', '<', before.id)]))
      .where('expiresAt', '>', now)
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(consentPage),
)

export const consentById = firstRow('consentById', (db, id: Slot<string>, now: Slot<number>) =>
  db.selectFrom('consent').selectAll().where('id', '=', id).where('expiresAt', '>', now),
)

/** A request is one of an administrator, about a person. */
interface ConsentQuery {
  readonly requestedBy: string
  readonly userId: string
}

/** Ends what the administrator has asked about the person and nobody has used, also where it has expired. */
export const removeOpenConsents = change('removeOpenConsents', (db, slots: Slots<ConsentQuery>) =>
  db
    .deleteFrom('consent')
    .where((is) => is.and(pick(slots, ['requestedBy', 'userId'])))
    .where('state', 'in', ['pending', 'given']),
)

/** @returns until when a colleague's denial of the operation counts. Unix time, seconds. */
export const deniedUntil = firstValue(
  'deniedUntil',
  (db, slots: Slots<ConsentQuery & { operation: string }>, now: Slot<number>) =>
    db
      .selectFrom('consent')
      .select('expiresAt')
      .where((is) => is.and(pick(slots, ['requestedBy', 'userId', 'operation'])))
      .where('state', '=', 'denied')
      .where('expiresAt', '>', now)
      .orderBy('expiresAt', 'desc')
      .limit(1),
)

/** @returns false where it was decided already. */
export const giveConsent = changesRow('giveConsent', (db, id: Slot<string>, decidedBy: Slot<string>) =>
  db.updateTable('consent').set({ state: 'given', decidedBy }).where('id', '=', id).where('state', '=', 'pending'),
)

/** A denial wins over what another colleague has said. @returns false where it was denied or used already. */
export const denyConsent = changesRow('denyConsent', (db, id: Slot<string>, decidedBy: Slot<string>) =>
  db
    .updateTable('consent')
    .set({ state: 'denied', decidedBy })
    .where('id', '=', id)
    .where('state', 'in', ['pending', 'given']),
)

/** The consent that an administrator has got for an action on a person. */
export const givenConsent = firstRow('givenConsent', (db, slots: Slots<ConsentQuery>, now: Slot<number>) =>
  db
    .selectFrom('consent')
    .selectAll()
    .where((is) => is.and(pick(slots, ['requestedBy', 'userId'])))
    .where('state', '=', 'given')
    .where('expiresAt', '>', now),
)

/** Uses a consent up: of several actions at once, only one gets it. */
export const useConsent = changesRow('useConsent', (db, id: Slot<string>) =>
  db.updateTable('consent').set({ state: 'used' }).where('id', '=', id).where('state', '=', 'given'),
)
