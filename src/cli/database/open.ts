import { existsSync } from 'node:fs'
import { constants, userInfo } from 'node:os'

import { commandClock } from '../../ground/clock.ts'
import { parseOptions } from '../../contract/validate.ts'
import type { Actor } from '../../service/engine/audit/entry.ts'
import type { Logger } from '../../service/engine/base/logger.ts'
import type { ServiceContext } from '../../service/engine/context/service-context.ts'
import { isAddress } from '../../service/engine/secrets/open-keys.ts'
import { mayCreateDatabase } from '../../service/missing-database.ts'
import { MailError } from '../../service/engine/mail/mailer.ts'
import { noObserver } from '../../service/engine/monitoring/observer.ts'
import { openCore } from '../../service/open-core.ts'
import { ServiceOptions } from '../../service/options.ts'
import { notifyFromEnv, secretsFromEnv, sendersFromEnv } from '../serve/settings-from-env.ts'
import { commandOf, Failure, withErrorHandling } from '../terminal/failure.ts'
import { shellWord } from '../terminal/invocation.ts'
import { isUrl, withOpenErrors } from './failures.ts'
import { asFailure } from './problems.ts'

/** Timeout of one unit of work of a command, milliseconds: some change every user at once. */
const workTimeout = 10 * 60_000

/** The settings of a command that sends mail. */
export interface CommandMail {
  readonly authenticatorUrl?: string | undefined
}

interface DatabaseSettings {
  readonly database: string
  /** The file that messages name in place of a copy of it. */
  readonly shown?: string | undefined
  readonly keys?: string | undefined
  /** Absent: the command sends no mail. */
  readonly mail?: CommandMail | undefined
  /** Whether to create a database that does not exist. By default the environment decides. */
  readonly create?: boolean
}

/** Wraps the action of a command on a whole database, which gets the service and what was typed. */
export function databaseAction<A extends unknown[]>(action: (ctx: ServiceContext, ...args: A) => Promise<void>) {
  return withErrorHandling((...args: A) => {
    const { database } = commandOf(args).opts<DatabaseSettings>()
    return withDatabase({ database }, (ctx) => action(ctx, ...args))
  })
}

/** Opens a database for one command. What the service rejects becomes a `Failure`. */
export async function withDatabase(
  { database, shown, keys, create, mail }: DatabaseSettings,
  action: (ctx: ServiceContext) => Promise<void>,
): Promise<void> {
  if (!create) requireDatabase(database)
  const { core } = await withOpenErrors(
    database,
    () =>
      openCore(
        parseOptions(ServiceOptions, 'createService', {
          database,
          logger: commandLogger,
          clock: commandClock,
          // A command sends no push messages.
          push: false,
          ...(isAddress(database) && { listenDatabase: process.env.MFA_LISTEN_DATABASE || undefined }),
          ...secretsFromEnv(process.env),
          ...(keys !== undefined && { keys }),
          ...(mail && { ...sendersFromEnv(process.env), ...notifyFromEnv(process.env) }),
          authenticatorUrl: mail?.authenticatorUrl || undefined,
        }),
        { addressOf: () => undefined, observer: noObserver },
        { create: create ?? mayCreateDatabase(process.env), check: false, timeout: workTimeout },
      ),
    shown,
  )
  let closing: Promise<void> | undefined
  const close = () => (closing ??= core.close(() => Promise.resolve()))
  const stopListening = closeOnSignal(close)
  try {
    await action({ ...core.ctx, actor: currentUser() })
  } catch (error) {
    throw asFailure(error)
  } finally {
    stopListening()
    await close()
  }
}

/** Only `init` creates a database. */
export function requireDatabase(database: string): void {
  if (isUrl(database) || existsSync(database)) return
  throw new Failure(
    `The database ${database} doesn't exist. Create it: second-factor init --database ${shellWord(database)}`,
  )
}

/** Prints on stderr what the person at the terminal needs to know. */
const commandLogger: Logger = {
  info: () => {},
  // Commands print revocations themselves.
  warn: (details, message) => ('revocation' in details ? undefined : console.error(withReason(message, details))),
  error: (_details, message) => console.error(message),
}

function withReason(message: string, details: object): string {
  return 'err' in details && details.err instanceof MailError ? `${message}: ${details.err.message}` : message
}

/** The user of the operating system who runs the command, for the audit trail. */
export function currentUser(): Actor {
  try {
    return { kind: 'cli', id: userInfo().username }
  } catch {
    // In containers a uid may have no name.
    return { kind: 'cli', id: `uid ${process.getuid?.() ?? 'unknown'}` }
  }
}

/** Closes the database on Ctrl+C: until its heartbeat expires, an unclosed command would count as a running node. */
function closeOnSignal(close: () => Promise<void>): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const end = (signal: (typeof signals)[number]) => {
    stopListening()
    // Shells report 128 plus the number of the signal.
    const exit = () => process.exit(128 + constants.signals[signal])
    void close().then(exit, exit)
  }
  const stopListening = () => {
    for (const signal of signals) process.off(signal, end)
  }
  for (const signal of signals) process.on(signal, end)
  return stopListening
}
