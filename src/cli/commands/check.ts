import { checkDatabase } from '../../service/backup/sqlite-file.ts'
import { databaseCommand } from '../admin/command.ts'
import { printDone } from '../admin/print.ts'
import { exitCode } from '../device/exit-codes.ts'
import { ending, Failure } from '../device/failure.ts'
import { isUrl, needDatabase } from '../service/database-name.ts'
import { fileFailure } from '../service/file-failure.ts'

/** Reads the whole database file. */
export function checkCommand() {
  return databaseCommand('check', 'read the whole database file, and say whether it is sound', [
    'check --database mfa.sqlite',
    'check --database mfa.backup --json',
  ])
    .option('--json', 'as JSON')
    .action(
      ending(async ({ database, json }: { readonly database: string; readonly json?: boolean }) => {
        if (isUrl(database)) throw new Failure('PostgreSQL checks itself: see amcheck in its manual.', exitCode.usage)
        needDatabase(database)
        await checkDatabase(database).catch(fileFailure)
        printDone({ ...(json && { json }) }, { sound: true }, `${database} is sound.`)
      }),
    )
}
