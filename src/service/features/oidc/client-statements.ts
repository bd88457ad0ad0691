import type { Selectable } from 'kysely'

import { Id } from '../../../contract/text.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, firstRow, pick } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'
import { settingNames } from './client-columns.ts'

export type OidcClientRow = Selectable<Database['oidcClient']>

const changeable = [...settingNames, 'secretHash', 'formerSecretHash', 'formerSecretUntil'] as const

type Changeable = Pick<OidcClientRow, (typeof changeable)[number]>

export const insertOidcClient = change('insertOidcClient', (db, row: Slots<Omit<OidcClientRow, 'version'>>) =>
  db.insertInto('oidcClient').values(pick(row, ['id', 'domainId', 'kind', 'createdAt', ...changeable])),
)

/** @returns false where it was changed meanwhile. */
export const updateOidcClient = changesRow(
  'updateOidcClient',
  (db, row: Slots<Changeable & Pick<OidcClientRow, 'id' | 'version'>>) =>
    db
      .updateTable('oidcClient')
      .set((eb) => ({ ...pick(row, changeable), version: eb('version', '+', 1) }))
      .where('id', '=', row.id)
      .where('version', '=', row.version),
)

/** The id may come from a stranger. No client has one that is none, and PostgreSQL would reject parts of it. */
export const oidcClientById = (db: Queryable, id: string): Promise<OidcClientRow | undefined> =>
  Id.safeParse(id).success ? clientById(db, id) : Promise.resolve(undefined)

const clientById = firstRow('oidcClientById', (db, id: Slot<string>) =>
  db.selectFrom('oidcClient').selectAll().where('id', '=', id),
)

/** Oldest first. */
export const oidcClientsOfDomain = allRows('oidcClientsOfDomain', (db, domainId: Slot<string>) =>
  db.selectFrom('oidcClient').selectAll().where('domainId', '=', domainId).orderBy('createdAt').orderBy('id'),
)

/** The clients of all domains, sorted by the name of the domain. */
export const oidcClientsOfOrganization = allRows('oidcClientsOfOrganization', (db, organizationId: Slot<string>) =>
  db
    .selectFrom('oidcClient')
    .innerJoin('domain', 'domain.id', 'oidcClient.domainId')
    .selectAll('oidcClient')
    .where('domain.organizationId', '=', organizationId)
    .orderBy('domain.name')
    .orderBy('oidcClient.createdAt')
    .orderBy('oidcClient.id'),
)

/** Whatever it was issued has to end before. */
export const deleteOidcClient = changesRow('deleteOidcClient', (db, id: Slot<string>) =>
  db.deleteFrom('oidcClient').where('id', '=', id),
)

/** Nobody has the secrets of this client any more: it gets a new one. @returns false where there is no such client. */
export const forgetClientSecrets = changesRow('forgetClientSecrets', (db, id: Slot<string>) =>
  db
    .updateTable('oidcClient')
    .set({ secretHash: null, formerSecretHash: null, formerSecretUntil: null })
    .where('id', '=', id),
)
