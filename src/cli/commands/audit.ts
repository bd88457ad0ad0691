import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'

import { formerEvents } from '../../admin-contract/former-events.ts'
import type { AuditEntry } from '../../service/engine/audit/entry.ts'
import { eventNames } from '../../service/engine/audit/events.ts'
import { pruneAudit } from '../../service/engine/audit/retention.ts'
import { latestAudit, readAudit } from '../../service/engine/audit/read.ts'
import type { ServiceContext } from '../../service/engine/context/service-context.ts'
import type { AuditFilter } from '../../service/engine/audit/statements.ts'
import { organizationByName } from '../../service/features/domains/organization-statements.ts'
import { usersNamed } from '../../service/features/users/statements.ts'
import { databaseCommand, groupCommand } from '../admin/command.ts'
import { databaseAction } from '../database/open.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { dateOf, printDone, printJson, printLines, printTable, quote, shortId } from '../terminal/print.ts'
import { confirm, yesOption } from '../terminal/prompt.ts'
import { integer, parseDuration } from '../terminal/parse.ts'
import { verifyCommand } from './audit-verify.ts'

interface Settings {
  readonly database: string
  readonly json?: boolean
}

/** `second-factor audit`. */
export function auditCommand(): Command {
  return groupCommand(
    'audit',
    'read and verify the audit trail',
    [listCommand(), exportCommand(), verifyCommand(), pruneCommand()],
    ['audit list --user alice --since 7d', 'audit verify --head heads.jsonl'],
  )
}

interface FilterSettings extends Settings {
  readonly organization?: string
  readonly event?: string
  readonly user?: string
  /** Unix time, seconds. */
  readonly since?: number
}

function listCommand(): Command {
  return withFilters(
    databaseCommand('list', 'list the newest entries', [
      'audit list --user alice --since 7d',
      'audit list --event codes.locked --limit 20 --json',
    ]),
  )
    .option('--limit <number>', 'maximum number of entries', integer(), 50)
    .option('--json', 'print JSON')
    .action(
      databaseAction(async (ctx, settings: FilterSettings & { limit: number }) => {
        const entries = await latestAudit(ctx.store.db, await filterOf(ctx, settings), settings.limit)
        if (settings.json) return printJson(entries)
        printTable(['Time', 'Event', 'Actor', 'Address', 'Details'], entries.map(cells), 'No entries.')
      }),
    )
}

function exportCommand(): Command {
  return withFilters(
    databaseCommand('export', 'write all entries as JSON lines, oldest first', [
      'audit export > audit.jsonl',
      'audit export --since 2026-11-01',
    ]),
  ).action(
    databaseAction(async (ctx, settings: FilterSettings) => {
      await printLines(readAudit(ctx.store.db, await filterOf(ctx, settings)))
    }),
  )
}

function pruneCommand(): Command {
  return databaseCommand('prune', 'delete old entries, and record the deletion', [
    'audit prune --before 365',
    'audit prune --before 90 --yes --json',
  ])
    .requiredOption('--before <days>', 'delete entries that are older than this', integer())
    .option('--json', 'print JSON')
    .option(...yesOption)
    .action(
      databaseAction(async (ctx, settings: Settings & { before: number; yes?: boolean }) => {
        if (settings.before < 1) throw new Failure('--before: must be at least 1 day.', exitCode.usage)
        await confirm(`delete all entries older than ${settings.before} days`, settings.yes)
        const removed = await pruneAudit(ctx, ctx.clock.now() - settings.before * 86_400)
        printDone(settings, { removed }, `Deleted ${removed} audit entries.`)
      }),
    )
}

function withFilters(command: Command): Command {
  return command
    .addOption(new Option('--event <name>', 'only this kind of event, such as session.denied').argParser(parseEvent))
    .option('--user <user>', 'only entries about this user (username or id)')
    .option('--organization <name>', 'only entries of this organization')
    .option(
      '--since <time>',
      'only entries since a time (2026-11-01, 2026-11-01T12:00:00Z) or for a duration (90m, 12h, 7d)',
      parseSince,
    )
}

/** The error lists the names: in the help they would fill a screen. */
function parseEvent(text: string): string {
  if (eventNames.some((name) => name === text) || formerEvents.has(text)) return text
  throw new InvalidArgumentError(`Expected one of: ${eventNames.join(', ')}.`)
}

function parseSince(text: string): number {
  const duration = parseDuration(text)
  if (duration !== undefined) return Math.floor(Date.now() / 1000) - duration
  const time = /^\d{4}-\d\d-\d\d(T.+)?$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) {
    throw new InvalidArgumentError(
      'Expected a time such as 2026-11-01 or 2026-11-01T12:00:00Z, or a duration such as 7d.',
    )
  }
  return Math.floor(time / 1000)
}

async function filterOf(
  ctx: ServiceContext,
  { event, since, user, organization }: FilterSettings,
): Promise<AuditFilter> {
  return {
    event,
    since,
    ...(organization !== undefined && { organizationId: await findOrganization(ctx, organization) }),
    ...(user !== undefined && { userId: await findUser(ctx, user) }),
  }
}

async function findOrganization({ store }: ServiceContext, name: string): Promise<string> {
  const organization = await organizationByName(store.db, name)
  if (!organization) throw new Failure(`No organization ${quote(name)}.`)
  return organization.id
}

/** Accepts the id of a deleted user too: the trail still contains it. */
async function findUser({ store }: ServiceContext, nameOrId: string): Promise<string> {
  const [firstUser, ...otherUsers] = await usersNamed(store.db, nameOrId)
  if (otherUsers.length > 0) {
    throw new Failure(`Several organizations have a user ${quote(nameOrId)}. Use the id.`, exitCode.usage)
  }
  if (firstUser) return firstUser.id
  if (/^[0-9a-f]{40}$/i.test(nameOrId)) return nameOrId.toLowerCase()
  throw new Failure(`No user ${quote(nameOrId)}. For a deleted user, use the id.`)
}

function cells({ at, event, actor, address, facts }: AuditEntry): string[] {
  const factTexts = Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${shorten(String(value))}`)
  return [
    dateOf(at),
    event,
    `${actor.kind.replace('_', ' ')} ${shorten(actor.id)}`,
    address ?? '-',
    factTexts.join(' '),
  ]
}

const shorten = (text: string) => (/^[0-9a-f]{40}$/.test(text) ? shortId(text) : text)
