import { Option } from 'commander'
import type { Command } from 'commander'

import { importHardwareTokens } from '../../service/features/hardware/import.ts'
import { seedEncodings } from '../../ground/seed-encoding.ts'
import type { SeedEncoding } from '../../ground/seed-encoding.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { codesText } from '../admin/codes-text.ts'
import { withService } from '../admin/local-service.ts'
import { fileProgress } from '../import/file-progress.ts'
import { reportImport } from '../import/report.ts'
import { withErrorHandling } from '../terminal/failure.ts'
import { printTable } from '../terminal/print.ts'
import { createProgress } from '../terminal/progress.ts'
import { readHex, readLine, readWholeFile } from '../terminal/read-file.ts'

interface Settings extends AdminSettings {
  readonly key?: string
  readonly password?: string
  readonly encoding?: SeedEncoding
  readonly dryRun?: boolean
  readonly skipRejected?: boolean
}

export function hardwareImportCommand(): Command {
  return adminCommand('import', 'import hardware tokens from a file: all of them, or none', [
    'hardware import tokens.csv --dry-run',
    'hardware import tokens.xml --password @transport-password.txt',
  ])
    .argument(
      '<file>',
      'CSV with the columns serial, seed (hexadecimal) or base32, digits, step and algorithm, or PSKC (RFC 6030, XML; needs the package sax)',
    )
    .addOption(new Option('--encoding <encoding>', 'how a CSV column named secret is written').choices(seedEncodings))
    .option('--key <hex|@file>', 'pre-shared key of an encrypted PSKC file: 32 or 64 hexadecimal digits')
    .option('--password <@file>', 'file with the password of an encrypted PSKC file')
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
  const password = settings.password === undefined ? undefined : await readLine(settings.password, '--password')
  const bytes = await readWholeFile(file, importLimit)
  const ignored: string[] = []
  const noteIgnored = (names: readonly string[]) => void ignored.push(...names)
  await withService(settings, async ({ ctx, organization }) => {
    const { dryRun = false, skipRejected = false } = settings
    const bar = createProgress()
    const reading = fileProgress(bytes, bar)
    const rows = readTokens(reading.file, { key, password, encoding: settings.encoding, noteIgnored })
    const options = { dryRun, skipRejected, progress: reading.progress }
    const report = await importHardwareTokens(ctx, organization.id, rows, options).finally(bar.end)
    if (dryRun && !settings.json) {
      const preview = report.preview.map((token) => [token.serialNumber, codesText(token)])
      if (preview.length > 0) printTable(['Serial', 'Codes'], preview, '')
    }
    reportImport({ ...report, ...(ignored.length > 0 && { ignored }) }, 'token', { ...settings, dryRun, skipRejected })
  })
}
