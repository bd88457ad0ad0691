import { constants } from 'node:os'

import { commandClock } from '../../clock.ts'
import type { ServiceContext } from '../../service/context/service-context.ts'
import { isAddress } from '../../service/keys/key-source.ts'
import { mayCreateDatabase } from '../../service/missing-database.ts'
import { nobody } from '../../service/monitoring/observer.ts'
import { ServiceOptions } from '../../service/options.ts'
import { parseOptions } from '../../contract/validate.ts'
import { openCore } from '../../service/open-core.ts'
import { actingPerson } from './acting-person.ts'
import { noteLogger } from './note-logger.ts'
import { opening } from './opening.ts'
import { secretsFromEnv } from './secrets-from-env.ts'

/** How long a unit of work of a command may take, milliseconds: some change every user at once. */
const patience = 10 * 60_000

/**
 * Opens a database for what the person at the terminal does.
 * @param options `create`: whether one that does not exist is created; by default as the environment says.
 */
export async function withDatabase(
  database: string,
  action: (ctx: ServiceContext) => Promise<void>,
  { keys, create }: { readonly keys?: string | undefined; readonly create?: boolean } = {},
): Promise<void> {
  const { core } = await opening(database, () =>
    openCore(
      parseOptions(ServiceOptions, 'createService', {
        database,
        logger: noteLogger,
        clock: commandClock,
        // Nobody is asked anything here.
        push: false,
        ...(isAddress(database) && { listenDatabase: process.env.MFA_LISTEN_DATABASE || undefined }),
        ...secretsFromEnv(process.env),
        ...(keys !== undefined && { keys }),
      }),
      { addressOf: () => undefined, observer: nobody },
      { create: create ?? mayCreateDatabase(process.env), check: false, patience },
    ),
  )
  let closing: Promise<void> | undefined
  const close = () => (closing ??= core.close(() => Promise.resolve()))
  const stopListening = onInterrupt(close)
  try {
    await action({ ...core.ctx, actor: actingPerson() })
  } finally {
    stopListening()
    await close()
  }
}

/** Ctrl+C ends a command in order: a command that did not sign off would count as a running node for 30 seconds. */
function onInterrupt(close: () => Promise<void>): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const end = (signal: (typeof signals)[number]) => {
    stopListening()
    // 128 and the signal's number, as shells report it.
    const code = 128 + constants.signals[signal]
    void close().then(
      () => process.exit(code),
      () => process.exit(code),
    )
  }
  const stopListening = () => {
    for (const signal of signals) process.off(signal, end)
  }
  for (const signal of signals) process.on(signal, end)
  return stopListening
}
