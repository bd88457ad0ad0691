import { Option } from 'commander'
import type { Command } from 'commander'

import { CodeAlgorithm } from '../../contract/hardware.ts'
import type { CodeDigits } from '../../contract/hardware.ts'
import { secretEncodings, sourceNames } from '../../service/features/imported-factors/files/sources.ts'
import type { SecretEncoding, SourceName } from '../../service/features/imported-factors/files/sources.ts'
import { importFactorRows } from '../../service/features/imported-factors/import-rows.ts'
import { readDigits, readPeriod } from '../admin/code-options.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain } from '../admin/find.ts'
import { withService } from '../admin/local-service.ts'
import { printFactors } from '../import/factor-report.ts'
import { fileProgress } from '../import/file-progress.ts'
import { reportImport } from '../import/report.ts'
import { withErrorHandling } from '../terminal/failure.ts'
import { createProgress } from '../terminal/progress.ts'
import { readText, readWholeFile } from '../terminal/read-file.ts'

interface Settings extends AdminSettings {
  readonly domain: string
  readonly from: SourceName | 'auto'
  readonly secret?: string
  readonly encoding?: SecretEncoding
  readonly algorithm?: CodeAlgorithm
  readonly digits?: CodeDigits
  readonly period?: number
  readonly usernameColumn?: string
  readonly keep?: 'newest' | 'oldest'
  readonly addUsers?: boolean
  readonly dryRun?: boolean
  readonly skipRejected?: boolean
}

export function factorImportCommand(): Command {
  return adminCommand('import', 'import the authenticator apps and recovery codes that users have in another system', [
    "factor import apps.csv --domain 'Intranet' --dry-run",
    "factor import people.jsonl --domain 'Intranet' --from better-auth --secret @secret.txt --json",
  ])
    .argument('<file>', 'CSV or JSON with username and otpauth, or with a secret; or an export of another server')
    .requiredOption('--domain <domain>', 'name or id of the domain whose users they are')
    .addOption(
      new Option('--from <source>', 'where the file comes from').choices(['auto', ...sourceNames]).default('auto'),
    )
    .option('--secret <@file>', 'file with the secret of the app (better-auth), or with the key of the export')
    .addOption(new Option('--encoding <encoding>', 'how a member named secret is written').choices(secretEncodings))
    .addOption(new Option('--algorithm <hash>', 'hash of codes that do not say it').choices(CodeAlgorithm.options))
    .addOption(new Option('--digits <number>', 'length of codes that do not say it').argParser(readDigits))
    .addOption(new Option('--period <seconds>', 'lifetime of codes that do not say it').argParser(readPeriod))
    .option('--username-column <name>', 'column with the usernames, such as email')
    .addOption(
      new Option('--keep <which>', 'which app counts of a person with several; without it, none').choices([
        'newest',
        'oldest',
      ]),
    )
    .option('--add-users', 'add users who are not in the domain, or not in the organization')
    .option('--dry-run', 'check all rows and show what would be imported, without changing anything')
    .option('--skip-rejected', 'import valid rows even if others are rejected')
    .action(withErrorHandling(importFile))
}

async function importFile(file: string, settings: Settings): Promise<void> {
  // The readers are loaded only when they are needed.
  const { factorsLimit, readFactors } = await import('../import/read-factors.ts')
  const secret = settings.secret === undefined ? undefined : await readText(settings.secret, '--secret')
  const bytes = await readWholeFile(file, factorsLimit)
  const ignored: string[] = []
  const { from, encoding, algorithm, digits, period, usernameColumn } = settings
  const reading = {
    from: from === 'auto' ? undefined : from,
    secret,
    encoding,
    usernameColumn,
    noteIgnored: (names: readonly string[]) => void ignored.push(...names),
    ...(algorithm && { algorithm }),
    ...(digits && { digits }),
    ...(period !== undefined && { period }),
  }
  await withService(settings, async (service) => {
    const { dryRun = false, skipRejected = false, addUsers = false, keep } = settings
    const { id: domainId } = await findDomain(service, settings.domain)
    const bar = createProgress()
    const { file: pieces, progress } = fileProgress(bytes, bar)
    const options = { dryRun, skipRejected, keep, progress }
    const rows = readFactors(pieces, reading)
    const report = await importFactorRows(service.caller, { domainId, addUsers }, rows, options).finally(bar.end)
    if (!settings.json) printFactors(report, dryRun)
    reportImport({ ...report, ...(ignored.length > 0 && { ignored }) }, 'app', { ...settings, dryRun, skipRejected })
  })
}
