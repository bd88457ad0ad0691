import type { Insertable, Selectable } from 'kysely'

import type { AdminRole } from '../../../contract/roles.ts'
import { removeInvitationsBy } from './invitation-statements.ts'
import { removeAdministratorSessions } from './session-statements.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, firstRow, firstValue, isPostgres, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'

export type AdministratorRow = Selectable<Database['administrator']>

type NewAdministratorRow = Omit<
  Insertable<Database['administrator']>,
  'sequence' | 'lastSeenAt' | 'revokedAt' | 'version'
>

/** @param domainIds The domains that it is limited to; none for the whole organization. In a transaction. */
export async function insertAdministrator(
  db: Queryable,
  row: NewAdministratorRow,
  domainIds: readonly string[],
): Promise<void> {
  await insertAdministratorRow(db, row)
  for (const domainId of domainIds) await insertAdministratorDomain(db, row.id, domainId)
}

const insertAdministratorRow = change('insertAdministrator', (db, row: Slots<NewAdministratorRow>) =>
  db
    .insertInto('administrator')
    .values(pick(row, ['id', 'organizationId', 'name', 'email', 'role', 'userId', 'userHandle', 'createdAt'])),
)

const insertAdministratorDomain = change(
  'insertAdministratorDomain',
  (db, administratorId: Slot<string>, domainId: Slot<string>) =>
    db.insertInto('administratorDomain').values({ administratorId, domainId }),
)

/** Revoked ones too, oldest first. */
export const administratorsOf = allRows('administratorsOf', (db, organizationId: Slot<string>) =>
  db.selectFrom('administrator').selectAll().where('organizationId', '=', organizationId).orderBy('sequence'),
)

/** Finds the recipients of alerts about the organization. */
export const ownersOf = allRows('ownersOf', (db, organizationId: Slot<string>) =>
  db
    .selectFrom('administrator')
    .select(['id', 'email'])
    .where((is) => is.and({ organizationId, role: 'owner' as const, revokedAt: null })),
)

export const administratorById = firstRow('administratorById', (db, id: Slot<string>) =>
  db.selectFrom('administrator').selectAll().where('id', '=', id),
)

/** No other transaction changes the access of this administrator until this one ends. On SQLite, transactions follow each other. */
export const lockAdministrator = firstValue('lockAdministrator', (db, id: Slot<string>) => {
  const rows = db.selectFrom('administrator').select('id').where('id', '=', id)
  return isPostgres(db) ? rows.forNoKeyUpdate() : rows
})

/** The domains of these administrators. */
export const domainsOfAdministrators = allRows('domainsOfAdministrators', (db, ids: List<string>) =>
  db
    .selectFrom('administratorDomain')
    .select(['administratorId', 'domainId'])
    .where('administratorId', 'in', ids)
    .orderBy('domainId'),
)

/**
 * Changes role and domains, and withdraws invitations that the administrator made in its former role. In a transaction.
 * @returns false where the administrator has another version by now, or is revoked.
 */
export async function changeAdministrator(
  db: Queryable,
  { id, version, role, domainIds }: { id: string; version: number; role: AdminRole; domainIds: readonly string[] },
): Promise<boolean> {
  if (!(await updateAdministrator(db, { id, version, role }, version + 1))) return false
  await removeAdministratorDomains(db, id)
  await removeInvitationsBy(db, id)
  for (const domainId of domainIds) await insertAdministratorDomain(db, id, domainId)
  return true
}

const updateAdministrator = changesRow(
  'updateAdministrator',
  (db, row: Slots<{ id: string; version: number; role: AdminRole }>, next: Slot<number>) =>
    db
      .updateTable('administrator')
      .set({ role: row.role, version: next })
      .where('id', '=', row.id)
      .where('version', '=', row.version)
      .where('revokedAt', 'is', null),
)

const removeAdministratorDomains = change('removeAdministratorDomains', (db, id: Slot<string>) =>
  db.deleteFrom('administratorDomain').where('administratorId', '=', id),
)

/**
 * Ends the access of an administrator, with its passkeys, sessions and invitations. In a transaction.
 * @returns false where it has ended already.
 */
export async function endAdministrator(db: Queryable, id: string, now: number): Promise<boolean> {
  if (!(await revokeAdministratorRow(db, id, now))) return false
  await removePasskeysOfAdministrator(db, id)
  await removeAdministratorSessions(db, id)
  await removeInvitationsBy(db, id)
  return true
}

const revokeAdministratorRow = changesRow('revokeAdministratorRow', (db, id: Slot<string>, now: Slot<number>) =>
  db
    .updateTable('administrator')
    .set((eb) => ({ revokedAt: now, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .where('revokedAt', 'is', null),
)

const removePasskeysOfAdministrator = change('removePasskeysOfAdministrator', (db, id: Slot<string>) =>
  db.deleteFrom('administratorPasskey').where('administratorId', '=', id),
)

export const noteAdministratorSeen = change('noteAdministratorSeen', (db, id: Slot<string>, now: Slot<number>) =>
  db.updateTable('administrator').set({ lastSeenAt: now }).where('id', '=', id),
)
