import { Command, InvalidArgumentError, Option } from 'commander'

import type { Account } from '../../device/account.ts'
import { createDevice, type Device } from '../../device/device.ts'
import { activate, type ActivateSettings } from '../device/activate.ts'
import { yesOption } from '../admin/confirm.ts'
import { sendAnswer } from '../device/answer.ts'
import { approve as approvePending, type ApproveSettings } from '../device/approve.ts'
import { chooseAccount } from '../device/choose-account.ts'
import { code, type CodeSettings } from '../device/code.ts'
import { exitCodesHelp } from '../device/exit-codes.ts'
import { ending } from '../device/failure.ts'
import { history, type HistorySettings } from '../device/history.ts'
import { list } from '../device/list.ts'
import { choose, readPending } from '../device/pending.ts'
import { pinOption } from '../device/pin.ts'
import { remove, type RemoveSettings } from '../device/remove.ts'
import { rename } from '../device/rename.ts'
import { readAccounts, saveOffsets } from '../device/state-file.ts'
import { watch } from '../device/watch.ts'

interface StateOption {
  readonly state: string
}

/** The authenticator for the terminal. */
export function deviceCommand(): Command {
  const command = new Command('device')
    .description('approve sign-ins from this terminal')
    .addHelpText('after', examples('activate --url https://mfa.example --code k3v9…', 'watch') + exitCodesHelp)
  command.addCommand(activateCommand())
  command.addCommand(listCommand())
  command.addCommand(codeCommand())
  command.addCommand(approveCommand())
  command.addCommand(answerCommand('deny', 'deny a pending sign-in', 'denies the only one that is pending'))
  command.addCommand(answerCommand('report', 'deny a pending sign-in that is not yours', 'reports the only one'))
  command.addCommand(watchCommand())
  command.addCommand(historyCommand())
  command.addCommand(renameCommand())
  command.addCommand(removeCommand())
  return command
}

function activateCommand(): Command {
  return subcommand('activate', 'add an account with its activation code', [
    'activate --url http://localhost:3000/mfa --code k3v9m2p7qx',
    "activate --url 'https://mfa.example/authenticator/#code=k3v9m2p7qx' --name 'Build server'",
  ])
    .requiredOption('--url <url>', "the service's address, or a whole activation link")
    .option('--code <code>', 'the activation code, unless the link carries it')
    .option('--name <name>', 'what to call this device (default: "Terminal on" and the name of the machine)')
    .option(...pinOption)
    .option('--yes', 'add the account without being asked')
    .option('--allow-insecure-http', 'send the code over http to another machine, where anybody on the way can read it')
    .action(ending((settings: ActivateSettings) => activate(newDevice(), settings)))
}

function listCommand(): Command {
  return subcommand('list', 'list accounts and what is pending', ['list', 'list --json'])
    .option('--json', 'as JSON')
    .action(
      ending(({ state, json }: StateOption & { json?: boolean }) =>
        withAccounts(state, (device, accounts) => list(device, accounts, json ?? false)),
      ),
    )
}

function codeCommand(): Command {
  return subcommand('code', 'show the offline code of each account, to be typed where approving does not work', [
    'code',
    'code work --json',
  ])
    .argument(...accountArgument)
    .option(...pinOption)
    .option('--json', 'as JSON')
    .action(
      ending(async (named: string | undefined, { state, ...settings }: StateOption & CodeSettings) => {
        const accounts = await readAccounts(state)
        await code(named === undefined ? accounts : [chooseAccount(accounts, named)], settings)
      }),
    )
}

function historyCommand(): Command {
  return subcommand('history', 'show what this device answered in the last 90 days', [
    'history',
    'history work --limit 200 --json',
  ])
    .argument(...accountArgument)
    .addOption(new Option('--limit <count>', 'at most so many of each account').default(20).argParser(readCount))
    .option('--json', 'as JSON')
    .action(
      ending((named: string | undefined, { state, limit, json = false }: StateOption & Partial<HistorySettings>) =>
        withAccounts(state, (device, accounts) =>
          history(device, named === undefined ? accounts : [chooseAccount(accounts, named)], {
            limit: limit ?? 20,
            json,
          }),
        ),
      ),
    )
}

function renameCommand(): Command {
  return subcommand('rename', 'give an account another name in this file', ['rename Wiki Work', "rename Work ''"])
    .argument('<account>', accountArgument[1])
    .argument('<name>', 'the new name; an empty one takes it away')
    .action(
      ending(async (named: string, name: string, { state }: StateOption) =>
        rename(state, chooseAccount(await readAccounts(state), named), name),
      ),
    )
}

function removeCommand(): Command {
  return subcommand('remove', 'remove an account, here and at its service', ['remove Wiki', 'remove Work --yes'])
    .argument('<account>', accountArgument[1])
    .option(...yesOption)
    .action(
      ending((named: string, settings: RemoveSettings) =>
        withAccounts(settings.state, (device, accounts) => remove(device, chooseAccount(accounts, named), settings)),
      ),
    )
}

const accountArgument = ['[account]', 'its name, its domain, its user, or the beginning of its id'] as const

function readCount(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It is a number from 1 to 99999.')
}

function approveCommand(): Command {
  return subcommand('approve', 'approve a pending sign-in', ['approve --number 47', 'approve 3f2a91 --number 47'])
    .argument('[session]', 'its id or the beginning of it; without, the only one that is pending')
    .option('--number <number>', 'the number that the web page shows')
    .option(...pinOption)
    .action(
      ending((session: string | undefined, settings: ApproveSettings) =>
        withAccounts(settings.state, async (device, accounts) =>
          approvePending(device, choose(await readPending(device, accounts), session), settings),
        ),
      ),
    )
}

function answerCommand(decision: 'deny' | 'report', description: string, without: string): Command {
  return subcommand(decision, description, [decision, `${decision} 3f2a91`])
    .argument('[session]', `its id or the beginning of it; without, ${without}`)
    .action(
      ending((session: string | undefined, { state }: StateOption) =>
        withAccounts(state, async (device, accounts) => {
          await sendAnswer(device, choose(await readPending(device, accounts), session), decision)
        }),
      ),
    )
}

function watchCommand(): Command {
  return subcommand('watch', 'show requests as they arrive, until Ctrl+C; on a terminal a list with keys to answer', [
    'watch',
    'watch --approve',
  ])
    .option('--approve', 'approve by itself what needs neither number nor PIN; print the command for the rest')
    .action(
      ending(({ state, approve }: StateOption & { approve?: boolean }) =>
        withAccounts(state, (device, accounts) =>
          untilStopped((signal) => watch(device, accounts, { state, approve: approve ?? false, signal })),
        ),
      ),
    )
}

function subcommand(name: string, description: string, shown: readonly [string, string]): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--state <file>', 'where accounts and their keys are kept; for nobody else to read')
    .addHelpText('after', examples(...shown) + exitCodesHelp)
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ second-factor device ${line} --state device.json`).join('\n')}\n`
}

// A key that is kept in a file has to be read out once to get there.
const newDevice = (): Device => createDevice({ extractableKeys: true })

async function withAccounts(
  state: string,
  action: (device: Device, accounts: readonly Account[]) => Promise<void>,
): Promise<void> {
  const accounts = await readAccounts(state)
  const before = new Map(accounts.map(({ id, clockOffset }) => [id, clockOffset]))
  try {
    await action(newDevice(), accounts)
  } finally {
    const learnt = accounts.filter(({ id, clockOffset }) => before.get(id) !== clockOffset)
    if (learnt.length > 0) await saveOffsets(state, learnt)
  }
}

/** Runs until it ends by itself or the person or the system says stop. */
async function untilStopped(action: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  // Between two tries nothing else keeps the process alive.
  const alive = setInterval(() => {}, 60_000)
  try {
    await action(stop.signal)
  } finally {
    clearInterval(alive)
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}
