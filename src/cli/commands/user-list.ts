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
import { fieldRows, shownFields } from './user-fields.ts'
import { printChunks, printJsonItems, printPages } from '../terminal/print.ts'

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
        const pages = pagesOf(service, await searchOf(service, settings), settings)
        if (settings.json) return printJsonItems(usersOf(pages))
        if (settings.csv) return printChunks(csvOf(pages))
        await printPages(
          ['Username', ...shownFields.map(({ label }) => label), 'Factors'],
          rowsOf(pages),
          emptyMessage(settings),
        )
      }),
    )
}

type Pages = AsyncIterable<readonly User[]>

async function* usersOf(pages: Pages): AsyncIterable<User> {
  for await (const users of pages) yield* users
}

async function* rowsOf(pages: Pages): AsyncIterable<readonly (readonly string[])[]> {
  for await (const users of pages) {
    yield users.map((user) => [user.username, ...fieldTexts(user), factorsOf(user.factors)])
  }
}

/** A record for each user, as the console exports it. */
async function* csvOf(pages: Pages): AsyncIterable<string> {
  yield csvRecord(['id', 'username', ...shownFields.map(({ name }) => name), 'methods'])
  for await (const users of pages) {
    yield users
      .map((user) => csvRecord([user.id, user.username, ...fieldTexts(user), user.factors?.join('; ')]))
      .join('')
  }
}

const fieldTexts = (user: User) => fieldRows(user).map(([, text]) => text)

/** Users read at a time: a list of a million is printed while it is read. */
const pageSize = 100

async function* pagesOf({ caller }: LocalService, search: PeopleSearch, { withoutFactor }: Settings): Pages {
  for await (const rows of allPeople(caller, search, pageSize)) {
    const users = await showAll(caller, rows)
    yield withoutFactor ? users.filter(({ factors }) => !factors?.length) : users
  }
}

const searchOf = async (service: LocalService, { domain, filter, query: q }: Settings): Promise<PeopleSearch> => ({
  ...(q !== undefined && { q }),
  ...(filter && { filter }),
  ...(domain !== undefined && { domain: (await findDomain(service, domain)).id }),
})

function query(text: string): string {
  if (PeopleSearch.shape.q.safeParse(text).success) return text
  throw new InvalidArgumentError('Expected at most 128 characters.')
}

function emptyMessage({ filter, query: q, withoutFactor }: Settings): string {
  if (filter || q !== undefined) return 'No such users.'
  return withoutFactor ? 'Every user has a factor.' : 'No users yet.'
}

export const factorsOf = (factors: User['factors']) => factors?.join(', ') || 'none'
