import type { Insertable, Selectable } from 'kysely'

import { removeCodeGenerators } from './code-generators.ts'
import { removeHistories } from './device-history.ts'
import { removeNotices } from './device-notices.ts'
import { removedBy, someOf } from './due.ts'
import { endOtherSessions } from './epochs.ts'
import { isPending } from './pending.ts'
import type { Queryable, TokenTable } from './schema.ts'

export type TokenRow = Selectable<TokenTable>

/** What a revocation ended: whoever waits for these has to be told. */
export interface Revoked {
  readonly tokens: readonly Ended[]
  readonly devices: readonly Ended[]
  readonly sessions: readonly Ended[]
}

/** A token, device or session that is no more, and whose it was. */
export interface Ended {
  readonly id: string
  readonly domainId: string
  readonly userId: string
}

export const noneRevoked: Revoked = { tokens: [], devices: [], sessions: [] }

export async function insertToken(db: Queryable, row: Insertable<TokenTable>): Promise<void> {
  await db.insertInto('token').values(row).execute()
}

/** Also one whose code has expired: `hasExpired` tells. */
export function tokenOf(db: Queryable, domainId: string, userId: string): Promise<TokenRow | undefined> {
  return db
    .selectFrom('token')
    .selectAll()
    .where('domainId', '=', domainId)
    .where('userId', '=', userId)
    .executeTakeFirst()
}

/** Takes users' tokens away, in one domain or in all, with the devices that hold them and the sessions they could answer. */
export async function revokeTokens(
  db: Queryable,
  of: { userIds: readonly string[]; domainId?: string | undefined; epoch?: string | undefined },
  now: number,
): Promise<Revoked> {
  const domains = of.domainId === undefined ? [] : [of.domainId]
  const tokens = await db
    .deleteFrom('token')
    .where('userId', 'in', of.userIds)
    .$if(domains.length > 0, (query) => query.where('domainId', 'in', domains))
    .returning(['id', 'domainId', 'userId'])
    .execute()
  const devices = await db
    .updateTable('device')
    .set({ revokedAt: now, pin: null, push: null })
    .where('userId', 'in', of.userIds)
    .where('revokedAt', 'is', null)
    .$if(domains.length > 0, (query) => query.where('domainId', 'in', domains))
    .returning(['id', 'domainId', 'userId'])
    .execute()
  // Their codes end with them, and what only they could read.
  const deviceIds = devices.map(({ id }) => id)
  await endOtherSessions(db, [...new Set(devices.map(({ userId }) => userId))], of.epoch)
  await removeCodeGenerators(db, deviceIds)
  await removeHistories(db, deviceIds)
  await removeNotices(db, deviceIds)
  const sessions = await db
    .updateTable('session')
    .set({ state: 'cancelled', reason: 'cancelled', settledAt: now })
    .where('userId', 'in', of.userIds)
    .where(isPending(now))
    .$if(domains.length > 0, (query) => query.where('domainId', 'in', domains))
    .returning(['id', 'domainId', 'userId'])
    .execute()
  return { tokens, devices, sessions }
}

/** Removes a token whose code a page shows. @returns false where it is not pending, or an administrator issued it. */
export async function removeShownToken(db: Queryable, id: string): Promise<boolean> {
  const removed = await db
    .deleteFrom('token')
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('selfEnrollment', '=', 1)
    .executeTakeFirst()
  return removed.numDeletedRows === 1n
}

/** Tokens nobody activated in time read as none already. */
export async function removeExpiredTokens(db: Queryable, now: number): Promise<number> {
  const due = db.selectFrom('token').select('id').where('state', '=', 'pending').where('codeExpiresAt', '<=', now)
  return removedBy(await db.deleteFrom('token').where('id', 'in', someOf(db, due)).executeTakeFirst())
}
