import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'

import type { AuditEntry } from '../../service/audit/entry.ts'
import { eventNames } from '../../service/audit/events.ts'
import { pruneAudit } from '../../service/audit/prune.ts'
import { latestAudit, readAudit } from '../../service/audit/read.ts'
import type { ServiceContext } from '../../service/context/service-context.ts'
import type { AuditFilter } from '../../service/store/audit.ts'
import { organizationByName } from '../../service/store/organizations.ts'
import { userIdsNamed } from '../../service/store/users.ts'
import { databaseCommand, groupCommand, parseNumber } from '../admin/command.ts'
import { confirm, yesOption } from '../admin/confirm.ts'
import { withContext } from '../admin/local-service.ts'
import { dateOf, printDone, printJson, printTable, quote, shortId } from '../admin/print.ts'
import { exitCode } from '../device/exit-codes.ts'
import { ending, Failure } from '../device/failure.ts'
import { verifyCommand } from './audit-verify.ts'
import { printLines } from '../admin/print-lines.ts'

interface Settings {
  readonly database: string
  readonly json?: boolean
}

/** Who did what when. */
export function auditCommand(): Command {
  return groupCommand(
    'audit',
    'read and check the audit trail: who did what when',
    [listCommand(), exportCommand(), verifyCommand(), pruneCommand()],
    ['audit list --user alice --since 7d', 'audit verify --head heads.jsonl'],
  )
}

interface Filtering extends Settings {
  readonly organization?: string
  readonly event?: string
  readonly user?: string
  /** Unix time, seconds. */
  readonly since?: number
}

function listCommand(): Command {
  return filtering(
    databaseCommand('list', 'list the newest entries', [
      'audit list --user alice --since 7d --database mfa.sqlite',
      'audit list --event codes.locked --limit 20 --database mfa.sqlite --json',
    ]),
  )
    .option('--limit <number>', 'how many at most', parseNumber, 50)
    .option('--json', 'as JSON')
    .action(
      ending((settings: Filtering & { limit: number }) =>
        withContext(settings, async (ctx) => {
          const entries = await latestAudit(ctx.store.db, await filterOf(ctx, settings), settings.limit)
          if (settings.json) return printJson(entries)
          printTable(['Time', 'Event', 'Who', 'From', 'What'], entries.map(cells), 'There is no entry.')
        }),
      ),
    )
}

function exportCommand(): Command {
  return filtering(
    databaseCommand('export', 'write all entries as JSON lines, oldest first', [
      'audit export --database mfa.sqlite > audit.jsonl',
      'audit export --since 2026-11-01 --database mfa.sqlite',
    ]),
  ).action(
    ending((settings: Filtering) =>
      withContext(settings, async (ctx) => {
        await printLines(readAudit(ctx.store.db, await filterOf(ctx, settings)))
      }),
    ),
  )
}

function pruneCommand(): Command {
  return databaseCommand('prune', 'take away old entries; that it was done is written down', [
    'audit prune --before 365 --database mfa.sqlite',
    'audit prune --before 90 --yes --database mfa.sqlite --json',
  ])
    .requiredOption('--before <days>', 'older than so many days', parseNumber)
    .option('--json', 'as JSON')
    .option(...yesOption)
    .action(
      ending((settings: Settings & { before: number; yes?: boolean }) =>
        withContext(settings, async (ctx) => {
          if (settings.before < 1) throw new Failure('Entries are kept for a day at least.', exitCode.usage)
          await confirm(`take away all entries older than ${settings.before} days`, settings.yes)
          const removed = await pruneAudit(ctx, ctx.clock.now() - settings.before * 86_400)
          printDone(settings, { removed }, `${removed} entries are gone.`)
        }),
      ),
    )
}

function filtering(command: Command): Command {
  return command
    .addOption(new Option('--event <name>', 'only of this kind, such as session.denied').argParser(parseEvent))
    .option('--user <user>', 'only about the user of this username or id')
    .option('--organization <name>', 'only of the organization of this name')
    .option('--since <time>', 'only since then: 2026-11-01, 2026-11-01T12:00:00Z, or ago: 90m, 12h, 7d', parseSince)
}

/** All names in the help would fill a screen. */
function parseEvent(text: string): string {
  if (eventNames.some((name) => name === text)) return text
  throw new InvalidArgumentError(`There is: ${eventNames.join(', ')}.`)
}

const units: Record<string, number> = { m: 60, h: 3_600, d: 86_400 }

function parseSince(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  if (digits !== undefined) return Math.floor(Date.now() / 1000) - Number(digits) * (units[unit] ?? 1)
  const time = /^\d{4}-\d\d-\d\d(T.+)?$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw new InvalidArgumentError('A time is such as 2026-11-01, 2026-11-01T12:00:00Z, or 7d ago.')
  return Math.floor(time / 1000)
}

async function filterOf(ctx: ServiceContext, { event, since, user, organization }: Filtering): Promise<AuditFilter> {
  return {
    event,
    since,
    ...(organization !== undefined && { organizationId: await findOrganization(ctx, organization) }),
    ...(user !== undefined && { userId: await findUser(ctx, user) }),
  }
}

async function findOrganization({ store }: ServiceContext, name: string): Promise<string> {
  const found = await organizationByName(store.db, name)
  if (!found) throw new Failure(`There is no organization ${quote(name)}.`)
  return found.id
}

/** An id also of a user who is gone: the trail still knows it. */
async function findUser({ store }: ServiceContext, given: string): Promise<string> {
  const [found, ...others] = await userIdsNamed(store.db, given)
  if (others.length > 0) {
    throw new Failure(`Several organizations have a user ${quote(given)}. Give the id.`, exitCode.usage)
  }
  if (found !== undefined) return found
  if (/^[0-9a-f]{40}$/i.test(given)) return given.toLowerCase()
  throw new Failure(`There is no user ${quote(given)}. Give the id of one that is gone.`)
}

function cells({ at, event, actor, address, facts }: AuditEntry): string[] {
  const shown = Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${brief(String(value))}`)
  return [dateOf(at), event, `${actor.kind.replace('_', ' ')} ${brief(actor.id)}`, address ?? '-', shown.join(' ')]
}

const brief = (text: string) => (/^[0-9a-f]{40}$/.test(text) ? shortId(text) : text)
