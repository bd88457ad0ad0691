import type { Selectable } from 'kysely'

import { latestBeginning } from '../base/present.ts'
import type { Database } from '../database/schema/schema.ts'
import { change, changesRow, derived, firstRow, pick } from '../database/statement.ts'
import type { Slot, Slots } from '../database/statement.ts'

export type AuditVerificationRow = Selectable<Database['auditVerification']>

export const auditVerificationOf = firstRow('auditVerificationOf', (db, organizationId: Slot<string>) =>
  db.selectFrom('auditVerification').selectAll().where('organizationId', '=', organizationId),
)

/** @returns false while one is requested or runs. */
export const requestAuditVerification = changesRow(
  'requestAuditVerification',
  (db, row: Slots<Pick<AuditVerificationRow, 'organizationId' | 'requestedAt' | 'requestedBy'>>) =>
    db
      .insertInto('auditVerification')
      .values({ ...pick(row, ['organizationId', 'requestedAt', 'requestedBy']), state: 'requested' })
      .onConflict((conflict) =>
        conflict
          .column('organizationId')
          .doUpdateSet({ ...pick(row, ['requestedAt', 'requestedBy']), state: 'requested', beatAt: null, percent: 0 })
          .where('auditVerification.state', '=', 'done'),
      ),
)

/**
 * Takes the verification whose turn it is: requested, or left behind by a process that was last seen before `lost`, or in the future, by a
 * clock that was ahead. None while another one runs. Two nodes on PostgreSQL that ask at the same moment may each take one, which costs only time.
 */
export const takeAuditVerification = firstRow('takeAuditVerification', (db, now: Slot<number>, lost: Slot<number>) =>
  db
    .updateTable('auditVerification')
    .set({ state: 'running', beatAt: now })
    .where((is) =>
      is(
        'organizationId',
        '=',
        is
          .selectFrom('auditVerification as next')
          .select('next.organizationId')
          .where((due) =>
            due.or([
              due('next.state', '=', 'requested'),
              due.and([due('next.state', '=', 'running'), due('next.beatAt', '<', lost)]),
              due.and([due('next.state', '=', 'running'), due('next.beatAt', '>', derived(now, latestBeginning))]),
            ]),
          )
          .orderBy('next.requestedAt')
          .orderBy('next.organizationId')
          .limit(1),
      ),
    )
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('auditVerification as other')
            .select('other.organizationId')
            .where('other.state', '=', 'running')
            .where('other.beatAt', '>=', lost)
            .where('other.beatAt', '<=', derived(now, latestBeginning)),
        ),
      ),
    )
    .returning(['organizationId', 'requestedAt', 'requestedBy']),
)

type RunClaim = Pick<AuditVerificationRow, 'organizationId' | 'requestedAt'>

/** Says that a verification still runs. @returns false if another process has taken it over and finished it. */
export const beatAuditVerification = changesRow(
  'beatAuditVerification',
  (db, run: Slots<RunClaim>, now: Slot<number>, percent: Slot<number>) =>
    db
      .updateTable('auditVerification')
      .set({ beatAt: now, percent })
      .where((is) => is.and(pick(run, ['organizationId', 'requestedAt'])))
      .where('state', '=', 'running'),
)

type Result = Pick<AuditVerificationRow, 'finishedAt' | 'finishedFor' | 'entries' | 'findings' | 'broken'>

/** @returns false if another process has finished it. */
export const finishAuditVerification = changesRow(
  'finishAuditVerification',
  (db, run: Slots<RunClaim>, result: Slots<Result>) =>
    db
      .updateTable('auditVerification')
      .set({ ...pick(result, ['finishedAt', 'finishedFor', 'entries', 'findings', 'broken']), state: 'done' })
      .where((is) => is.and(pick(run, ['organizationId', 'requestedAt'])))
      .where('state', '=', 'running'),
)

/** Leaves a verification to the next process, when this one closes. */
export const leaveAuditVerification = change('leaveAuditVerification', (db, run: Slots<RunClaim>) =>
  db
    .updateTable('auditVerification')
    .set({ state: 'requested' })
    .where((is) => is.and(pick(run, ['organizationId', 'requestedAt'])))
    .where('state', '=', 'running'),
)
