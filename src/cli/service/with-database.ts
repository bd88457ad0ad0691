import type { ServiceContext } from '../../service/context.ts'
import { parseOptions, ServiceOptions } from '../../service/options.ts'
import { openService } from '../../service/service.ts'
import { actingPerson } from './acting-person.ts'
import { noteLogger } from './note-logger.ts'
import { opening } from './opening.ts'
import { secretsFromEnv } from './secrets-from-env.ts'

/** Opens a database, which is made where there is none, for what the person at the terminal does. */
export async function withDatabase(
  database: string,
  action: (ctx: ServiceContext) => Promise<void>,
  { keys }: { readonly keys?: string | undefined } = {},
): Promise<void> {
  const service = await opening(database, () =>
    openService(
      parseOptions(ServiceOptions, 'createService', {
        database,
        logger: noteLogger,
        // Nobody is asked anything here.
        push: false,
        ...secretsFromEnv(process.env),
        ...(keys !== undefined && { keys }),
      }),
    ),
  )
  try {
    await action({ ...service.ctx, actor: actingPerson() })
  } finally {
    await service.close()
  }
}
