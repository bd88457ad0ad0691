import type { Selectable } from 'kysely'

import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, allValues, change, changesRow, firstValue, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'

export type RequesterBlockRow = Selectable<Database['requesterBlock']>

/** Blocks a requester, or blocks it for longer. @returns the id of the block. */
export const blockRequester = firstValue('blockRequester', (db, row: Slots<Omit<RequesterBlockRow, 'sequence'>>) =>
  db
    .insertInto('requesterBlock')
    .values(pick(row, ['id', 'domainId', 'userId', 'apiKeyId', 'requester', 'shown', 'blockedUntil']))
    .onConflict((conflict) =>
      conflict
        .columns(['userId', 'domainId', 'apiKeyId', 'requester'])
        .doUpdateSet({ blockedUntil: row.blockedUntil, shown: row.shown }),
    )
    .returning('id'),
)

interface Asking {
  readonly userIds: readonly string[]
  readonly domainId: string
  readonly apiKeyId: string
  readonly requester: string
}

/** The people who have blocked a requester. */
export const blockingUsers = allValues('blockingUsers', (db, slots: Slots<Asking>, now: Slot<number>) =>
  db
    .selectFrom('requesterBlock')
    .select('userId')
    .where('userId', 'in', slots.userIds)
    .where('domainId', '=', slots.domainId)
    .where('apiKeyId', '=', slots.apiKeyId)
    .where('requester', '=', slots.requester)
    .where('blockedUntil', '>', now),
)

type Owner = Pick<RequesterBlockRow, 'domainId' | 'userId'>

/** The requesters that a person has blocked, newest first. */
export const blocksOf = allRows('blocksOf', (db, slots: Slots<Owner>, now: Slot<number>) =>
  db
    .selectFrom('requesterBlock')
    .innerJoin('domain', 'domain.id', 'requesterBlock.domainId')
    .selectAll('requesterBlock')
    .select('domain.name as domainName')
    .where('requesterBlock.userId', '=', slots.userId)
    .where('requesterBlock.domainId', '=', slots.domainId)
    .where('requesterBlock.blockedUntil', '>', now)
    .orderBy('requesterBlock.sequence', 'desc'),
)

export const deleteBlock = changesRow('deleteBlock', (db, slots: Slots<Owner & { id: string }>) =>
  db.deleteFrom('requesterBlock').where((is) => is.and(pick(slots, ['id', 'userId', 'domainId']))),
)

export const deleteBlocksOf = change('deleteBlocksOf', (db, userIds: List<string>) =>
  db.deleteFrom('requesterBlock').where('userId', 'in', userIds),
)

export const deleteBlocksInDomain = change(
  'deleteBlocksInDomain',
  (db, userIds: List<string>, domainId: Slot<string>) =>
    db.deleteFrom('requesterBlock').where('userId', 'in', userIds).where('domainId', '=', domainId),
)
