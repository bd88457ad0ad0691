import type { Selectable } from 'kysely'

import { latestBeginning } from '../../engine/base/present.ts'
import type { Database } from '../../engine/database/schema/schema.ts'
import { change, changesRow, derived, firstRow, firstValue } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import { ownModels, roots } from './models.ts'

export type ArtifactRow = Selectable<Database['oidcArtifact']>

/** What tells a row from others. */
type Key = Pick<ArtifactRow, 'id' | 'model'>

type ReplacedColumns = Pick<ArtifactRow, 'grantId' | 'userId' | 'uid' | 'expiresAt' | 'payload'>

/** @returns false where there is none, or only one that has expired. */
export const updateArtifact = changesRow('updateArtifact', (db, row: Slots<Key & ReplacedColumns>, now: Slot<number>) =>
  db
    .updateTable('oidcArtifact')
    .set({
      grantId: row.grantId,
      userId: row.userId,
      uid: row.uid,
      expiresAt: row.expiresAt,
      payload: row.payload,
    })
    .where('id', '=', row.id)
    .where('model', '=', row.model)
    .where('expiresAt', '>', now),
)

/** A client that was removed is left out: nothing finds what was stored for it. @returns false where the id is taken. */
export const insertArtifact = changesRow(
  'insertArtifact',
  (db, row: Slots<Key & ReplacedColumns & Pick<ArtifactRow, 'clientId' | 'createdAt'>>) =>
    db
      .insertInto('oidcArtifact')
      .values((eb) => ({
        id: row.id,
        model: row.model,
        clientId: eb
          .selectFrom('oidcClient')
          .select('id')
          .where('id', '=', row.clientId as Slot<string>),
        grantId: row.grantId,
        userId: row.userId,
        uid: row.uid,
        createdAt: row.createdAt,
        expiresAt: row.expiresAt,
        payload: row.payload,
      }))
      .onConflict((conflict) => conflict.doNothing()),
)

const shown = ['id', 'model', 'userId', 'consumedAt', 'payload'] as const

export const artifactById = firstRow('artifactById', (db, key: Slots<Key>, now: Slot<number>) =>
  db
    .selectFrom('oidcArtifact')
    .select(shown)
    .where('id', '=', key.id)
    .where('model', '=', key.model)
    .where('expiresAt', '>', now)
    .where('createdAt', '<=', derived(now, latestBeginning)),
)

export const artifactByUid = firstRow(
  'artifactByUid',
  (db, key: Slots<Pick<ArtifactRow, 'model'> & { uid: string }>, now: Slot<number>) =>
    db
      .selectFrom('oidcArtifact')
      .select(shown)
      .where('uid', '=', key.uid)
      .where('model', '=', key.model)
      .where('expiresAt', '>', now)
      .where('createdAt', '<=', derived(now, latestBeginning)),
)

/** @returns false where another caller was first, on whatever node, or where it has ended. */
export const consumeArtifact = changesRow('consumeArtifact', (db, key: Slots<Key>, now: Slot<number>) =>
  db
    .updateTable('oidcArtifact')
    .set({ consumedAt: now })
    .where('id', '=', key.id)
    .where('model', '=', key.model)
    .where('consumedAt', 'is', null)
    .where('expiresAt', '>', now),
)

/** Lets what follows from a login be stored for a moment longer. @returns false where there is none of a user. */
export const keepAsFormerLogin = changesRow(
  'keepAsFormerLogin',
  (db, key: Slots<Key>, now: Slot<number>, until: Slot<number>) =>
    db
      .updateTable('oidcArtifact')
      .set({ model: ownModels.formerLogin, uid: null, expiresAt: until })
      .where('id', '=', key.id)
      .where('model', '=', key.model)
      .where('userId', 'is not', null)
      .where('expiresAt', '>', now),
)

export const deleteArtifact = changesRow('deleteArtifact', (db, key: Slots<Key>) =>
  db.deleteFrom('oidcArtifact').where('id', '=', key.id).where('model', '=', key.model),
)

/** Moves the end of what belongs to a user. */
export const touchArtifact = change('touchArtifact', (db, key: Slots<Key>, expiresAt: Slot<number>) =>
  db
    .updateTable('oidcArtifact')
    .set({ expiresAt })
    .where('id', '=', key.id)
    .where('model', '=', key.model)
    .where('userId', 'is not', null),
)

export const deleteOfGrant = change(
  'deleteOfGrant',
  (db, key: Slots<Pick<ArtifactRow, 'model'> & { grantId: string }>) =>
    db.deleteFrom('oidcArtifact').where('grantId', '=', key.grantId).where('model', '=', key.model),
)

/** Whether a session or grant of a user may be stored. */
export const rootOf = firstValue('rootOf', (db, userId: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('oidcArtifact')
    .select('id')
    .where('userId', '=', userId)
    .where('model', 'in', roots)
    .where('expiresAt', '>', now)
    .limit(1),
)

/** Ends all that the users have at the provider, save the web sessions of its pages, which end by themselves. */
export const endArtifactsOf = change('endArtifactsOf', (db, userIds: List<string>) =>
  db.deleteFrom('oidcArtifact').where('userId', 'in', userIds).where('model', '<>', ownModels.webSession),
)

/** Deletes all that a user has at the provider, web sessions included. */
export const deleteArtifactsOf = change('deleteArtifactsOf', (db, userId: Slot<string>) =>
  db.deleteFrom('oidcArtifact').where('userId', '=', userId),
)

export const endArtifactsOfClient = change('endArtifactsOfClient', (db, clientId: Slot<string>) =>
  db.deleteFrom('oidcArtifact').where('clientId', '=', clientId),
)

/** Ends everything of everybody: a copy of the past has sign-ins that may have ended since. */
export const endAllArtifacts = change('endAllArtifacts', (db) => db.deleteFrom('oidcArtifact'))
