import type { SessionState } from '../../contract/sessions.ts'
import { isPending } from './pending.ts'
import type { Queryable } from './schema.ts'

/** As much of a session as tells who has to hear of it. */
export interface Glimpse {
  readonly id: string
  readonly domainId: string
  readonly state: SessionState
  readonly expiresAt: number
}

const columns = ['id', 'domainId', 'state', 'expiresAt'] as const

export function glimpsesById(db: Queryable, ids: readonly string[]): Promise<Glimpse[]> {
  return db.selectFrom('session').select(columns).where('id', 'in', ids).execute()
}

/** What settled in the domains from a time on. */
export function settledSince(db: Queryable, domainIds: readonly string[], time: number): Promise<Glimpse[]> {
  return db
    .selectFrom('session')
    .select(columns)
    .where('settledAt', '>=', time)
    .where('domainId', 'in', domainIds)
    .execute()
}

/** What ran out unanswered in the domains, whether that was written down or not: after one time, until another. */
export function lapsedBetween(
  db: Queryable,
  domainIds: readonly string[],
  after: number,
  until: number,
): Promise<Glimpse[]> {
  return db
    .selectFrom('session')
    .select(columns)
    .where('state', 'in', ['pending', 'expired'])
    .where('expiresAt', '>', after)
    .where('expiresAt', '<=', until)
    .where('domainId', 'in', domainIds)
    .execute()
}

/** When the next pending session of the domains runs out. */
export async function firstExpiry(
  db: Queryable,
  domainIds: readonly string[],
  now: number,
): Promise<number | undefined> {
  const first = await db
    .selectFrom('session')
    .select('expiresAt')
    .where(isPending(now))
    .where('domainId', 'in', domainIds)
    .orderBy('expiresAt')
    .limit(1)
    .executeTakeFirst()
  return first?.expiresAt
}
