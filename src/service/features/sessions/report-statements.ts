import type { Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, changesRow, oneRow } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'
import type { SessionRow } from './statements.ts'

type Ended = Pick<SessionRow, 'id' | 'deviceId'>

/**
 * Records a report of a session that ended without an answer, which keeps its state. One that is still stored as pending is
 * settled by the sweep, like others whose time is over.
 * @returns false when it has an answer, or can still get one.
 */
export const reportEnded = changesRow('reportEnded', (db, slots: Slots<Ended>, now: Slot<number>) =>
  db
    .updateTable('session')
    .set({ answeredDecision: 'report' })
    .where((is) => is.and({ id: slots.id, deviceId: slots.deviceId }))
    .where('answeredDecision', 'is', null)
    .where((eb) =>
      eb.or([
        eb('state', 'in', ['cancelled', 'expired']),
        eb.and([eb('state', '=', 'pending'), eb('expiresAt', '<=', now)]),
      ]),
    ),
)

type Reporting = Pick<SessionRow, 'id' | 'userId'>

/**
 * Denies all other requests of a user who reported one, in every domain. In a transaction that has locked the user, so that
 * no request is created meanwhile. A request that a clock dated in the future does not wait yet, and is denied all the same:
 * otherwise it could be approved once its time has come.
 */
export const denyOthersAsReported = allRows('denyOthersAsReported', (db, slots: Slots<Reporting>, now: Slot<number>) =>
  db
    .updateTable('session')
    // `report` is their answer, so that reporting one of them too is a repeated answer and not a late one.
    .set({ state: 'denied', reason: 'reported', answeredDecision: 'report', settledAt: now })
    .where((is) => is.and({ userId: slots.userId, state: 'pending' as const }))
    .where('expiresAt', '>', now)
    .where('id', '<>', slots.id)
    .returningAll(),
)

interface Denied {
  readonly userId: string
  readonly from: number
  /** Included. */
  readonly until: number
}

/** How many requests of a user were denied by a report in that time. */
export async function countReported(db: Queryable, denied: Denied): Promise<number> {
  return Number((await reportedCount(db, denied)).requests)
}

const reportedCount = oneRow('reportedCount', (db, { userId, from, until }: Slots<Denied>) =>
  db
    .selectFrom('session')
    .select((eb) => eb.fn.countAll<number | string>().as('requests'))
    .where('settledAt', '>=', from)
    .where('settledAt', '<=', until)
    .where((is) => is.and({ reason: 'reported' as const, userId })),
)
