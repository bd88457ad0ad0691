import { Command } from 'commander'

import type { Account } from '../../device/account.ts'
import { createDevice, type Device } from '../../device/device.ts'
import { activate, type ActivateSettings } from '../device/activate.ts'
import { numberFor, sendAnswer } from '../device/answer.ts'
import { code } from '../device/code.ts'
import { exitCodesHelp } from '../device/exit-codes.ts'
import { ending } from '../device/failure.ts'
import { list } from '../device/list.ts'
import { choose, readPending } from '../device/pending.ts'
import { readAccounts, saveAccounts } from '../device/state-file.ts'
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
    'code --json',
  ])
    .option('--json', 'as JSON')
    .action(
      ending(async ({ state, json }: StateOption & { json?: boolean }) =>
        code(await readAccounts(state), json ?? false),
      ),
    )
}

function approveCommand(): Command {
  return subcommand('approve', 'approve a pending sign-in', ['approve --number 47', 'approve 3f2a91 --number 47'])
    .argument('[session]', 'its id or the beginning of it; without, the only one that is pending')
    .option('--number <number>', 'the number that the web page shows')
    .action(
      ending((session: string | undefined, { state, number }: StateOption & { number?: string }) =>
        withAccounts(state, async (device, accounts) => {
          const pending = choose(await readPending(device, accounts), session)
          await sendAnswer(device, pending, 'approve', await numberFor(pending, number, state))
        }),
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
  return subcommand('watch', 'print each request as it arrives, until Ctrl+C', ['watch', 'watch --approve'])
    .option('--approve', 'approve by itself what needs no number; ask for the number where one is needed')
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
    if (learnt.length > 0) await saveAccounts(state, learnt)
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
