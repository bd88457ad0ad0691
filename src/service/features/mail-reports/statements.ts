import type { Insertable } from 'kysely'

import { mailReportLifetime } from './rules.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import type { Database } from '../../engine/database/schema/schema.ts'
import { allValues, change, changesRow, derived, firstRow, pick } from '../../engine/database/statement.ts'
import type { List, RowOf, Slot, Slots } from '../../engine/database/statement.ts'

/** The subject of a mail, and whether its reader has said that it was not them. */
export type MailReport = RowOf<typeof mailReportBySecret>

export const insertMailReport = change('insertMailReport', (db, row: Slots<Insertable<Database['mailReport']>>) =>
  db.insertInto('mailReport').values(pick(row, ['secretHash', 'userId', 'headline', 'expiresAt'])),
)

/** A later one was set by a clock that was ahead. */
const latestExpiry = (now: number): number => latestBeginning(now + mailReportLifetime)

/** Reads the mail with its user. @returns nothing once it has expired. */
export const mailReportBySecret = firstRow('mailReportBySecret', (db, secretHash: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('mailReport')
    .innerJoin('user', 'user.id', 'mailReport.userId')
    .select(['mailReport.userId', 'headline', 'usedAt', 'user.organizationId', 'user.username', 'user.language'])
    .where('secretHash', '=', secretHash)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', derived(now, latestExpiry)),
)

/** Uses the link; of two requests at once, one does. @returns false where it was used before. */
export const useMailReport = changesRow('useMailReport', (db, secretHash: Slot<string>, now: Slot<number>) =>
  db.updateTable('mailReport').set({ usedAt: now }).where('secretHash', '=', secretHash).where('usedAt', 'is', null),
)

export const removeMailReports = change('removeMailReports', (db, userIds: List<string>) =>
  db.deleteFrom('mailReport').where('userId', 'in', userIds),
)

export const domainsOfMember = allValues('domainsOfMember', (db, userId: Slot<string>) =>
  db.selectFrom('member').select('domainId').where('userId', '=', userId),
)
