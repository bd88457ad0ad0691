import { writeFileSync } from 'node:fs'

import type { Command } from 'commander'

import { copyDatabase, readAuditHeads } from '../../service/backup/sqlite-file.ts'
import { keyFileOf } from '../../service/keys/key-file.ts'
import { databaseCommand } from '../admin/command.ts'
import { printJson } from '../admin/print.ts'
import { exitCode } from '../device/exit-codes.ts'
import { ending, Failure } from '../device/failure.ts'
import { printRows } from '../device/print.ts'
import { isUrl, needDatabase } from '../service/database-name.ts'
import { fileFailure } from '../service/file-failure.ts'

interface Settings {
  readonly database: string
  readonly json?: boolean
}

/** A copy of the database, taken while services use it. */
export function backupCommand(): Command {
  return databaseCommand('backup', 'copy the database to a new file, while services use it', [
    'backup /backups/mfa-2026-11-21.sqlite --database mfa.sqlite',
    'backup mfa.backup --database mfa.sqlite --json',
  ])
    .argument('<file>', 'the new file; its name with .heads.jsonl gets the heads of the audit trail')
    .option('--json', 'as JSON')
    .action(ending(backUp))
}

async function backUp(file: string, { database, json }: Settings): Promise<void> {
  if (isUrl(database)) {
    throw new Failure(
      'A PostgreSQL database is backed up with its own tools: pg_dump --format=custom. See docs/operations.md',
      exitCode.usage,
    )
  }
  needDatabase(database)
  await copyDatabase(database, file).catch(fileFailure)
  const headsFile = `${file}.heads.jsonl`
  const heads = await readAuditHeads(file)
  writeFileSync(headsFile, heads.map((head) => `${JSON.stringify(head)}\n`).join(''), { mode: 0o600 })
  const keys = process.env['MFA_KEYS'] ? undefined : keyFileOf(database)
  if (json) return printJson({ file, heads: headsFile, keys: keys ?? null })
  printRows([
    ['Backup', `${file}, checked`],
    ['Audit heads', headsFile],
    [
      'Keys',
      keys === undefined ? 'not in it: they come from MFA_KEYS' : `not in it: back ${keys} up, in another place`,
    ],
    ['Restore', `second-factor restore ${file} --database ${database}`],
  ])
}
