import type { NotNull } from 'kysely'

import { isPending } from '../../features/sessions/pending.ts'
import { allRows, allValues, firstValue } from '../database/statement.ts'
import type { List, RowOf, Slot } from '../database/statement.ts'

/** The columns of a session that tell which waiting requests it concerns. */
export type SessionSummary = RowOf<typeof summariesById>

const columns = ['id', 'domainId', 'state', 'expiresAt'] as const

export const summariesById = allRows('summariesById', (db, ids: List<string>) =>
  db.selectFrom('session').select(columns).where('id', 'in', ids),
)

/** What settled in the domains from a time on. */
export const settledSince = allRows('settledSince', (db, domainIds: List<string>, time: Slot<number>) =>
  db.selectFrom('session').select(columns).where('settledAt', '>=', time).where('domainId', 'in', domainIds),
)

/** What expired unanswered in the domains, whether that was written down or not: after one time, until another. */
export const expiredBetween = allRows(
  'expiredBetween',
  (db, domainIds: List<string>, after: Slot<number>, until: Slot<number>) =>
    db
      .selectFrom('session')
      .select(columns)
      .where('state', 'in', ['pending', 'expired'])
      .where('expiresAt', '>', after)
      .where('expiresAt', '<=', until)
      .where('domainId', 'in', domainIds),
)

/** When the next pending session of the domains expires. */
export const firstExpiry = firstValue('firstExpiry', (db, domainIds: List<string>, now: Slot<number>) =>
  db
    .selectFrom('session')
    .select('expiresAt')
    .where(isPending(now))
    .where('domainId', 'in', domainIds)
    .orderBy('expiresAt')
    .limit(1),
)

/** What of a device's inbox changes whenever a request comes or goes; of all devices that are asked something. */
export const inboxMarks = allRows('inboxMarks', (db, now: Slot<number>) =>
  db
    .selectFrom('session')
    .select((eb) => ['deviceId', eb.fn.countAll<number>().as('pending'), eb.fn.max<number>('sequence').as('newest')])
    .where(isPending(now))
    .where('deviceId', 'is not', null)
    .groupBy('deviceId')
    .$narrowType<{ deviceId: NotNull }>(),
)

export const devicesRevokedSince = allValues('devicesRevokedSince', (db, time: Slot<number>) =>
  db.selectFrom('device').select('id').where('revokedAt', '>=', time),
)
