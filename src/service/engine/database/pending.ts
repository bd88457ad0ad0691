import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

import { latestBeginning } from '../base/present.ts'
import type { Database } from './schema/schema.ts'
import { derived } from './statement.ts'
import type { Slot } from './statement.ts'

/**
 * Whether a session waits for an answer now. A session that a wrong clock dated in the future does not: it would wait for as long as
 * the clock was ahead. Only this place decides it in SQL; `atTime` decides it for a row.
 */
export const isPending =
  (now: Slot<number>) =>
  (eb: ExpressionBuilder<Database, 'session'>): Expression<SqlBool> =>
    eb.and([
      eb('session.state', '=', 'pending'),
      eb('session.expiresAt', '>', now),
      eb('session.createdAt', '<=', derived(now, latestBeginning)),
    ])
