import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

import { sentFactors, sentTo } from '../../../contract/factor-descriptions.ts'
import type { SentFactor } from '../../../contract/factor-descriptions.ts'
import type { Database } from '../../engine/database/schema/schema.ts'

export type IsUser = ExpressionBuilder<Database, 'user'>

/**
 * Whether a user has a factor that an e-mail account does not give. Each part asks for one row of the user: for an EXISTS, PostgreSQL may
 * read the factors of all users first, once for each page.
 *
 * @param isHere Whether a token counts: a device does in its own domain, and all other factors in each.
 */
export const isStrong = (
  is: IsUser,
  isHere: (is: ExpressionBuilder<Database, 'user' | 'token'>) => Expression<SqlBool>,
): Expression<SqlBool> =>
  is.or([
    is(
      is
        .selectFrom('token')
        .select('token.id')
        .whereRef('token.userId', '=', 'user.id')
        .where('token.state', '=', 'active')
        .where((isToken) => isHere(isToken))
        .limit(1),
      'is not',
      null,
    ),
    is(
      is.selectFrom('passkey').select('passkey.id').whereRef('passkey.userId', '=', 'user.id').limit(1),
      'is not',
      null,
    ),
    is(
      is
        .selectFrom('hardwareToken')
        .select('hardwareToken.id')
        .whereRef('hardwareToken.userId', '=', 'user.id')
        .limit(1),
      'is not',
      null,
    ),
  ])

/** Whether a code can be sent to a user. @param isSent Whether the codes of a factor are sent where it counts. */
export const canBeSent = (is: IsUser, isSent: (factor: SentFactor) => Expression<SqlBool>): Expression<SqlBool> =>
  is.or(sentFactors.map((factor) => is.and([is(`user.${sentTo(factor)}`, '<>', ''), isSent(factor)])))
