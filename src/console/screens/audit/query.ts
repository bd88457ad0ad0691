import type { AuditFilter, AuditQuery } from '../../places.ts'

const filters = ['event', 'user', 'domain', 'actor', 'reason', 'factor', 'since', 'until'] as const

/** What the address says. */
export function readQuery(given: URLSearchParams): AuditQuery {
  const read = (name: string) => given.get(name) || undefined
  return {
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

export const filterOf = ({ before: _before, live: _live, ...filter }: AuditQuery): AuditFilter => filter

export const isFiltered = (query: AuditQuery): boolean => filters.some((name) => query[name] !== undefined)
