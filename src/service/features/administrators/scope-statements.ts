import type { Selectable } from 'kysely'

import type { Database } from '../../engine/database/schema/schema.ts'
import { firstRow } from '../../engine/database/statement.ts'
import type { Slot } from '../../engine/database/statement.ts'

export type BulkJobRow = Selectable<Database['bulkJob']>

export const bulkJobById = firstRow('bulkJobById', (db, id: Slot<string>) =>
  db.selectFrom('bulkJob').selectAll().where('id', '=', id),
)

/** Hardware tokens that are no authenticator app. */
export const stockTokenById = firstRow('stockTokenById', (db, organizationId: Slot<string>, id: Slot<string>) =>
  db
    .selectFrom('hardwareToken')
    .select('userId')
    .where('id', '=', id)
    .where('organizationId', '=', organizationId)
    .where('selfEnrolled', '=', 0),
)
