import { writeFileSync } from 'node:fs'

import type { Command } from 'commander'

import { copyDatabase, readAuditHeads } from '../../service/upkeep/sqlite-file.ts'
import { keyFileOf } from '../../service/engine/secrets/key-file.ts'
import { databaseCommand } from '../admin/command.ts'
import { isUrl, writing } from '../database/failures.ts'
import { requireDatabase } from '../database/open.ts'
import { exitCode, Failure, withErrorHandling } from '../terminal/failure.ts'
import { invocation, shellWord } from '../terminal/invocation.ts'
import { printJson, printRows } from '../terminal/print.ts'

interface Settings {
  readonly database: string
  readonly json?: boolean
}

/** `second-factor backup`. */
export function backupCommand(): Command {
  return databaseCommand('backup', 'copy the database to a new file while services use it', [
    'backup /backups/mfa-2026-11-21.sqlite',
    'backup mfa.backup --json',
  ])
    .argument('<file>', 'path of the new file; a second file, FILE.heads.jsonl, gets the heads of the audit trail')
    .option('--json', 'print JSON')
    .action(withErrorHandling(backUp))
}

async function backUp(file: string, { database, json }: Settings): Promise<void> {
  if (isUrl(database)) {
    throw new Failure(
      'To back up a PostgreSQL database, use pg_dump --format=custom. See docs/backup.md',
      exitCode.usage,
    )
  }
  requireDatabase(database)
  await writing(file, () => copyDatabase(database, file))
  const headsFile = `${file}.heads.jsonl`
  const heads = await readAuditHeads(file)
  await writing(headsFile, () =>
    writeFileSync(headsFile, heads.map((head) => `${JSON.stringify(head)}\n`).join(''), { mode: 0o600 }),
  )
  const keys = process.env['MFA_KEYS'] ? undefined : keyFileOf(database)
  if (json) return printJson({ file, heads: headsFile, keys: keys ?? null })
  printRows([
    ['Backup', `${file} (verified)`],
    ['Audit heads', headsFile],
    [
      'Keys',
      keys === undefined ? 'not included: they come from MFA_KEYS' : `not included: back up ${keys} in another place`,
    ],
    ['Restore', `${invocation()} restore ${shellWord(file)} --database ${shellWord(database)}`],
  ])
}
