import type { Queryable } from '../../engine/database/schema/schema.ts'

/** The newest work of each organization, for each database. */
const newest = new WeakMap<object, Map<string, Promise<unknown>>>()

/**
 * Runs work of an organization after the work that came before it in this process. Changes without a person are `serializable`, and
 * PostgreSQL aborts those that run side by side, because they share the few pages of small tables.
 */
export async function inTurn<T>(db: Queryable, organizationId: string, work: () => Promise<T>): Promise<T> {
  const byOrganization = newest.get(db) ?? new Map<string, Promise<unknown>>()
  newest.set(db, byOrganization)
  const previous = byOrganization.get(organizationId)
  const running = previous ? previous.then(work) : work()
  const ended = running.catch(() => {})
  byOrganization.set(organizationId, ended)
  try {
    return await running
  } finally {
    if (byOrganization.get(organizationId) === ended) byOrganization.delete(organizationId)
  }
}
