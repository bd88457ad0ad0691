import type { AuditItem } from '../../../admin-contract/audit.ts'
import type { AuditRow } from './statements.ts'
import { entryOf } from './read.ts'

/** An entry as the console shows it. */
export function itemOf(row: AuditRow): AuditItem {
  const { at, event, actor, address, facts, requestId } = entryOf(row)
  return { position: row.position, at, event, actor, address, facts, ...(requestId !== undefined && { requestId }) }
}
