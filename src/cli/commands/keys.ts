import { Command } from 'commander'

import { RefusalError } from '../../service/admin/refusal.ts'
import { addKey, removeKey } from '../../service/keys/edit-key-file.ts'
import { keyStatus } from '../../service/keys/key-status.ts'
import { rotateKeys } from '../../service/keys/rotation.ts'
import type { Waiting } from '../../service/keys/rotation.ts'
import type { ServiceContext } from '../../service/context/service-context.ts'
import { databaseOption, groupCommand } from '../admin/command.ts'
import { withContext } from '../admin/local-service.ts'
import { dateOf, printDone, printJson, printTable, quote, yesOrNo } from '../admin/print.ts'
import { createProgress } from '../admin/progress.ts'
import { readInput } from '../admin/read-input.ts'
import { exitCode } from '../device/exit-codes.ts'
import { ending, Failure } from '../device/failure.ts'

/** What secrets in the database are encrypted with. */
export function keysCommand(): Command {
  return groupCommand(
    'keys',
    'manage the keys that secrets in the database are encrypted with',
    [statusCommand(), addCommand(), rotateCommand(), removeCommand()],
    ['keys add --database mfa.sqlite', 'keys rotate --database mfa.sqlite'],
  )
}

interface Settings {
  readonly database: string
  readonly keys?: string
  readonly json?: boolean
}

function keyCommand(name: string, description: string, examples: readonly [string, string]): Command {
  return new Command(name)
    .description(description)
    .addOption(databaseOption('path of the database, or a postgres:// URL'))
    .option('--keys <@file>', 'the keys, in a file: id:base64, one a line, the first for writing (default: MFA_KEYS)')
    .option('--json', 'as JSON')
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ second-factor ${example}`).join('\n')}`)
}

function statusCommand(): Command {
  return keyCommand('status', 'show which keys are in use, and which nodes have them', [
    'keys status --database mfa.sqlite',
    'keys status --database mfa.sqlite --json',
  ]).action(
    ending((settings: Settings) =>
      withKeys(settings, async (ctx) => {
        const status = await keyStatus(ctx)
        if (settings.json) return printJson(status)
        printTable(
          ['Key', 'Here', 'In use', 'Values', 'E-mailed codes'],
          status.keys.map(({ id, present, first, inUse, values, emailCodes }) => [
            id,
            present ? (first ? 'first' : 'yes') : 'no',
            yesOrNo(inUse),
            String(values),
            String(emailCodes),
          ]),
          'There is no key.',
        )
        console.log('')
        printTable(
          ['Node', 'Keys', 'Writes with', 'Seen'],
          status.nodes.map(({ name, keys, writesWith, seenAt }) => [
            name,
            keys.join(', '),
            writesWith ?? '-',
            dateOf(seenAt),
          ]),
          'No node is running.',
        )
      }),
    ),
  )
}

function addCommand(): Command {
  return keyCommand('add', 'put a new key first in the key file; services that run take it up by themselves', [
    'keys add --database mfa.sqlite',
    'keys add --database mfa.sqlite --json',
  ]).action(
    ending((settings: Settings) =>
      withKeys(settings, async ({ keys, random }) => {
        const file = needFile(keys.file)
        const id = await addKey(file, random)
        const next = `Back ${file} up again, then: second-factor keys rotate --database ${settings.database}`
        printDone(settings, { key: id, file }, `${quote(id)} is the first key now. ${next}`)
      }),
    ),
  )
}

function rotateCommand(): Command {
  return keyCommand('rotate', 'encrypt everything with the first key, while services run; go on where it broke off', [
    'keys rotate --database mfa.sqlite',
    'keys rotate --database postgres://mfa@db/mfa --keys @keys.txt --json',
  ]).action(
    ending((settings: Settings) =>
      withKeys(settings, async (ctx) => {
        const progress = createProgress()
        const waiting = sayOnce((reason: Waiting) => {
          progress.end()
          console.error(sentenceOf(reason))
        })
        const done = await rotateKeys(ctx, { progress: progress.update, waiting }).finally(progress.end)
        if (settings.json) return printJson(done)
        console.log(`Everything is encrypted with ${quote(done.key)}: ${done.resealed} anew.`)
        if (done.retired.length > 0) {
          console.log(`Nothing needs ${done.retired.map(quote).join(', ')} any more, save older backups.`)
        }
      }),
    ),
  )
}

function removeCommand(): Command {
  return keyCommand('remove', 'take a key out of the key file, when nothing is encrypted with it', [
    'keys remove k1 --database mfa.sqlite',
    'keys remove k1 --database mfa.sqlite --json',
  ])
    .argument('<id>', 'of the key')
    .action(
      ending((id: string, settings: Settings) =>
        withKeys(settings, async (ctx) => {
          const file = needFile(ctx.keys.file)
          const key = (await keyStatus(ctx)).keys.find((one) => one.id === id)
          if (!key?.present) throw new RefusalError(`There is no key ${quote(id)} in ${file}.`)
          if (key.first || key.inUse || key.values + key.emailCodes > 0) {
            throw new RefusalError(`The key ${quote(id)} is in use. Add another one and rotate first.`)
          }
          await removeKey(file, id, ctx.random)
          printDone(settings, { removed: id }, `${quote(id)} is removed. Older backups of the database need it still.`)
        }),
      ),
    )
}

async function withKeys({ database, keys }: Settings, action: (ctx: ServiceContext) => Promise<void>): Promise<void> {
  await withContext({ database, keys: keys === undefined ? undefined : await readKeys(keys) }, action)
}

/** More than anybody has keys, bytes. */
const keysLimit = 16 * 1024

async function readKeys(given: string): Promise<string> {
  // On the command line every user of the machine could read them.
  if (!given.startsWith('@')) throw new Failure('--keys names a file: --keys @FILE. See --help.', exitCode.usage)
  return (await readInput(given.slice(1), keysLimit)).toString('utf8').split('\n').join(',')
}

function needFile(file: string | undefined): string {
  if (file !== undefined) return file
  throw new Failure(
    'The keys are given, not in a key file: change them where they come from. See docs/keys.md',
    exitCode.usage,
  )
}

function sentenceOf(reason: Waiting): string {
  if (reason.for === 'nodes') {
    return `Waiting until these nodes have the first key, or have stopped: ${reason.nodes.map(quote).join(', ')}`
  }
  if (reason.for === 'writers') {
    return `Waiting for nodes that may still write with another key: ${reason.nodes.map(quote).join(', ')}`
  }
  return `Waiting for e-mailed codes to lapse, 10 minutes at most: ${reason.count}`
}

/** Each second it says why it waits; people want to read it once. */
function sayOnce(say: (reason: Waiting) => void): (reason: Waiting) => void {
  let last = ''
  return (reason) => {
    const present = reason.for === 'email codes' ? reason.for : sentenceOf(reason)
    if (present !== last) say(reason)
    last = present
  }
}
