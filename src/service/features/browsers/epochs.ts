import { randomBytes } from 'node:crypto'

import { epochOf } from '../users/rules.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { removeSome } from '../../engine/database/due.ts'
import { endAllArtifacts, endArtifactsOf } from '../oidc/artifact-statements.ts'
import { endUnkeptBrowsers, outdateKnownBrowsers } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, firstRow } from '../../engine/database/statement.ts'
import type { List, Slot } from '../../engine/database/statement.ts'
import { notifyAfter } from '../../engine/database/transaction-ends.ts'
import { newestEpochChange } from '../../engine/waiting/statements.ts'

/** How many changes are kept for other processes to read. They read within a second. */
const changesKept = 10_000

/**
 * Ends every web session in which these users have passed the second step, and their known browsers. Approvals that
 * were not redeemed yet end as well: otherwise an attacker could hold one back and redeem it later. So does whatever the OpenID provider
 * has issued. In the transaction of the change that is the reason.
 *
 * @param newEpoch The new epoch, which the caller's own web session knows already; random by default.
 */
export async function endOtherSessions(db: Queryable, userIds: readonly string[], newEpoch?: string): Promise<void> {
  if (userIds.length === 0) return
  await outdateKnownBrowsers(db, userIds)
  await endSessions(db, userIds, newEpoch)
}

/**
 * The same for what takes no pass: browsers that the user keeps stay kept. Otherwise an attacker with a copied cookie could lock
 * the user out of an app that accepts no other browser.
 */
export async function endSessionsButKeys(db: Queryable, userId: string, newEpoch?: string): Promise<void> {
  await endUnkeptBrowsers(db, userId)
  await endSessions(db, [userId], newEpoch)
}

async function endSessions(db: Queryable, userIds: readonly string[], newEpoch: string | undefined): Promise<void> {
  if (!(await setEpoch(db, userIds, newEpoch))) await setEpoch(db, userIds, undefined)
  await endApprovals(db, userIds)
  await endArtifactsOf(db, userIds)
  const changes = await insertChanges(db, userIds)
  const keys = changes.map(({ domainId, userId }) => waiterKey.epoch(domainId, userId))
  notifyAfter(db, keys)
}

/** Sessions without a challenge cannot be redeemed. */
const endApprovals = change('endApprovals', (db, userIds: List<string>) =>
  db
    .updateTable('session')
    .set((eb) => ({ redeemedAt: eb.ref('settledAt') }))
    .where('userId', 'in', userIds)
    .where((is) => is.and({ state: 'approved', passed: 0, redeemedAt: null }))
    .where('challenge', 'is not', null),
)

const insertChanges = allRows('insertChanges', (db, userIds: List<string>) =>
  db
    .insertInto('epochChange')
    .columns(['domainId', 'userId'])
    .expression((eb) => eb.selectFrom('membership').select(['domainId', 'userId']).where('userId', 'in', userIds))
    .returning(['domainId', 'userId']),
)

/** Ends the verified web sessions of all users: a copy of the past has epochs that were in force then. */
export async function endAllSessions(db: Queryable): Promise<void> {
  await setAllEpochs(db, randomBytes(16).toString('base64url'))
  await endAllArtifacts(db)
}

const setAllEpochs = change('setAllEpochs', (db, epoch: Slot<string>) => db.updateTable('user').set({ epoch }))

/** @returns false where they have the chosen one already. */
async function setEpoch(db: Queryable, userIds: readonly string[], newEpoch: string | undefined): Promise<boolean> {
  const changed = await changeEpoch(db, userIds, newEpoch ?? randomBytes(16).toString('base64url'))
  return changed || newEpoch === undefined
}

const changeEpoch = changesRow('changeEpoch', (db, userIds: List<string>, epoch: Slot<string>) =>
  db
    .updateTable('user')
    .set({ epoch })
    .where('id', 'in', userIds)
    .where((eb) => eb.or([eb('epoch', 'is', null), eb('epoch', '<>', epoch)])),
)

/** @returns nothing where there is no such user. */
export async function epochOfUser(db: Queryable, userId: string): Promise<string | undefined> {
  const user = await readEpoch(db, userId)
  return user && epochOf(user)
}

const readEpoch = firstRow('readEpoch', (db, userId: Slot<string>) =>
  db.selectFrom('user').select(['id', 'epoch']).where('id', '=', userId),
)

export async function removeOldEpochChanges(db: Queryable): Promise<number> {
  const oldest = ((await newestEpochChange(db)) ?? 0) - changesKept
  return removeSome(db, 'epochChange', ['sequence'], (is) => is('sequence', '<=', oldest))
}
