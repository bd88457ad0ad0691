import { existsSync, readFileSync, rmSync } from 'node:fs'

import type { Command } from 'commander'

import { commandClock } from '../../clock.ts'
import { settleRestored, whatMayBeRevoked } from '../../service/backup/restored.ts'
import type { Restored } from '../../service/backup/restored.ts'
import { readRevocations } from '../../service/backup/revocations.ts'
import type { Revocation } from '../../service/backup/revocations.ts'
import { checkDatabase, copyPrivately, replaceDatabase, requireUnused } from '../../service/backup/sqlite-file.ts'
import type { ServiceContext } from '../../service/context/service-context.ts'
import { keyFileOf } from '../../service/keys/key-file.ts'
import { printable } from '../../device/printable.ts'
import { liveNodes } from '../../service/keys/live-nodes.ts'
import { databaseCommand } from '../admin/command.ts'
import { confirm, yesOption } from '../admin/confirm.ts'
import { withContext } from '../admin/local-service.ts'
import { dateOf, printJson, quote, shortId } from '../admin/print.ts'
import { exitCode } from '../device/exit-codes.ts'
import { ending, Failure } from '../device/failure.ts'
import { printRows } from '../device/print.ts'
import { isUrl } from '../service/database-name.ts'
import { fileFailure } from '../service/file-failure.ts'

interface Settings {
  readonly database: string
  readonly revocations?: string
  readonly yes?: boolean
  readonly json?: boolean
}

/** Puts a backup in the place of a database file. */
export function restoreCommand(): Command {
  return withRevocations(
    databaseCommand('restore', 'put a backup in the place of the database; no service may use it', [
      'restore mfa.backup --database mfa.sqlite --revocations service.log',
      'restore mfa.backup --database mfa.sqlite --yes --json',
    ]).argument('<file>', 'what `backup` wrote'),
  ).action(ending(restore))
}

/** What a database needs that was restored by other means, such as pg_restore. */
export function restoredCommand(): Command {
  return withRevocations(
    databaseCommand('restored', 'make a database safe to serve that pg_restore put back', [
      'restored --database postgres://mfa@db/mfa --revocations service.log',
      'restored --database postgres://mfa@db/mfa --yes --json',
    ]),
  ).action(
    ending((settings: Settings) =>
      withContext(settings, async (ctx) => {
        const others = await liveNodes(ctx)
        if (others.length > 0) {
          throw new Failure(`These nodes use the database: ${others.map(quote).join(', ')}. Stop them first.`)
        }
        show(await settle(ctx, settings), settings)
      }),
    ),
  )
}

function withRevocations(command: Command): Command {
  return command
    .option('--revocations <log>', 'log of the service since the backup: what it says was revoked is revoked again')
    .option('--json', 'as JSON')
    .option(...yesOption)
}

async function restore(file: string, settings: Settings): Promise<void> {
  const { database } = settings
  if (isUrl(database)) {
    throw new Failure('A PostgreSQL database is restored with pg_restore, then: second-factor restored', exitCode.usage)
  }
  if (!existsSync(file)) throw new Failure(`There is no backup ${file}.`)
  await checkDatabase(file).catch(fileFailure)
  await requireUnused(database).catch(fileFailure)
  // Everything happens to a copy beside the database: until it takes its place, nothing has changed.
  const copy = `${database}.restoring`
  try {
    copyPrivately(file, copy)
    let restored: Restored | undefined
    await withContext({ database: copy, keys: keysFor(database) }, async (ctx) => {
      restored = await settle(ctx, settings)
    })
    await requireUnused(database).catch(fileFailure)
    const old = replaceDatabase(database, copy, commandClock.now())
    if (restored) show(restored, settings, old)
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
  }
}

/** The key file belongs to the name of the database, and not to that of the copy. */
function keysFor(database: string): string | undefined {
  if (process.env['MFA_KEYS']) return undefined
  const file = keyFileOf(database)
  if (!existsSync(file)) {
    throw new Failure(`There is no key file ${file}. Put the keys of the backup there first, or set MFA_KEYS.`)
  }
  return readFileSync(file, 'utf8').split('\n').join(',')
}

async function settle(ctx: ServiceContext, settings: Settings): Promise<Restored> {
  const revocations = settings.revocations === undefined ? [] : readLog(settings.revocations)
  if (settings.revocations === undefined) await ask(ctx, settings)
  return settleRestored(ctx, revocations)
}

function readLog(file: string): Revocation[] {
  try {
    return readRevocations(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Failure(`${quote(file)} cannot be read. Check the path.`, exitCode.usage, { cause })
  }
}

/** How much of a list is shown. `device list` and others show all. */
const shown = 20

/** Without a log, only a person knows what was revoked after the backup was made. */
async function ask(ctx: ServiceContext, { yes }: Settings): Promise<void> {
  if (yes) return
  const { devices, hardwareTokens, apiKeys, backupAt } = await whatMayBeRevoked(ctx)
  console.error(`These work again after the restore, also if they were revoked since ${dateOf(backupAt)}:`)
  list(
    'Device',
    devices.map(({ id, name, username, domain }) => `${shortId(id)}  ${name} of ${username} in ${domain}`),
  )
  list(
    'Hardware token',
    hardwareTokens.map(({ id, serialNumber, username }) => `${shortId(id)}  ${serialNumber} of ${username}`),
  )
  list(
    'API key',
    apiKeys.map(({ id, role, createdAt }) => `${shortId(id)}  ${role}, created ${dateOf(createdAt)}`),
  )
  await confirm('restore the backup, with all of these in use', yes)
}

function list(what: string, lines: readonly string[]): void {
  // People and devices choose their names: they must not control the terminal.
  for (const line of lines.slice(0, shown)) console.error(`  ${what}  ${printable(line)}`)
  if (lines.length > shown) console.error(`  and ${lines.length - shown} more of these`)
}

function show({ backupAt, applied }: Restored, { json, revocations }: Settings, old?: string): void {
  if (json) return printJson({ backupAt, revocationsApplied: applied, replaced: old ?? null })
  printRows([
    ['Restored', `as it was at ${dateOf(backupAt)}`],
    ['Revocations', revocations === undefined ? 'none applied: no log was given' : `${applied} applied again`],
    ['Ended', 'pending sessions, bypass codes, activation codes; one-time codes work again in 5 to 10 minutes'],
    ...(old === undefined ? [] : [['Before', `kept as ${old}`] as const]),
  ])
}
