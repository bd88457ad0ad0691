import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

import { latestBeginning } from '../base/present.ts'
import type { Database } from './schema/schema.ts'
import { derived } from './statement.ts'
import type { Slot } from './statement.ts'

/** Whether a question waits for an answer now; as `isPending` for sessions. */
export const isOpenCall =
  (now: Slot<number>) =>
  (eb: ExpressionBuilder<Database, 'callerVerification'>): Expression<SqlBool> =>
    eb.and([
      eb('callerVerification.state', '=', 'pending'),
      eb('callerVerification.expiresAt', '>', now),
      eb('callerVerification.createdAt', '<=', derived(now, latestBeginning)),
    ])
