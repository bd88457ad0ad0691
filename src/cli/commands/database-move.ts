import type { Command } from 'commander'
import { Option } from 'commander'

import { commandClock } from '../../ground/clock.ts'
import { RefusalError } from '../../service/engine/base/errors.ts'
import { systemRandom } from '../../service/engine/base/random.ts'
import { KeysError, parseKeyRing } from '../../service/engine/secrets/key-ring.ts'
import type { KeyRing } from '../../service/engine/secrets/key-ring.ts'
import { keyFileOf, readKeyFile } from '../../service/engine/secrets/key-file.ts'
import { isAddress } from '../../service/engine/secrets/open-keys.ts'
import { databasePlace } from '../../service/missing-database.ts'
import { inPostgresTransaction } from '../../service/open-core.ts'
import { moveDatabase } from '../../service/upkeep/move.ts'
import type { Moved } from '../../service/upkeep/move.ts'
import { checkDatabase } from '../../service/upkeep/sqlite-file.ts'
import { databaseCommand, databaseOption } from '../admin/command.ts'
import { codeOf, isSelfExplanatory, isUrl, reasonFor } from '../database/failures.ts'
import { currentUser, requireDatabase } from '../database/open.ts'
import { exitCode, Failure, OptionFailure, withErrorHandling } from '../terminal/failure.ts'
import { counted, printJson, printRows, printTable } from '../terminal/print.ts'
import { createProgress } from '../terminal/progress.ts'

interface Settings {
  readonly database: string
  readonly to: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

/** `second-factor database move`. */
export function moveCommand(): Command {
  return databaseCommand(
    'move',
    'copy a SQLite database to an empty PostgreSQL database, and stop using the file; stop all services first',
    [
      'database move --database mfa.sqlite --to postgres://mfa@db/mfa --dry-run',
      'database move --database mfa.sqlite --to postgres://mfa@db/mfa --json',
    ],
    databaseOption('path of the SQLite database'),
  )
    .addOption(
      new Option('--to <url>', 'postgres:// URL of the empty database')
        .env('MFA_TARGET_DATABASE')
        .makeOptionMandatory(),
    )
    .option('--dry-run', 'copy and compare everything, then undo it')
    .option('--json', 'print JSON')
    .addHelpText('after', help)
    .action(withErrorHandling(move))
}

async function move(settings: Settings): Promise<void> {
  const { database, to, dryRun = false } = settings
  if (isUrl(database)) {
    throw new Failure(
      '--database: expected the path of a SQLite file, which is moved to the address of --to.',
      exitCode.usage,
    )
  }
  // Never repeated: it may contain a password.
  if (!isAddress(to)) throw new Failure('--to: expected a postgres:// URL.', exitCode.usage)
  requireDatabase(database)
  const bar = createProgress()
  try {
    await checkDatabase(database)
    const moved = await moveDatabase(
      database,
      { place: databasePlace(to), transaction: (work) => inPostgresTransaction(to, work) },
      {
        ring: await readKeys(database),
        dryRun,
        progress: bar.update,
        clock: commandClock,
        random: systemRandom,
        actor: currentUser(),
      },
    )
    bar.end()
    show(moved, settings)
  } catch (error) {
    bar.end()
    throw explained(error, database)
  }
}

/** Both databases have the same keys. Without `MFA_KEYS` they are in the key file beside the SQLite database. */
async function readKeys(database: string): Promise<KeyRing> {
  const keys = process.env['MFA_KEYS']
  return keys ? parseKeyRing(keys) : readKeyFile(keyFileOf(database))
}

function explained(cause: unknown, database: string): Error {
  if (cause instanceof RefusalError || isSelfExplanatory(cause)) return new Failure(cause.message, undefined, { cause })
  if (cause instanceof TypeError) return new OptionFailure(cause.message, { cause })
  if (cause instanceof KeysError) {
    return new Failure(`The keys don't match ${database}: ${cause.message}`, undefined, { cause })
  }
  const place = codeOf(cause).startsWith('SQLITE') ? database : 'PostgreSQL'
  return new Failure(`Nothing was moved. ${place}: ${reasonFor(database, cause)}`, undefined, { cause })
}

function show({ tables, audit }: Moved, { database, to, dryRun = false, json }: Settings): void {
  const place = databasePlace(to)
  if (json)
    return printJson({
      to: place,
      dryRun,
      tables: tables ?? {},
      auditEntries: audit.entries,
      auditFindings: audit.findings,
    })
  const filled = Object.entries(tables ?? {}).filter(([, count]) => count > 0)
  printTable(
    ['Table', 'Rows in both'],
    filled.map(([name, count]) => [name, String(count)]),
    'The copy was complete already.',
  )
  console.log('')
  const findings = counted(audit.findings.length, 'finding')
  const trail =
    audit.findings.length === 0 ? 'intact' : `altered before the move, ${findings}: second-factor audit verify`
  printRows([
    ['Audit trail', `${trail} (${counted(audit.entries, 'entry', 'entries')})`],
    ...(dryRun
      ? ([
          [
            'Dry run',
            tables ? 'everything was undone; without --dry-run it is moved' : 'without --dry-run the move ends',
          ],
        ] as const)
      : ([
          ['Moved', `${database} to ${place}; nothing opens the file any more`],
          ['Next', `start the service with MFA_DATABASE set to the new address, and ${keysText(database)}`],
        ] as const)),
  ])
}

const keysText = (database: string) =>
  process.env['MFA_KEYS'] ? 'the same MFA_KEYS' : `MFA_KEYS_FILE=${keyFileOf(database)}`

const help = `
Environment:
  MFA_TARGET_DATABASE      used instead of --to, which contains a password; or MFA_TARGET_DATABASE_FILE, a file that contains it
  MFA_KEYS                 keys of the database; by default the key file beside it`
