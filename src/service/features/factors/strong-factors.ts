import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

import type { Database } from '../../engine/database/schema/schema.ts'

export type IsUser = ExpressionBuilder<Database, 'user'>

/**
 * Whether a user has a factor that an e-mail account does not give.
 *
 * @param isHere Whether a token counts: a device does in its own domain, and all other factors in each.
 */
export const isStrong = (
  is: IsUser,
  isHere: (is: ExpressionBuilder<Database, 'user' | 'token'>) => Expression<SqlBool>,
): Expression<SqlBool> =>
  is.or([
    is.exists(
      is
        .selectFrom('token')
        .select('token.id')
        .whereRef('token.userId', '=', 'user.id')
        .where('token.state', '=', 'active')
        .where((isToken) => isHere(isToken)),
    ),
    is.exists(is.selectFrom('passkey').select('passkey.id').whereRef('passkey.userId', '=', 'user.id')),
    is.exists(
      is.selectFrom('hardwareToken').select('hardwareToken.id').whereRef('hardwareToken.userId', '=', 'user.id'),
    ),
  ])
