import type { Command } from 'commander'

import { listMembers } from '../../contract/domains.ts'
import { findUsers } from '../../contract/users.ts'
import type { User } from '../../contract/users.ts'
import { csvRecord } from '../../service/rules/csv.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain } from '../admin/find.ts'
import { allPages, serviceAction } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { printJson, printTable } from '../terminal/print.ts'

interface Settings extends AdminSettings {
  readonly domain?: string
  readonly withoutFactor?: boolean
  readonly csv?: boolean
}

export function userListCommand(): Command {
  return adminCommand('list', 'list users', [
    "user list --domain 'Intranet' --without-factor",
    "user list --domain 'Intranet' --csv",
  ])
    .option('--domain <domain>', 'only users of this domain (name or id)')
    .option('--csv', 'CSV; a cell that a spreadsheet would calculate begins with an apostrophe')
    .option('--without-factor', 'only users without a factor, who sign in with their password alone')
    .action(
      serviceAction(async (service, settings: Settings) => {
        const all = await listUsers(service, settings.domain)
        const users = settings.withoutFactor ? all.filter(({ factors }) => !factors?.length) : all
        if (settings.json) return printJson(users)
        if (settings.csv) return printCsv(users)
        const rows = users.map(({ username, name, email, factors }) => [username, name, email, factorsOf(factors)])
        const none = settings.withoutFactor ? 'Every user has a factor.' : 'No users yet.'
        printTable(['Username', 'Name', 'E-mail', 'Factors'], rows, none)
      }),
    )
}

/** A record for each user, as the console exports it. */
function printCsv(users: readonly User[]): void {
  const records = users.map(({ id, username, name, email, factors }) => [
    id,
    username,
    name,
    email,
    factors?.join('; '),
  ])
  process.stdout.write([['id', 'username', 'name', 'email', 'methods'], ...records].map(csvRecord).join(''))
}

async function listUsers(service: LocalService, given: string | undefined): Promise<User[]> {
  if (given === undefined) {
    return allPages(async (page) => [await service.call(findUsers, { query: { page } })].flat())
  }
  const domainId = (await findDomain(service, given)).id
  return allPages((page) => service.call(listMembers, { params: { domainId }, query: { page } }))
}

export const factorsOf = (factors: User['factors']) => factors?.join(', ') || 'none'
