import type { Command } from 'commander'

import { RefusalError } from '../../service/engine/base/errors.ts'
import { addKey, removeKey } from '../../service/engine/secrets/edit-key-file.ts'
import { keyStatus } from '../../service/upkeep/key-status.ts'
import { rotateKeys } from '../../service/upkeep/rotation.ts'
import type { Waiting } from '../../service/upkeep/rotation.ts'
import type { ServiceContext } from '../../service/engine/context/service-context.ts'
import { databaseCommand, databaseOption, groupCommand } from '../admin/command.ts'
import type { Examples } from '../admin/command.ts'
import { codeOf, reasonFor } from '../database/failures.ts'
import { withDatabase } from '../database/open.ts'
import { commandOf, exitCode, Failure, withErrorHandling } from '../terminal/failure.ts'
import { invocation, shellWord } from '../terminal/invocation.ts'
import { counted, dateOf, printDone, printJson, printTable, quote, yesOrNo } from '../terminal/print.ts'
import { createProgress } from '../terminal/progress.ts'
import { readWholeFile } from '../terminal/read-file.ts'

/** `second-factor keys`. */
export function keysCommand(): Command {
  return groupCommand(
    'keys',
    'manage the keys that encrypt secrets in the database',
    [statusCommand(), addCommand(), rotateCommand(), removeCommand()],
    ['keys add --database mfa.sqlite', 'keys rotate --database mfa.sqlite'],
  )
}

interface Settings {
  readonly database: string
  readonly keys?: string
  readonly json?: boolean
}

function keyCommand(name: string, description: string, examples: Examples): Command {
  return databaseCommand(name, description, examples, databaseOption('path of the database, or a postgres:// URL'))
    .option('--keys <@file>', 'file with keys as id:base64, one per line; the first encrypts (default: MFA_KEYS)')
    .option('--json', 'print JSON')
}

function statusCommand(): Command {
  return keyCommand('status', 'show which keys are in use and which nodes have them', 'keys status').action(
    keysAction(async (ctx, settings: Settings) => {
      const status = await keyStatus(ctx)
      if (settings.json) return printJson(status)
      printTable(
        ['Key', 'Available', 'In use', 'Values', 'E-mailed codes'],
        status.keys.map(({ id, present, first, inUse, values, emailCodes }) => [
          id,
          present ? (first ? 'first' : 'yes') : 'no',
          yesOrNo(inUse),
          String(values),
          String(emailCodes),
        ]),
        'No keys.',
      )
      console.log('')
      printTable(
        ['Node', 'Keys', 'Encrypts with', 'Last seen'],
        status.nodes.map(({ name, keys, writesWith, seenAt }) => [
          name,
          keys.join(', '),
          writesWith ?? '-',
          dateOf(seenAt),
        ]),
        'No nodes are running.',
      )
    }),
  )
}

function addCommand(): Command {
  return keyCommand(
    'add',
    'add a new key as the first of the key file; running services reload the file',
    'keys add',
  ).action(
    keysAction(async ({ keys, random }, settings: Settings) => {
      const file = requireFile(keys.file)
      const id = await changing(file, () => addKey(file, random))
      const next = `Back up ${file} again, then run: ${invocation()} keys rotate --database ${shellWord(settings.database)}`
      printDone(settings, { key: id, file }, `${quote(id)} is now the first key. ${next}`)
    }),
  )
}

function rotateCommand(): Command {
  return keyCommand(
    'rotate',
    're-encrypt everything with the first key while services run; resumes after an interruption',
    ['keys rotate', 'keys rotate --database postgres://mfa@db/mfa --keys @keys.txt --json'],
  ).action(
    keysAction(async (ctx, settings: Settings) => {
      const progress = createProgress()
      const waiting = reportOnce((reason: Waiting) => {
        progress.end()
        console.error(describe(reason))
      })
      const done = await rotateKeys(ctx, { progress: progress.update, waiting }).finally(progress.end)
      if (settings.json) return printJson(done)
      console.log(`Everything is encrypted with ${quote(done.key)}; re-encrypted ${counted(done.resealed, 'value')}.`)
      if (done.retired.length > 0) {
        const verb = done.retired.length === 1 ? 'is' : 'are'
        console.log(`${done.retired.map(quote).join(', ')} ${verb} no longer needed, except for older backups.`)
      }
    }),
  )
}

function removeCommand(): Command {
  return keyCommand('remove', 'remove a key that encrypts nothing from the key file', 'keys remove k1')
    .argument('<id>', 'id of the key')
    .action(
      keysAction(async (ctx, id: string, settings: Settings) => {
        const file = requireFile(ctx.keys.file)
        const key = (await keyStatus(ctx)).keys.find((candidate) => candidate.id === id)
        if (!key?.present) throw new RefusalError(`No key ${quote(id)} in ${file}.`)
        if (key.first || key.inUse || key.values + key.emailCodes > 0) {
          throw new RefusalError(`The key ${quote(id)} is in use. Add another key and rotate first.`)
        }
        await changing(file, () => removeKey(file, id))
        printDone(
          settings,
          { removed: id },
          `Removed ${quote(id)} from ${file}. Older backups of the database still need it: keep the copies of the file that have it.`,
        )
      }),
    )
}

/** Wraps an action that gets the service, opened with the keys of `--keys`. */
function keysAction<A extends unknown[]>(action: (ctx: ServiceContext, ...args: A) => Promise<void>) {
  return withErrorHandling(async (...args: A) => {
    const { database, keys } = commandOf(args).opts<Settings>()
    await withDatabase({ database, keys: keys === undefined ? undefined : await readKeys(keys) }, (ctx) =>
      action(ctx, ...args),
    )
  })
}

/** Bytes. */
const maxKeysBytes = 16 * 1024

async function readKeys(value: string): Promise<string> {
  // Every user of the machine can read a command line.
  if (!value.startsWith('@'))
    throw new Failure('--keys: expected a file, written as @FILE. See --help.', exitCode.usage)
  return (await readWholeFile(value.slice(1), maxKeysBytes)).toString('utf8').split('\n').join(',')
}

function requireFile(file: string | undefined): string {
  if (file !== undefined) return file
  throw new Failure(
    'The keys do not come from a key file. Change them where they are set. See docs/keys.md',
    exitCode.usage,
  )
}

async function changing<T>(file: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (cause) {
    if (codeOf(cause) === '') throw cause
    throw new Failure(`Can't change ${file}: ${reasonFor(file, cause)}`, undefined, { cause })
  }
}

function describe(reason: Waiting): string {
  if (reason.for === 'nodes') {
    return `Waiting until these nodes have the first key or have stopped: ${reason.nodes.map(quote).join(', ')}`
  }
  if (reason.for === 'writers') {
    return `Waiting for nodes that may still write with another key: ${reason.nodes.map(quote).join(', ')}`
  }
  return `Waiting up to 10 minutes until e-mailed codes expire: ${reason.count}`
}

/** The reason is reported every second, but printed only when it changes. */
function reportOnce(report: (reason: Waiting) => void): (reason: Waiting) => void {
  let last = ''
  return (reason) => {
    const reasonText = reason.for === 'email codes' ? reason.for : describe(reason)
    if (reasonText !== last) report(reason)
    last = reasonText
  }
}
