import { randomBytes } from 'node:crypto'

import { epochOf } from '../rules/epoch.ts'
import { waiterKey } from '../ground/waiter-key.ts'
import { removedBy, someOf } from './due.ts'
import { endKnownBrowsers } from './known-browsers.ts'
import type { Queryable } from './schema.ts'
import { tellAfter } from './transaction-ends.ts'

/** How many changes are kept for other processes to read. They read within a second. */
const changesKept = 10_000

/**
 * Ends every web session in which these users have passed the second step, and their known browsers. Approvals that
 * were not redeemed yet end as well: otherwise somebody could keep one back, and redeem it afterwards. In the transaction
 * of the change that is the reason.
 *
 * @param chosen The new epoch, which the caller's own web session knows already; by default nobody knows it.
 */
export async function endOtherSessions(db: Queryable, userIds: readonly string[], chosen?: string): Promise<void> {
  if (userIds.length === 0) return
  if (!(await setEpoch(db, userIds, chosen))) await setEpoch(db, userIds, undefined)
  await endKnownBrowsers(db, userIds)
  await db
    .updateTable('session')
    .set((eb) => ({ redeemedAt: eb.ref('settledAt') }))
    .where('userId', 'in', userIds)
    .where('state', '=', 'approved')
    .where('redeemedAt', 'is', null)
    .execute()
  const changes = await db
    .insertInto('epochChange')
    .columns(['domainId', 'userId'])
    .expression((eb) => eb.selectFrom('membership').select(['domainId', 'userId']).where('userId', 'in', userIds))
    .returning(['domainId', 'userId'])
    .execute()
  tellAfter(
    db,
    changes.map(({ domainId, userId }) => waiterKey.epoch(domainId, userId)),
  )
}

/** Ends the verified web sessions of everybody: a copy of the past has epochs that were in force then. */
export async function endAllSessions(db: Queryable): Promise<void> {
  await db
    .updateTable('user')
    .set({ epoch: randomBytes(16).toString('base64url') })
    .execute()
}

/** @returns false where the chosen one is what they have already. */
async function setEpoch(db: Queryable, userIds: readonly string[], chosen: string | undefined): Promise<boolean> {
  const epoch = chosen ?? randomBytes(16).toString('base64url')
  const changed = await db
    .updateTable('user')
    .set({ epoch })
    .where('id', 'in', userIds)
    .where((eb) => eb.or([eb('epoch', 'is', null), eb('epoch', '<>', epoch)]))
    .executeTakeFirst()
  return changed.numUpdatedRows > 0n || chosen === undefined
}

/** @returns nothing where there is no such user. */
export async function epochOfUser(db: Queryable, userId: string): Promise<string | undefined> {
  const user = await db.selectFrom('user').select(['id', 'epoch']).where('id', '=', userId).executeTakeFirst()
  return user && epochOf(user)
}

/** A change of a user's epoch, for one of the domains that the user belongs to. */
export interface EpochChange {
  readonly sequence: number
  readonly domainId: string
  readonly userId: string
}

/** What changed in the domains after a change; several processes may be about to write. */
export function epochsChangedAfter(
  db: Queryable,
  domainIds: readonly string[],
  sequence: number,
): Promise<EpochChange[]> {
  return db
    .selectFrom('epochChange')
    .selectAll()
    .where('sequence', '>', sequence)
    .where('domainId', 'in', domainIds)
    .orderBy('sequence')
    .execute()
}

/** The number of the newest change; 0 before the first. */
export async function newestEpochChange(db: Queryable): Promise<number> {
  const newest = await db
    .selectFrom('epochChange')
    .select('sequence')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.sequence ?? 0
}

export async function removeOldEpochChanges(db: Queryable): Promise<number> {
  const newest = await newestEpochChange(db)
  const due = db
    .selectFrom('epochChange')
    .select('sequence')
    .where('sequence', '<=', newest - changesKept)
  return removedBy(await db.deleteFrom('epochChange').where('sequence', 'in', someOf(db, due)).executeTakeFirst())
}
