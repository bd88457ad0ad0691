import type { Command } from 'commander'

import { importUsers } from '../../service/features/users/import.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain } from '../admin/find.ts'
import { withService } from '../admin/local-service.ts'
import { fileProgress } from '../import/file-progress.ts'
import { reportImport } from '../import/report.ts'
import { withErrorHandling } from '../terminal/failure.ts'
import { createProgress } from '../terminal/progress.ts'
import { readWholeFile } from '../terminal/read-file.ts'

interface Settings extends AdminSettings {
  readonly domain: string
  readonly dryRun?: boolean
  readonly skipRejected?: boolean
  readonly update?: boolean
  readonly usernameColumn?: string
}

export function userImportCommand(): Command {
  return adminCommand('import', 'import users from a file into a domain: all of them, or none', [
    "user import users.csv --domain 'Intranet' --dry-run",
    "user import users.csv --domain 'Intranet' --skip-rejected --json",
  ])
    .argument('<file>', 'CSV with the columns username,name,email; name and email may be empty')
    .requiredOption('--domain <domain>', 'name or id of the domain')
    .option('--username-column <name>', 'column with the usernames, such as userPrincipalName')
    .option('--dry-run', 'check all rows without changing anything')
    .option('--skip-rejected', 'import valid rows even if others are rejected')
    .option('--update', 'update name and e-mail address of users who already exist')
    .action(withErrorHandling(importFile))
}

async function importFile(file: string, settings: Settings): Promise<void> {
  // The parser is loaded only when it is needed.
  const { readUsersCsv, usersLimit } = await import('../import/users-csv.ts')
  const bytes = await readWholeFile(file, usersLimit)
  await withService(settings, async (service) => {
    const { dryRun = false, skipRejected = false, update = false } = settings
    const { id: domainId } = await findDomain(service, settings.domain)
    const bar = createProgress()
    const reading = fileProgress(bytes, bar)
    const options = { dryRun, skipRejected, update, progress: reading.progress }
    const place = { organizationId: service.organization.id, domainId }
    const ignored: string[] = []
    const rows = readUsersCsv(reading.file, {
      usernameColumn: settings.usernameColumn,
      noteIgnored: (names) => void ignored.push(...names),
    })
    const report = await importUsers(service.ctx, place, rows, options).finally(bar.end)
    reportImport({ ...report, ...(ignored.length > 0 && { ignored }) }, 'user', { ...settings, dryRun, skipRejected })
  })
}
