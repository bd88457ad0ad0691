import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

import { latestBeginning } from '../base/present.ts'
import type { Database } from './schema/schema.ts'
import { derived } from './statement.ts'
import type { Slot } from './statement.ts'

/** Whether an approval waits for answers now; as `isPending` for sessions. */
export const isOpenApproval =
  (now: Slot<number>) =>
  (eb: ExpressionBuilder<Database, 'approval'>): Expression<SqlBool> =>
    eb.and([
      eb('approval.state', '=', 'pending'),
      eb('approval.expiresAt', '>', now),
      eb('approval.createdAt', '<=', derived(now, latestBeginning)),
    ])
