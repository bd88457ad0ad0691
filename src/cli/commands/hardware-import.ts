import type { Command } from 'commander'

import { importHardwareTokens } from '../../service/admin/hardware-import.ts'
import type { ImportReport } from '../../service/admin/hardware-import.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { withService } from '../admin/local-service.ts'
import { printJson } from '../admin/print.ts'
import { counted, printRejected } from '../admin/print-rejected.ts'
import { createProgress } from '../admin/progress.ts'
import { readInput } from '../admin/read-input.ts'
import { readHex } from '../admin/secret-input.ts'
import { exitCode } from '../device/exit-codes.ts'
import { ending } from '../device/failure.ts'

interface Settings extends AdminSettings {
  readonly key?: string
  readonly dryRun?: boolean
  readonly skipRejected?: boolean
}

export function hardwareImportCommand(): Command {
  return adminCommand('import', 'add the hardware tokens of a file: all of them, or none', [
    'hardware import tokens.csv --dry-run --database mfa.sqlite',
    'hardware import tokens.xml --key @transport-key.txt --database mfa.sqlite',
  ])
    .argument('<file>', 'CSV with the columns serial,seed,type,step (hexadecimal seeds), or PSKC (RFC 6030, XML)')
    .option('--key <hex|@file>', 'the pre-shared key of an encrypted PSKC: 32 or 64 hexadecimal digits')
    .option('--dry-run', 'check every row, change nothing')
    .option('--skip-rejected', 'import the others where rows are rejected')
    .action(ending(importFile))
}

async function importFile(file: string, settings: Settings): Promise<void> {
  // Only here somebody needs the parsers.
  const { importLimit, readTokens } = await import('../import/read-tokens.ts')
  const key = settings.key === undefined ? undefined : await readKey(settings.key)
  const rows = readTokens(await readInput(file, importLimit), key)
  await withService(settings, async ({ ctx, organization }) => {
    const { dryRun = false, skipRejected = false } = settings
    const progress = createProgress()
    const options = { dryRun, skipRejected, progress: progress.update }
    const report = await importHardwareTokens(ctx, organization.id, rows, options).finally(progress.end)
    print(report, { ...settings, dryRun })
    if (report.rejected.length > 0 && !skipRejected) process.exitCode = exitCode.failed
  })
}

async function readKey(given: string): Promise<Buffer> {
  return Buffer.from(await readHex(given, '--key', (digits) => digits === 32 || digits === 64), 'hex')
}

function print({ imported, acceptable, rejected }: ImportReport, { json, dryRun }: Settings): void {
  if (json) return printJson({ imported, acceptable, rejected, dryRun })
  printRejected(rejected)
  console.log(outcome({ imported, acceptable, rejected }, dryRun))
}

function outcome({ imported, acceptable, rejected }: ImportReport, dryRun: boolean | undefined): string {
  const refused = rejected.length > 0 ? `, ${counted(rejected.length, 'row')} rejected` : ''
  if (dryRun) return `${counted(acceptable, 'token')} can be imported${refused}. Nothing was changed.`
  if (imported > 0) return `${counted(imported, 'token')} imported${refused}.`
  const others = acceptable > 0 ? ', or import the others with --skip-rejected' : ''
  return `Nothing was imported${refused}. Correct them${others}.`
}
