import { Command, Option } from 'commander'

import type { Account } from '../../device/account.ts'
import { createDevice, type Device } from '../../device/device.ts'
import { chooseAccount, remove, renameAccount } from '../device/accounts.ts'
import type { RemoveSettings } from '../device/accounts.ts'
import { activate } from '../device/activate.ts'
import type { ActivateSettings } from '../device/activate.ts'
import { approve as approvePending, sendAnswer } from '../device/answer.ts'
import type { ApproveSettings } from '../device/answer.ts'
import { approveAction, sendActionAnswer } from '../device/answer-action.ts'
import { listBlocks, unblock } from '../device/blocks.ts'
import { code } from '../device/code.ts'
import type { CodeSettings } from '../device/code.ts'
import { history } from '../device/history.ts'
import type { HistorySettings } from '../device/history.ts'
import { list } from '../device/list.ts'
import { choose, readInbox } from '../device/pending.ts'
import { pinOption } from '../device/pin.ts'
import { readAccounts, saveOffsets } from '../device/state-file.ts'
import { watch } from '../device/watch.ts'
import { yesOption } from '../terminal/prompt.ts'
import { deviceAction } from '../device/problems.ts'
import { integer } from '../terminal/parse.ts'

interface StateSettings {
  readonly state: string
}

/** The authenticator for the terminal. */
export function deviceCommand(): Command {
  const command = new Command('device')
    .description('approve sign-ins and actions from this terminal')
    .addHelpText('after', examples('activate --url https://mfa.example --code k3v9…', 'watch') + exitCodesHelp)
  command.addCommand(activateCommand())
  command.addCommand(listCommand())
  command.addCommand(codeCommand())
  command.addCommand(approveCommand())
  command.addCommand(answerCommand('deny', 'deny a pending sign-in or action'))
  command.addCommand(answerCommand('report', 'deny a pending sign-in or action and report that you did not ask for it'))
  command.addCommand(watchCommand())
  command.addCommand(historyCommand())
  command.addCommand(blocksCommand())
  command.addCommand(unblockCommand())
  command.addCommand(renameCommand())
  command.addCommand(removeCommand())
  return command
}

function activateCommand(): Command {
  return subcommand('activate', 'add an account with its activation code', [
    'activate --url http://localhost:3000/mfa --code k3v9m2p7qx',
    "activate --url 'https://mfa.example/authenticator/#code=k3v9m2p7qx' --name 'Build server'",
  ])
    .requiredOption('--url <url>', 'address of the service, or a whole activation link')
    .option('--code <code>', 'activation code, if --url is not an activation link')
    .option('--name <name>', 'name of this device (default: "Terminal on" and the name of the machine)')
    .option(...pinOption)
    .option('--yes', 'skip the confirmation prompt')
    .option('--allow-insecure-http', 'allow http to another machine; others on the network can then read the code')
    .action(deviceAction((settings: ActivateSettings) => activate(newDevice(), settings)))
}

function listCommand(): Command {
  return subcommand('list', 'list accounts, pending sign-ins, actions and notices', ['list', 'list --json'])
    .option('--json', 'print JSON')
    .action(
      deviceAction(({ state, json }: StateSettings & { json?: boolean }) =>
        withAccounts(state, (device, accounts) => list(device, accounts, json ?? false)),
      ),
    )
}

function codeCommand(): Command {
  return subcommand('code', 'show the offline code of each account, to type when approving is not possible', [
    'code',
    'code work --json',
  ])
    .argument(...accountArgument)
    .option(...pinOption)
    .option('--json', 'print JSON')
    .action(
      deviceAction(async (accountName: string | undefined, { state, ...settings }: StateSettings & CodeSettings) => {
        const accounts = await readAccounts(state)
        await code(accountName === undefined ? accounts : [chooseAccount(accounts, accountName)], settings)
      }),
    )
}

function historyCommand(): Command {
  return subcommand('history', 'show the answers of this device in the last 90 days', [
    'history',
    'history work --limit 200 --json',
  ])
    .argument(...accountArgument)
    .addOption(new Option('--limit <count>', 'maximum number per account').default(20).argParser(integer(1, 99_999)))
    .option('--json', 'print JSON')
    .action(
      deviceAction(
        (accountName: string | undefined, { state, limit, json = false }: StateSettings & Partial<HistorySettings>) =>
          withAccounts(state, (device, accounts) =>
            history(device, accountName === undefined ? accounts : [chooseAccount(accounts, accountName)], {
              limit: limit ?? 20,
              json,
            }),
          ),
      ),
    )
}

function renameCommand(): Command {
  return subcommand('rename', 'rename an account in this file', ['rename Wiki Work', "rename Work ''"])
    .argument('<account>', accountArgument[1])
    .argument('<name>', 'new name; an empty name removes it')
    .action(
      deviceAction(async (accountName: string, name: string, { state }: StateSettings) =>
        renameAccount(state, chooseAccount(await readAccounts(state), accountName), name),
      ),
    )
}

function removeCommand(): Command {
  return subcommand('remove', 'remove an account from this file and from its service', [
    'remove Wiki',
    'remove Work --yes',
  ])
    .argument('<account>', accountArgument[1])
    .option(...yesOption)
    .action(
      deviceAction((accountName: string, settings: RemoveSettings) =>
        withAccounts(settings.state, (device, accounts) =>
          remove(device, chooseAccount(accounts, accountName), settings),
        ),
      ),
    )
}

const pendingArgument = [
  '[id]',
  'its id, or the beginning of it; needed for an action, or if several are pending',
] as const

const accountArgument = ['[account]', 'label, domain or username of the account, or the beginning of its id'] as const

function approveCommand(): Command {
  return subcommand('approve', 'approve a pending sign-in or action', ['approve --number 47', 'approve 3f2a91c04d7e'])
    .argument(...pendingArgument)
    .option('--number <number>', 'number shown on the web page, or the text of its QR code')
    .option('--keep-browser', 'keep the new browser: only if it is your own')
    .option(...pinOption)
    .action(
      deviceAction((id: string | undefined, settings: ApproveSettings) =>
        withAccounts(settings.state, async (device, accounts) => {
          const pending = choose(await readInbox(device, accounts), id)
          if ('approval' in pending) await approveAction(device, pending, { ...settings, id: id ?? '' })
          else await approvePending(device, pending, settings)
        }),
      ),
    )
}

function answerCommand(decision: 'deny' | 'report', description: string): Command {
  return subcommand(decision, description, [decision, `${decision} 3f2a91`])
    .argument(...pendingArgument)
    .action(
      deviceAction((id: string | undefined, { state }: StateSettings) =>
        withAccounts(state, async (device, accounts) => {
          const pending = choose(await readInbox(device, accounts), id)
          if ('approval' in pending) await sendActionAnswer(device, pending, decision, { state })
          else await sendAnswer(device, pending, decision)
        }),
      ),
    )
}

function blocksCommand(): Command {
  return subcommand('blocks', 'list requesters that you reported, who cannot ask you for 24 hours', [
    'blocks',
    'blocks --json',
  ])
    .option('--json', 'print JSON')
    .action(
      deviceAction(({ state, json }: StateSettings & { json?: boolean }) =>
        withAccounts(state, (device, accounts) => listBlocks(device, accounts, json ?? false)),
      ),
    )
}

function unblockCommand(): Command {
  return subcommand('unblock', 'allow a blocked requester to ask again', ['unblock 3f2a91', 'unblock 3f2a91c04d7e'])
    .argument('<block>', 'id of the block, or the beginning of it')
    .action(
      deviceAction((id: string, { state }: StateSettings) =>
        withAccounts(state, (device, accounts) => unblock(device, accounts, id)),
      ),
    )
}

function watchCommand(): Command {
  return subcommand(
    'watch',
    'show sign-ins and actions as they arrive, until Ctrl+C; at a terminal, ask how to answer',
    ['watch', 'watch --approve'],
  )
    .option('--approve', 'approve sign-ins that need neither number nor PIN; print the command for others')
    .action(
      deviceAction(({ state, approve }: StateSettings & { approve?: boolean }) =>
        withAccounts(state, (device, accounts) =>
          untilStopped((signal) => watch(device, accounts, { state, approve: approve ?? false, signal })),
        ),
      ),
    )
}

const exitCodesHelp = `
Exit codes:
  0  done
  1  failed, rejected by the service, or not approved
  2  usage error, or an id or number must be specified
  3  no request is pending`

function subcommand(name: string, description: string, example: readonly [string, string]): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--state <file>', 'file with accounts and their keys; keep it secret')
    .addHelpText('after', examples(...example) + exitCodesHelp)
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ second-factor device ${line} --state device.json`).join('\n')}\n`
}

// Keys must be extractable to be saved in a file.
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
    const changed = accounts.filter(({ id, clockOffset }) => before.get(id) !== clockOffset)
    if (changed.length > 0) await saveOffsets(state, changed)
  }
}

/** Runs an action until it ends, or until SIGINT or SIGTERM. */
async function untilStopped(action: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  // Between two attempts to connect nothing else keeps the process alive.
  const keepAlive = setInterval(() => {}, 60_000)
  try {
    await action(stop.signal)
  } finally {
    clearInterval(keepAlive)
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}
