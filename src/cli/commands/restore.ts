import { existsSync, readFileSync, rmSync } from 'node:fs'

import type { Command } from 'commander'

import { commandClock } from '../../ground/clock.ts'
import { settleRestored, whatMayBeRevoked } from '../../service/upkeep/restored.ts'
import type { Restored } from '../../service/upkeep/restored.ts'
import { readRevocations } from '../../service/upkeep/revocations.ts'
import type { Revocation } from '../../service/upkeep/revocations.ts'
import {
  checkDatabase,
  checkSchema,
  copyPrivately,
  realFile,
  removeMoveMark,
  replaceDatabase,
  requireUnused,
} from '../../service/upkeep/sqlite-file.ts'
import type { ServiceContext } from '../../service/engine/context/service-context.ts'
import { keyFileOf } from '../../service/engine/secrets/key-file.ts'
import { printable } from '../../ground/printable.ts'
import { liveNodes } from '../../service/engine/secrets/live-nodes.ts'
import { databaseCommand } from '../admin/command.ts'
import { isUrl, rethrowFileError, writing } from '../database/failures.ts'
import { databaseAction, withDatabase } from '../database/open.ts'
import { exitCode, Failure, withErrorHandling } from '../terminal/failure.ts'
import { dateOf, printJson, printRows, quote, shortId } from '../terminal/print.ts'
import { confirm, yesOption } from '../terminal/prompt.ts'

interface Settings {
  readonly database: string
  readonly revocations?: string
  readonly yes?: boolean
  readonly json?: boolean
}

/** `second-factor restore`. */
export function restoreCommand(): Command {
  return withRevocations(
    databaseCommand('restore', 'replace the database with a backup; stop all services first', [
      'restore mfa.backup --database mfa.sqlite --revocations service.log',
      'restore mfa.backup --database mfa.sqlite --yes --json',
    ]).argument('<file>', 'file that `backup` wrote'),
  ).action(withErrorHandling(restore))
}

/** `second-factor restored`, for databases that were restored by other means. */
export function restoredCommand(): Command {
  return withRevocations(
    databaseCommand('restored', 'make a database safe to use after pg_restore', [
      'restored --database postgres://mfa@db/mfa --revocations service.log',
      'restored --database postgres://mfa@db/mfa --yes --json',
    ]),
  ).action(
    databaseAction(async (ctx, settings: Settings) => {
      const otherNodes = await liveNodes(ctx)
      if (otherNodes.length > 0) {
        throw new Failure(`These nodes use the database: ${otherNodes.map(quote).join(', ')}. Stop them first.`)
      }
      show(await settle(ctx, settings), settings)
    }),
  )
}

function withRevocations(command: Command): Command {
  return command
    .option('--revocations <log>', 'log of the service since the backup: revocations in it are applied again')
    .option('--json', 'print JSON')
    .option(...yesOption)
}

async function restore(backup: string, settings: Settings): Promise<void> {
  const { database: name } = settings
  if (isUrl(name)) {
    throw new Failure('Restore a PostgreSQL database with pg_restore, then run: second-factor restored', exitCode.usage)
  }
  if (!existsSync(backup)) throw new Failure(`The backup ${backup} doesn't exist. Check the path.`)
  const [file, database] = [realFile(backup), realFile(name)]
  await checkDatabase(file).catch(rethrowFileError)
  // A moved database can be restored: it is as old as a backup from the time of the move.
  const isEarlier = await checkSchema(file, { moved: true }).catch(rethrowFileError)
  await requireUnused(database).catch(rethrowFileError)
  // A file that was in use has changes beside it, which closing it writes back.
  if (existsSync(`${file}-wal`)) await requireUnused(file).catch(rethrowFileError)
  // All changes are made to a copy beside the database. Until the copy replaces the database, nothing has changed.
  const copy = `${database}.restoring`
  try {
    // Of a restore that was killed: its log would become a part of this copy.
    removeCopy(copy)
    await writing(copy, () => copyPrivately(file, copy))
    await removeMoveMark(copy)
    let restored: Restored | undefined
    await withDatabase({ database: copy, shown: file, keys: keysFor(name) }, async (ctx) => {
      restored = await settle(ctx, settings)
    })
    await requireUnused(database).catch(rethrowFileError)
    const old = await writing(database, () => replaceDatabase(database, copy, commandClock.now()))
    if (restored) show(restored, settings, { old, isEarlier })
  } finally {
    removeCopy(copy)
  }
}

function removeCopy(copy: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(copy + suffix, { force: true })
}

/** The key file is named after the database, not after the copy. */
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
  if (settings.revocations === undefined) await confirmRevocable(ctx, settings)
  return settleRestored(ctx, revocations)
}

function readLog(file: string): Revocation[] {
  try {
    return readRevocations(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Failure(`Can't read ${quote(file)}. Check the path.`, exitCode.usage, { cause })
  }
}

/** Maximum number of lines per list. */
const maxShown = 20

/** Without a log, only a person can know what was revoked after the backup. */
async function confirmRevocable(ctx: ServiceContext, { yes }: Settings): Promise<void> {
  if (yes) return
  const { devices, hardwareTokens, passkeys, apiKeys, administrators, backupAt } = await whatMayBeRevoked(ctx)
  console.error(`After the restore these work again, even if they were revoked after ${dateOf(backupAt)}:`)
  list(
    'Device',
    devices.map(({ id, name, username, domain }) => `${shortId(id)}  ${name} of ${username} in ${domain}`),
  )
  list(
    'Hardware token',
    hardwareTokens.map(({ id, serialNumber, username }) => `${shortId(id)}  ${serialNumber} of ${username}`),
  )
  list(
    'Passkey',
    passkeys.map(({ id, name, rpId, username }) => `${shortId(id)}  ${name} of ${username} for ${rpId}`),
  )
  list(
    'API key',
    apiKeys.map(({ id, role, createdAt }) => `${shortId(id)}  ${role}, created ${dateOf(createdAt)}`),
  )
  list(
    'Administrator',
    administrators.map(({ id, name, email, role }) => `${shortId(id)}  ${name} (${email}), ${role}`),
  )
  await confirm('restore the backup and make all of these valid again', yes)
}

function list(heading: string, lines: readonly string[]): void {
  // People choose names of users and devices, which must not control the terminal.
  for (const line of lines.slice(0, maxShown)) console.error(`  ${heading}  ${printable(line)}`)
  if (lines.length > maxShown) console.error(`  and ${lines.length - maxShown} more`)
}

interface Replaced {
  /** The new path of the previous database, if there was one. */
  readonly old?: string | undefined
  /** Whether the backup had an earlier schema. */
  readonly isEarlier?: boolean
}

function show(
  { backupAt, applied, counterTokens }: Restored,
  { json, revocations }: Settings,
  { old, isEarlier = false }: Replaced = {},
): void {
  if (json) {
    const done = { backupAt, revocationsApplied: applied, counterTokens }
    return printJson({ ...done, replaced: old ?? null, upgraded: isEarlier })
  }
  printRows([
    ['Restored', `to ${dateOf(backupAt)}`],
    [
      'Revocations',
      revocations === undefined ? 'none applied, because --revocations was not set' : `${applied} applied again`,
    ],
    [
      'Invalidated',
      'pending sessions, bypass codes and activation codes; one-time codes work again in 3 to 20 minutes, after ten of their periods',
    ],
    ...(counterTokens > 0
      ? ([
          [
            'Refused',
            `${counterTokens} hardware token${counterTokens === 1 ? '' : 's'} with a counter (HOTP). With each in hand: second-factor hardware resynchronize`,
          ],
        ] as const)
      : []),
    ...(isEarlier
      ? ([
          ['Upgraded', 'for this version. To go back to an earlier version, restore the backup with that version'],
        ] as const)
      : []),
    ...(old === undefined ? [] : [['Previous', `kept as ${old}`] as const]),
  ])
}
