import { allRows } from './statement.ts'
import type { List, RowOf, Slot, Slots } from './statement.ts'

/** A session of a user, as an administrator sees it. */
export type SignInRow = RowOf<typeof sessionsOfUser>

interface Page {
  /** Only sessions that are older, Unix time, seconds. */
  readonly before: number
  readonly limit: number
}

/** The sessions of a user in some domains, newest first. They are kept for a day. */
export const sessionsOfUser = allRows(
  'sessionsOfUser',
  (db, userId: Slot<string>, domainIds: List<string>, { before, limit }: Slots<Page>) =>
    db
      .selectFrom('session')
      .select(['id', 'domainId', 'state', 'reason', 'factor', 'purpose', 'attributes', 'ipAddress'])
      .select(['knownBrowser', 'createdAt', 'expiresAt', 'settledAt'])
      .where('userId', '=', userId)
      .where('domainId', 'in', domainIds)
      .where('createdAt', '<', before)
      .orderBy('createdAt', 'desc')
      .limit(limit),
)

/** What devices answered, newest first. It is kept for longer than sessions. */
export const answersOfDevices = allRows(
  'answersOfDevices',
  (db, deviceIds: List<string>, { before, limit }: Slots<Page>) =>
    db
      .selectFrom('deviceHistory')
      .select(['sessionId as id', 'domainId', 'state', 'reason', 'purpose', 'attributes', 'ipAddress', 'createdAt'])
      .where('deviceId', 'in', deviceIds)
      .where('createdAt', '<', before)
      .orderBy('sequence', 'desc')
      .limit(limit),
)
