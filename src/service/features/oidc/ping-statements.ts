import type { Selectable } from 'kysely'

import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, firstValue } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'

type PingRow = Selectable<Database['oidcPing']>

/** Pings that are started with one query. */
export const mostAtOnce = 100

/** The tries in all: they end after about half a minute, or a minute if the endpoint never answers. */
export const maxTries = 6

export const insertPing = change('insertPing', (db, row: Slots<Omit<PingRow, 'tries'>>) =>
  db.insertInto('oidcPing').values({
    artifactId: row.artifactId,
    subjectId: row.subjectId,
    dueAt: row.dueAt,
    expiresAt: row.expiresAt,
  }),
)

/** What to look for. */
interface PingQuery {
  /** Unix time, seconds. */
  readonly now: number
  /** Clients that have as many tries under way as they may have: their other pings would keep those of others away. */
  readonly busy: readonly string[]
}

/** A ping with what it says, as long as the request of its client has not ended. */
const openPings = (db: Queryable, { now, busy }: Slots<PingQuery>) =>
  db
    .selectFrom('oidcPing')
    .innerJoin('oidcArtifact', 'oidcArtifact.id', 'oidcPing.artifactId')
    .select(['oidcPing.artifactId', 'oidcPing.tries', 'oidcArtifact.clientId', 'oidcArtifact.userId'])
    .select('oidcArtifact.payload')
    .where('oidcArtifact.expiresAt', '>', now)
    .where('oidcArtifact.clientId', 'not in', busy)
    .where('oidcPing.tries', '<', maxTries)
    .orderBy('oidcPing.dueAt')
    .limit(mostAtOnce)

/** Finds those whose time has come: nobody can answer any more, or they are tried again. */
export const duePings = allRows('duePings', (db, query: Slots<PingQuery>) =>
  openPings(db, query).where('oidcPing.dueAt', '<=', query.now),
)

/** Those that were not tried yet although what they are about has ended. */
const unsentPings = (db: Queryable, query: Slots<PingQuery>) =>
  openPings(db, query)
    .where('oidcPing.tries', '=', 0)
    .where((is) =>
      is.or([
        is.exists(
          is
            .selectFrom('session')
            .select('session.id')
            .whereRef('session.id', '=', 'oidcPing.subjectId')
            .where('session.state', '<>', 'pending'),
        ),
        is.exists(
          is
            .selectFrom('approval')
            .select('approval.id')
            .whereRef('approval.id', '=', 'oidcPing.subjectId')
            .where('approval.state', '<>', 'pending'),
        ),
      ]),
    )

export const answeredPings = allRows('answeredPings', (db, query: Slots<PingQuery>) => unsentPings(db, query))

/** The same for these sessions and approvals alone. */
export const answeredPingsAbout = allRows(
  'answeredPingsAbout',
  (db, subjectIds: List<string>, query: Slots<PingQuery>) =>
    unsentPings(db, query).where('oidcPing.subjectId', 'in', subjectIds),
)

/** The time at which the next one is due; undefined if there is none. */
export const nextPingDue = firstValue('nextPingDue', (db, after: Slot<number>) =>
  db
    .selectFrom('oidcPing')
    .innerJoin('oidcArtifact', 'oidcArtifact.id', 'oidcPing.artifactId')
    .select('oidcPing.dueAt')
    .where('oidcPing.dueAt', '>', after)
    .where('oidcPing.tries', '<', maxTries)
    .orderBy('oidcPing.dueAt')
    .limit(1),
)

/** Takes a try. @returns false where another node has taken it, or the request has ended. */
export const takePing = changesRow(
  'takePing',
  (db, { artifactId, tries }: Slots<Pick<PingRow, 'artifactId' | 'tries'>>, dueAt: Slot<number>) =>
    db
      .updateTable('oidcPing')
      .set((is) => ({ dueAt, tries: is('tries', '+', 1) }))
      .where('artifactId', '=', artifactId)
      .where('tries', '=', tries)
      .where((is) =>
        is.exists(is.selectFrom('oidcArtifact').select('oidcArtifact.id').where('oidcArtifact.id', '=', artifactId)),
      ),
)

/** Moves the next try. It stays where it is if another node has begun one meanwhile. */
export const postponePing = change(
  'postponePing',
  (db, { artifactId, tries, dueAt }: Slots<Pick<PingRow, 'artifactId' | 'tries' | 'dueAt'>>) =>
    db.updateTable('oidcPing').set({ dueAt }).where('artifactId', '=', artifactId).where('tries', '=', tries),
)

export const deletePing = change('deletePing', (db, artifactId: Slot<string>) =>
  db.deleteFrom('oidcPing').where('artifactId', '=', artifactId),
)
