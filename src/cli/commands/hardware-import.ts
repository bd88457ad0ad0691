import type { Command } from 'commander'

import { importHardwareTokens } from '../../service/features/hardware/import.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { withService } from '../admin/local-service.ts'
import { fileProgress } from '../import/file-progress.ts'
import { reportImport } from '../import/report.ts'
import { withErrorHandling } from '../terminal/failure.ts'
import { createProgress } from '../terminal/progress.ts'
import { readHex, readWholeFile } from '../terminal/read-file.ts'

interface Settings extends AdminSettings {
  readonly key?: string
  readonly dryRun?: boolean
  readonly skipRejected?: boolean
}

export function hardwareImportCommand(): Command {
  return adminCommand('import', 'import hardware tokens from a file: all of them, or none', [
    'hardware import tokens.csv --dry-run',
    'hardware import tokens.xml --key @transport-key.txt',
  ])
    .argument(
      '<file>',
      'CSV with the columns serial,seed,type,step (hexadecimal seeds), or PSKC (RFC 6030, XML; needs the package sax)',
    )
    .option('--key <hex|@file>', 'pre-shared key of an encrypted PSKC file: 32 or 64 hexadecimal digits')
    .option('--dry-run', 'check all rows without changing anything')
    .option('--skip-rejected', 'import valid rows even if others are rejected')
    .action(withErrorHandling(importFile))
}

async function importFile(file: string, settings: Settings): Promise<void> {
  // The parsers are loaded only when they are needed.
  const { importLimit, readTokens } = await import('../import/read-tokens.ts')
  const isKeyLength = (digits: number) => digits === 32 || digits === 64
  const digits = settings.key === undefined ? undefined : await readHex(settings.key, '--key', isKeyLength)
  const key = digits === undefined ? undefined : Buffer.from(digits, 'hex')
  const bytes = await readWholeFile(file, importLimit)
  await withService(settings, async ({ ctx, organization }) => {
    const { dryRun = false, skipRejected = false } = settings
    const bar = createProgress()
    const reading = fileProgress(bytes, bar)
    const rows = readTokens(reading.file, key)
    const options = { dryRun, skipRejected, progress: reading.progress }
    const report = await importHardwareTokens(ctx, organization.id, rows, options).finally(bar.end)
    reportImport(report, 'token', { ...settings, dryRun, skipRejected })
  })
}
