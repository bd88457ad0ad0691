import { openService } from '../../../../src/service/service.ts'
import type { AuditEntry } from '../../../../src/service/engine/audit/entry.ts'
import { readAudit } from '../../../../src/service/engine/audit/read.ts'
import { parseOptions } from '../../../../src/contract/validate.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import type { Queryable } from '../../../../src/service/engine/database/schema/schema.ts'

/** A service without doors on the database, as commands open it. */
export const openDatabase = (database: string, more: object = {}) =>
  openService(parseOptions(ServiceOptions, 'createService', { database, ...more }))

/** The whole trail. */
export async function entriesOf(db: Queryable): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for await (const entry of readAudit(db, {})) entries.push(entry)
  return entries
}
