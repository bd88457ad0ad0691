import { auditShapes } from '../../../admin-contract/audit-shapes.ts'
import { queryShapes } from '../../../admin-contract/query-shapes.ts'
import type { AuditFilter, AuditQuery } from '../../session/places.ts'
import { readValue } from '../../session/read-value.ts'
import { eventsOf, type EventGroup } from './event-groups.ts'

const filters = ['q', 'event', 'user', 'domain', 'actor', 'reason', 'factor', 'since', 'until'] as const

/** Reads the query from the address. */
export function readQuery(parameters: URLSearchParams): AuditQuery {
  return {
    q: readValue(parameters, 'q', queryShapes.q),
    event: readValue(parameters, 'event', auditShapes.events),
    user: readValue(parameters, 'user', queryShapes.id),
    domain: readValue(parameters, 'domain', queryShapes.id),
    actor: readValue(parameters, 'actor', auditShapes.actor),
    reason: readValue(parameters, 'reason', auditShapes.reason),
    factor: readValue(parameters, 'factor', auditShapes.factor),
    since: readValue(parameters, 'since', auditShapes.digits),
    until: readValue(parameters, 'until', auditShapes.digits),
    before: readValue(parameters, 'before', auditShapes.digits),
    live: parameters.get('live') || undefined,
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
