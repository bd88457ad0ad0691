import { sql } from 'kysely'
import type { Insertable, Selectable, SqlBool } from 'kysely'

import { latestBeginning } from '../../engine/base/present.ts'
import type { Database, Fact, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, allValues, change, changesRow, derived, firstRow, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'

type BulkItemRow = Selectable<Database['bulkItem']>

export const insertBulkJob = change('insertBulkJob', (db, row: Slots<Insertable<Database['bulkJob']>>) =>
  db
    .insertInto('bulkJob')
    .values(
      pick(row, [
        'id',
        'organizationId',
        'requestedBy',
        'action',
        'domainId',
        'because',
        'state',
        'people',
        'createdAt',
        'expiresAt',
      ]),
    ),
)

export const insertBulkItem = change('insertBulkItem', (db, row: Slots<BulkItemRow>) =>
  db.insertInto('bulkItem').values(pick(row, ['jobId', 'userId', 'state', 'reason', 'expiresAt'])),
)

/**
 * Stores how many people a job has, once all are stored. Call it in a transaction: no other preview then removes the job before it ends.
 *
 * @returns false where one has done so already.
 */
export const setBulkPeople = changesRow('setBulkPeople', (db, id: Slot<string>, people: Slot<number>) =>
  db.updateTable('bulkJob').set({ people }).where('id', '=', id).where('state', '=', 'prepared'),
)

/** An administrator has at most one job that waits for its start. In a transaction. */
export async function removePreparedJobs(db: Queryable, requestedBy: string): Promise<void> {
  // The jobs first: this waits until none of them gets more people.
  for (const id of await removePreparedRows(db, requestedBy)) await removeItems(db, id)
}

const removePreparedRows = allValues('removePreparedRows', (db, requestedBy: Slot<string>) =>
  db
    .deleteFrom('bulkJob')
    .where((is) => is.and({ requestedBy, state: 'prepared' as const }))
    .returning('id'),
)

/** Call it in a transaction. */
export async function removePreparedJob(db: Queryable, id: string): Promise<void> {
  if (await removePreparedRow(db, id)) await removeItems(db, id)
}

const removePreparedRow = changesRow('removePreparedRow', (db, id: Slot<string>) =>
  db.deleteFrom('bulkJob').where((is) => is.and({ id, state: 'prepared' as const })),
)

const removeItems = change('removeBulkItems', (db, jobId: Slot<string>) =>
  db.deleteFrom('bulkItem').where('jobId', '=', jobId),
)

/** Finds the jobs that were started, newest first. */
export const bulkJobsOf = allRows('bulkJobsOf', (db, organizationId: Slot<string>) => startedJobs(db, organizationId))

/** The same of one administrator, however many others have started since. */
export const ownBulkJobsOf = allRows(
  'ownBulkJobsOf',
  (db, slots: Slots<{ readonly organizationId: string; readonly requestedBy: string }>) =>
    startedJobs(db, slots.organizationId).where('requestedBy', '=', slots.requestedBy),
)

const startedJobs = (db: Queryable, organizationId: Slot<string>) =>
  db
    .selectFrom('bulkJob')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('startedAt', 'is not', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(100)

/** What became of the people of a job, and why. */
export const bulkCounts = allRows('bulkCounts', (db, jobId: Slot<string>) =>
  db
    .selectFrom('bulkItem')
    .select(['state', 'reason', (is) => is.fn.countAll<number | string>().as('people')])
    .where('jobId', '=', jobId)
    .groupBy(['state', 'reason']),
)

/** The people of a job, in the order of their ids. */
export const bulkItemsOf = allRows('bulkItemsOf', (db, jobId: Slot<string>, after: Slot<string>, limit: Slot<number>) =>
  db
    .selectFrom('bulkItem')
    .select(['userId', 'state', 'reason'])
    .where('jobId', '=', jobId)
    .where('userId', '>', after)
    .orderBy('userId')
    .limit(limit),
)

interface Starting {
  readonly id: string
  readonly requestedBy: string
  /** The earliest time at which it may have been prepared. */
  readonly since: number
}

/** @returns false if it cannot be started anymore, or while its administrator has another one that runs. */
export const startBulkJob = changesRow('startBulkJob', (db, slots: Slots<Starting>, now: Slot<number>) =>
  db
    .updateTable('bulkJob')
    .set({ state: 'running', startedAt: now })
    .where('id', '=', slots.id)
    .where('requestedBy', '=', slots.requestedBy)
    .where('state', '=', 'prepared')
    .where('createdAt', '>', slots.since)
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('bulkJob as other')
            .select('other.id')
            .where('other.requestedBy', '=', slots.requestedBy)
            .where('other.state', '=', 'running'),
        ),
      ),
    ),
)

interface Lease {
  /** The process that works on it. */
  readonly holder: string
  readonly now: number
  readonly until: number
}

interface Taking extends Lease {
  /** Whether the process can send mails. */
  readonly mails: Fact
}

/** Takes a job that runs and that no process works on. A lease that would last longer than ours was set by a clock that was ahead. */
export const takeBulkJob = firstRow('takeBulkJob', (db, { holder, now, until, mails }: Slots<Taking>) =>
  db
    .updateTable('bulkJob')
    .set({ holder, heldUntil: until })
    .where('state', '=', 'running')
    .where((is) =>
      is.or([
        is('heldUntil', 'is', null),
        is('heldUntil', '<=', now),
        is('heldUntil', '>', derived(until, latestBeginning)),
      ]),
    )
    .where('id', 'in', (is) =>
      is
        .selectFrom('bulkJob as next')
        .select('next.id')
        .where('next.state', '=', 'running')
        .where((due) => due.or([due('next.action', '<>', 'enrollment_mail'), sql<SqlBool>`${mails} = 1`]))
        .where((due) =>
          due.or([
            due('next.heldUntil', 'is', null),
            due('next.heldUntil', '<=', now),
            due('next.heldUntil', '>', derived(until, latestBeginning)),
          ]),
        )
        .orderBy('next.startedAt')
        .orderBy('next.id')
        .limit(1),
    )
    .returningAll(),
)

/** Call it in the transaction of each change. @returns false if the job has ended, or another process has taken it over. */
export const holdBulkJob = changesRow('holdBulkJob', (db, id: Slot<string>, { holder, until }: Slots<Lease>) =>
  db
    .updateTable('bulkJob')
    .set({ heldUntil: until })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('holder', '=', holder),
)

/** Leaves a job to the next process, when this one closes. */
export const leaveBulkJob = change('leaveBulkJob', (db, id: Slot<string>, holder: Slot<string>) =>
  db.updateTable('bulkJob').set({ heldUntil: null }).where('id', '=', id).where('holder', '=', holder),
)

/** @returns false if it has ended already. */
export const endBulkJob = changesRow(
  'endBulkJob',
  (db, id: Slot<string>, state: Slot<'done' | 'cancelled' | 'stopped'>, now: Slot<number>) =>
    db
      .updateTable('bulkJob')
      .set({ state, finishedAt: now })
      .where('id', '=', id)
      .where('state', 'in', ['prepared', 'running']),
)

/** The next people of a job. */
export const waitingBulkItems = allValues('waitingBulkItems', (db, jobId: Slot<string>, limit: Slot<number>) =>
  db
    .selectFrom('bulkItem')
    .select('userId')
    .where('jobId', '=', jobId)
    .where('state', '=', 'waiting')
    .orderBy('userId')
    .limit(limit),
)

type Settled = Pick<BulkItemRow, 'jobId' | 'userId' | 'state' | 'reason'>

/** @returns false if the person was dealt with already. */
export const settleBulkItem = changesRow('settleBulkItem', (db, item: Slots<Settled>) =>
  db
    .updateTable('bulkItem')
    .set(pick(item, ['state', 'reason']))
    .where('jobId', '=', item.jobId)
    .where('userId', '=', item.userId)
    .where('state', '=', 'waiting'),
)

/** Finds which of these users have a device in a domain. */
export const activeAmong = allValues('activeAmong', (db, domainId: Slot<string>, userIds: List<string>) =>
  db
    .selectFrom('token')
    .select('userId')
    .where('userId', 'in', userIds)
    .where('domainId', '=', domainId)
    .where('state', '=', 'active'),
)
