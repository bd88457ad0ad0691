import type { ExpressionBuilder, Selectable } from 'kysely'

import { ceremonyLifetime } from '../../contract/passkeys.ts'
import { latestBeginning } from '../rules/present.ts'
import type { Database } from './schema.ts'
import { change, derived, firstRow, pick } from './statement.ts'
import type { Slot, Slots } from './statement.ts'

export type AdministratorCeremonyRow = Selectable<Database['administratorCeremony']>

/** A ceremony as an answer names it. */
export type AdministratorCeremonyOf = Pick<AdministratorCeremonyRow, 'challengeHash' | 'kind' | 'subject'>

export const insertAdministratorCeremony = change(
  'insertAdministratorCeremony',
  (db, row: Slots<AdministratorCeremonyRow>) =>
    db
      .insertInto('administratorCeremony')
      .values(pick(row, ['challengeHash', 'kind', 'subject', 'userHandle', 'expiresAt'])),
)

/** Uses a ceremony up: of several answers at once, only one gets it. */
export const useAdministratorCeremony = firstRow(
  'useAdministratorCeremony',
  (db, of: Slots<AdministratorCeremonyOf>, now: Slot<number>) =>
    db.deleteFrom('administratorCeremony').where(isOpen(of, now)).returningAll(),
)

const isOpen =
  (of: Slots<AdministratorCeremonyOf>, now: Slot<number>) =>
  (is: ExpressionBuilder<Database, 'administratorCeremony'>) =>
    is.and([
      is.and(pick(of, ['challengeHash', 'kind', 'subject'])),
      is('expiresAt', '>', now),
      is('expiresAt', '<=', derived(now, latestExpiry)),
    ])

const latestExpiry = (now: number): number => latestBeginning(now + ceremonyLifetime)
