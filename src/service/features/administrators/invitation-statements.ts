import type { Selectable } from 'kysely'

import { invitationLifetime } from '../../../contract/roles.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, derived, firstRow, pick } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

export type InvitationRow = Selectable<Database['administratorInvitation']>

export const insertInvitation = change('insertInvitation', (db, row: Slots<InvitationRow>) =>
  db
    .insertInto('administratorInvitation')
    .values(
      pick(row, [
        'id',
        'tokenHash',
        'organizationId',
        'name',
        'email',
        'role',
        'domainIds',
        'userId',
        'invitedBy',
        'createdAt',
        'expiresAt',
      ]),
    ),
)

/** An expiry after this was set by a clock that was ahead, and grants nothing. */
const latestExpiry = (now: number): number => latestBeginning(now + invitationLifetime)

export const openInvitation = firstRow('openInvitation', (db, tokenHash: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('administratorInvitation')
    .selectAll()
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', derived(now, latestExpiry)),
)

/** Uses an invitation up: of several registrations at once, only one gets it. */
export const useInvitation = firstRow('useInvitation', (db, tokenHash: Slot<string>, now: Slot<number>) =>
  db
    .deleteFrom('administratorInvitation')
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', derived(now, latestExpiry))
    .returningAll(),
)

/** Newest first. */
export const openInvitationsOf = allRows('openInvitationsOf', (db, organizationId: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('administratorInvitation')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('expiresAt', '>', now)
    .orderBy('createdAt', 'desc')
    .orderBy('id'),
)

/** @returns false where the organization has no such invitation. */
export const removeInvitation = changesRow('removeInvitation', (db, organizationId: Slot<string>, id: Slot<string>) =>
  db.deleteFrom('administratorInvitation').where('organizationId', '=', organizationId).where('id', '=', id),
)

export const removeInvitationsBy = change('removeInvitationsBy', (db, invitedBy: Slot<string>) =>
  db.deleteFrom('administratorInvitation').where('invitedBy', '=', invitedBy),
)
