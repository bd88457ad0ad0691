import type { AuditQuery } from './page-statements.ts'
import type { AuditRow } from './statements.ts'
import type { Queryable } from '../database/schema/schema.ts'
import { csvHead, csvRecord } from '../base/csv.ts'
import { itemOf } from './item.ts'
import { readAll } from './pages.ts'

const columns = ['time', 'event', 'actor kind', 'actor', 'address', 'facts', 'request', 'position'] as const

/** The trail as CSV, newest first. */
export async function* auditCsv(db: Queryable, query: AuditQuery, now: number): AsyncGenerator<string> {
  yield csvHead(columns)
  for await (const rows of readAll(db, query, now)) yield rows.map((row) => csvRecord(cells(row))).join('')
}

/** The trail as JSON lines, newest first. */
export async function* auditLines(db: Queryable, query: AuditQuery, now: number): AsyncGenerator<string> {
  for await (const rows of readAll(db, query, now)) yield rows.map((row) => `${JSON.stringify(itemOf(row))}\n`).join('')
}

function cells(row: AuditRow): readonly (string | number | undefined | null)[] {
  const { at, event, actor, address, facts, requestId, position } = itemOf(row)
  const factTexts = Object.entries(facts).map(([name, value]) => `${name}=${value}`)
  return [
    new Date(at * 1000).toISOString(),
    event,
    actor.kind,
    actor.id,
    address,
    factTexts.join(' '),
    requestId,
    position,
  ]
}
