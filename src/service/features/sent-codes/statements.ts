import { sentCodeLifetime } from './rules.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { change, derived, firstValue, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'

/** The key of a code: there is one for each user and domain. */
type Member = Pick<Database['emailCode'], 'domainId' | 'userId'>

/** Stores the code and invalidates all earlier ones. */
export const replaceSentCode = change('replaceSentCode', (db, row: Slots<Database['emailCode']>) =>
  db
    .insertInto('emailCode')
    .values(pick(row, ['domainId', 'userId', 'codeLookup', 'wrongTries', 'expiresAt']))
    .onConflict((conflict) =>
      conflict.columns(['domainId', 'userId']).doUpdateSet(pick(row, ['codeLookup', 'wrongTries', 'expiresAt'])),
    ),
)

/** Uses a code up. @returns its lookup; undefined where it is not the newest one, has expired, or was used. */
export const useSentCode = firstValue(
  'useSentCode',
  (db, { domainId, userId, codeLookups }: Slots<Member & { codeLookups: readonly string[] }>, now: Slot<number>) =>
    db
      .deleteFrom('emailCode')
      .where((is) => is.and({ domainId, userId }))
      .where('codeLookup', 'in', codeLookups)
      .where('expiresAt', '>', now)
      .where('expiresAt', '<=', derived(now, latestExpiry))
      .returning('codeLookup'),
)

/** A later one was set by a clock that was ahead. */
const latestExpiry = (now: number): number => latestBeginning(now + sentCodeLifetime)

/** Counts a wrong try; the last one takes the code away. */
export async function countWrongSentCode(db: Queryable, member: Member, maxTries: number): Promise<void> {
  await countWrongTry(db, member)
  await removeTriedCode(db, member, maxTries)
}

const countWrongTry = change('countWrongTry', (db, { domainId, userId }: Slots<Member>) =>
  db
    .updateTable('emailCode')
    .set((eb) => ({ wrongTries: eb('wrongTries', '+', 1) }))
    .where((is) => is.and({ domainId, userId })),
)

const removeTriedCode = change('removeTriedCode', (db, { domainId, userId }: Slots<Member>, maxTries: Slot<number>) =>
  db
    .deleteFrom('emailCode')
    .where((is) => is.and({ domainId, userId }))
    .where('wrongTries', '>=', maxTries),
)

/** Removes the codes of these users in a domain, or in all domains where none is named. */
export const removeSentCodes = (
  db: Queryable,
  { userIds, domainId }: { userIds: readonly string[]; domainId?: string | undefined },
): Promise<void> => (domainId === undefined ? removeCodesOf(db, userIds) : removeCodesIn(db, domainId, userIds))

const removeCodesOf = change('removeCodesOf', (db, userIds: List<string>) =>
  db.deleteFrom('emailCode').where('userId', 'in', userIds),
)

const removeCodesIn = change('removeCodesIn', (db, domainId: Slot<string>, userIds: List<string>) =>
  db.deleteFrom('emailCode').where('userId', 'in', userIds).where('domainId', '=', domainId),
)
