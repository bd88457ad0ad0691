import type { AuditFilter, AuditQuery } from '../../session/places.ts'
import { eventsOf, type EventGroup } from './event-groups.ts'

const filters = ['q', 'event', 'user', 'domain', 'actor', 'reason', 'factor', 'since', 'until'] as const

/** Reads the query from the address. */
export function readQuery(parameters: URLSearchParams): AuditQuery {
  const read = (name: string) => parameters.get(name) || undefined
  return {
    q: read('q'),
    event: read('event'),
    user: read('user'),
    domain: read('domain'),
    actor: read('actor'),
    reason: read('reason'),
    factor: read('factor'),
    since: read('since'),
    until: read('until'),
    before: read('before'),
    live: read('live'),
  }
}

/**
 * What the service is asked for. A text stands for the events that it finds; without any, for an event that there is not.
 */
export function filterOf(
  { before: _before, live: _live, q, ...filter }: AuditQuery,
  groups: readonly EventGroup[],
): Omit<AuditFilter, 'q'> {
  if (q === undefined || filter.event !== undefined) return filter
  return { ...filter, event: eventsOf(groups, q).join(',') || 'none.found' }
}

export const isFiltered = (query: AuditQuery): boolean => filters.some((name) => query[name] !== undefined)
