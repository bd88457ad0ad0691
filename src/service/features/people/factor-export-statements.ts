import { sql } from 'kysely'
import type { SqlBool } from 'kysely'

import type { Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, oneRow } from '../../engine/database/statement.ts'
import type { RowOf, Slot, Slots } from '../../engine/database/statement.ts'
import type { IsUser } from '../factors/strong-factors.ts'
import type { Visible } from './filters.ts'
import { isVisible } from './filters.ts'

/** The seeds that one statement reads. Opened, they are in memory until their lines are encrypted. */
export const seedsPerPage = 200

export type SeedRow = RowOf<typeof seedsOfPeople>

/** Reads a page of the seeds of people, in the order in which apps and hardware tokens were added. Seeds of devices are not among them. */
export const seedsOfPeople = allRows('seedsOfPeople', (db, visible: Slots<Visible>, after: Slot<number>) =>
  assignedTokens(db, visible)
    .innerJoin('codeGenerator', 'codeGenerator.id', 'hardwareToken.id')
    .select([
      'hardwareToken.sequence',
      'hardwareToken.id',
      'hardwareToken.userId',
      'hardwareToken.serialNumber',
      'hardwareToken.selfEnrolled',
      'user.username',
      'user.name',
      'user.email',
      'codeGenerator.seed',
      'codeGenerator.algorithm',
      'codeGenerator.digits',
      'codeGenerator.period',
      'codeGenerator.counter',
    ])
    .where('hardwareToken.sequence', '>', after)
    .orderBy('hardwareToken.sequence')
    .limit(seedsPerPage),
)

export const countSeeds = oneRow('countSeeds', (db, visible: Slots<Visible>) =>
  assignedTokens(db, visible).select((is) => is.fn.countAll<number | string>().as('count')),
)

const assignedTokens = (db: Queryable, visible: Slots<Visible>) =>
  db
    .selectFrom('hardwareToken')
    .innerJoin('user', 'user.id', 'hardwareToken.userId')
    .where('hardwareToken.organizationId', '=', visible.organizationId)
    .where((is) => isVisible(is as IsUser, visible))

/** Hardware tokens without a user. */
export const countFreeTokens = oneRow('countFreeTokens', (db, organizationId: Slot<string>) =>
  db
    .selectFrom('hardwareToken')
    .select((is) => is.fn.countAll<number | string>().as('count'))
    .where('organizationId', '=', organizationId)
    .where('userId', 'is', null),
)

/** Devices that answer for their users. */
export const countDevices = oneRow('countDevices', (db, visible: Slots<Visible>) =>
  db
    .selectFrom('token')
    .innerJoin('device', 'device.tokenId', 'token.id')
    .innerJoin('domain', 'domain.id', 'token.domainId')
    .select((is) => is.fn.countAll<number | string>().as('count'))
    .where((is) =>
      is.and({ 'domain.organizationId': visible.organizationId, 'token.state': 'active', 'device.revokedAt': null }),
    )
    .where((is) => is.or([sql<SqlBool>`${visible.everyone} = 1`, is('token.domainId', 'in', visible.domainIds)])),
)

export const countPasskeys = oneRow('countPasskeys', (db, visible: Slots<Visible>) =>
  db
    .selectFrom('passkey')
    .innerJoin('user', 'user.id', 'passkey.userId')
    .select((is) => is.fn.countAll<number | string>().as('count'))
    .where('passkey.organizationId', '=', visible.organizationId)
    .where((is) => isVisible(is as IsUser, visible)),
)
