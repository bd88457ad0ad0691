import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'

import { PeopleFilter, PeopleSearch } from '../../admin-contract/people.ts'
import type { User } from '../../contract/users.ts'
import { showAll } from '../../service/features/users/operations.ts'
import { allPeople } from '../../service/features/people/pages.ts'
import { csvRecord } from '../../service/engine/base/csv.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { printJson, printTable } from '../terminal/print.ts'

interface Settings extends AdminSettings {
  readonly domain?: string
  readonly filter?: PeopleFilter
  readonly query?: string
  readonly withoutFactor?: boolean
  readonly csv?: boolean
}

export function userListCommand(): Command {
  return adminCommand('list', 'list users', [
    "user list --domain 'Intranet' --without-factor",
    "user list --filter locked --query 'alice' --json",
  ])
    .option('--domain <domain>', 'only users of this domain (name or id)')
    .option('--query <text>', 'only users with this in name, username, e-mail address, device or serial number', query)
    .addOption(new Option('--filter <filter>', 'only users of one kind').choices(PeopleFilter.options))
    .option('--csv', 'CSV; an apostrophe stands before everything that a spreadsheet would calculate')
    .option('--without-factor', 'only users without a factor, who sign in with their password alone')
    .action(
      serviceAction(async (service, settings: Settings) => {
        const all = await listUsers(service, settings)
        const users = settings.withoutFactor ? all.filter(({ factors }) => !factors?.length) : all
        if (settings.json) return printJson(users)
        if (settings.csv) return printCsv(users)
        const rows = users.map(({ username, name, email, factors }) => [username, name, email, factorsOf(factors)])
        printTable(['Username', 'Name', 'E-mail', 'Factors'], rows, sentenceOfNone(settings))
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

/** Users read at a time. */
const pageSize = 100

async function listUsers(service: LocalService, { domain, filter, query: q }: Settings): Promise<User[]> {
  const { caller } = service
  const search = {
    ...(q !== undefined && { q }),
    ...(filter && { filter }),
    ...(domain !== undefined && { domain: (await findDomain(service, domain)).id }),
  }
  const users: User[] = []
  for await (const rows of allPeople(caller, search, pageSize)) users.push(...(await showAll(caller, rows)))
  return users
}

function query(text: string): string {
  if (PeopleSearch.shape.q.safeParse(text).success) return text
  throw new InvalidArgumentError('Expected at most 128 characters.')
}

function sentenceOfNone({ filter, query: q, withoutFactor }: Settings): string {
  if (filter || q !== undefined) return 'No such users.'
  return withoutFactor ? 'Every user has a factor.' : 'No users yet.'
}

export const factorsOf = (factors: User['factors']) => factors?.join(', ') || 'none'
