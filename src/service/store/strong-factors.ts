import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

import type { Database } from './schema.ts'

export type IsUser = ExpressionBuilder<Database, 'user'>

/** Whether a user has a factor that an e-mail account does not give. */
export const isStrong = (is: IsUser): Expression<SqlBool> =>
  is.or([
    is.exists(
      is
        .selectFrom('token')
        .select('token.id')
        .whereRef('token.userId', '=', 'user.id')
        .where('token.state', '=', 'active'),
    ),
    is.exists(is.selectFrom('passkey').select('passkey.id').whereRef('passkey.userId', '=', 'user.id')),
    is.exists(
      is.selectFrom('hardwareToken').select('hardwareToken.id').whereRef('hardwareToken.userId', '=', 'user.id'),
    ),
  ])
