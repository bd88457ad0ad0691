import { checkDatabase, checkSchema } from '../../service/upkeep/sqlite-file.ts'
import { databaseCommand } from '../admin/command.ts'
import { isUrl, rethrowFileError } from '../database/failures.ts'
import { requireDatabase } from '../database/open.ts'
import { exitCode, Failure, withErrorHandling } from '../terminal/failure.ts'
import { printDone } from '../terminal/print.ts'

/** `second-factor check`. */
export function checkCommand() {
  return databaseCommand('check', 'check the whole database file, and whether this version can open it', [
    'check',
    'check --database mfa.backup --json',
  ])
    .option('--json', 'print JSON')
    .action(
      withErrorHandling(async ({ database, json }: { readonly database: string; readonly json?: boolean }) => {
        if (isUrl(database))
          throw new Failure('check is for SQLite files. For PostgreSQL, see amcheck in its manual.', exitCode.usage)
        requireDatabase(database)
        await checkDatabase(database).catch(rethrowFileError)
        await checkSchema(database).catch(rethrowFileError)
        printDone({ ...(json && { json }) }, { sound: true }, `${database} is intact.`)
      }),
    )
}
