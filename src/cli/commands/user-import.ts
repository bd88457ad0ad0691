import type { Command } from 'commander'

import { importUsers } from '../../service/admin/user-import.ts'
import type { UserImportReport } from '../../service/admin/user-import.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain } from '../admin/find.ts'
import { withService } from '../admin/local-service.ts'
import { printJson } from '../admin/print.ts'
import { counted, printRejected } from '../admin/print-rejected.ts'
import { createProgress } from '../admin/progress.ts'
import { readInput } from '../admin/read-input.ts'
import { exitCode } from '../device/exit-codes.ts'
import { ending } from '../device/failure.ts'

interface Settings extends AdminSettings {
  readonly domain: string
  readonly dryRun?: boolean
  readonly skipRejected?: boolean
  readonly update?: boolean
}

export function userImportCommand(): Command {
  return adminCommand('import', 'add the users of a file to a domain: all of them, or none', [
    "user import users.csv --domain 'Intranet' --dry-run --database mfa.sqlite",
    "user import users.csv --domain 'Intranet' --skip-rejected --database mfa.sqlite --json",
  ])
    .argument('<file>', 'CSV with the columns username,name,email in UTF-8; name and email may be empty')
    .requiredOption('--domain <domain>', 'name or id of the domain they belong to from now on')
    .option('--dry-run', 'check every row, change nothing')
    .option('--skip-rejected', 'import the others where rows are rejected')
    .option('--update', 'give users who are there already the name and the e-mail address of the file')
    .action(ending(importFile))
}

async function importFile(file: string, settings: Settings): Promise<void> {
  // Only here somebody needs the parser.
  const { readUsersCsv, usersLimit } = await import('../import/users-csv.ts')
  const rows = readUsersCsv(await readInput(file, usersLimit))
  await withService(settings, async (service) => {
    const { dryRun = false, skipRejected = false, update = false } = settings
    const { id: domainId } = await findDomain(service, settings.domain)
    const of = { organizationId: service.organization.id, domainId }
    const progress = createProgress()
    const options = { dryRun, skipRejected, update, progress: progress.update }
    const report = await importUsers(service.ctx, of, rows, options).finally(progress.end)
    print(report, { ...settings, dryRun })
    if (report.rejected.length > 0 && !skipRejected) process.exitCode = exitCode.failed
  })
}

function print({ imported, acceptable, present, rejected }: UserImportReport, { json, dryRun }: Settings): void {
  if (json) return printJson({ imported, acceptable, present, rejected, dryRun })
  printRejected(rejected)
  const refused = rejected.length > 0 ? `, ${counted(rejected.length, 'row')} rejected` : ''
  const known = present > 0 ? ` (${present} of them known already)` : ''
  if (dryRun)
    return console.log(`${counted(acceptable, 'user')} can be imported${known}${refused}. Nothing was changed.`)
  if (imported > 0) return console.log(`${counted(imported, 'user')} imported${known}${refused}.`)
  const others = acceptable > 0 ? ', or import the others with --skip-rejected' : ''
  console.log(`Nothing was imported${refused}. Correct them${others}.`)
}
