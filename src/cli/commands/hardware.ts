import type { Command } from 'commander'
import { Option } from 'commander'

import {
  assignHardwareToken,
  CodeAlgorithm,
  createHardwareToken,
  listHardwareTokens,
  parametersOf,
  releaseHardwareToken,
} from '../../contract/hardware.ts'
import type { CodeDigits, HardwareToken } from '../../contract/hardware.ts'
import { getUser } from '../../contract/users.ts'
import { deleteFreeToken } from '../../service/features/hardware/stock.ts'
import { hardwareView } from '../../service/features/hardware/view.ts'
import { hardwareTokensNamed } from '../../service/features/hardware/statements.ts'
import { readCounter, readDigits, readPeriod } from '../admin/code-options.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { codesText } from '../admin/codes-text.ts'
import { findUser, pick } from '../admin/find.ts'
import { allPages, serviceAction } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { Failure } from '../terminal/failure.ts'
import { printDone, printJson, printRows, printTable, quote } from '../terminal/print.ts'
import { confirm, yesOption } from '../terminal/prompt.ts'
import { readHex } from '../terminal/read-file.ts'
import { hardwareImportCommand } from './hardware-import.ts'
import { resynchronizeCommand } from './hardware-resynchronize.ts'

/** `second-factor hardware`. */
export function hardwareCommand(): Command {
  const commands = [
    createCommand(),
    hardwareImportCommand(),
    listCommand(),
    assignCommand(),
    releaseCommand(),
    resynchronizeCommand(),
    deleteCommand(),
  ]
  return groupCommand('hardware', 'manage hardware tokens, which display codes', commands, [
    'hardware import tokens.csv --dry-run',
    'hardware assign HW-3f2a91c0 alice',
  ])
}

interface Creating extends AdminSettings {
  readonly type?: HardwareToken['type']
  readonly timeStep?: '30' | '60'
  readonly algorithm?: CodeAlgorithm
  readonly digits?: CodeDigits
  readonly period?: number
  readonly counter?: number
  readonly seed: string
  readonly alias?: string
}

function createCommand(): Command {
  return adminCommand('create', 'add one hardware token', [
    'hardware create 2600215704919 --seed @seed.txt',
    "hardware create 2600215704920 --seed @seed.txt --algorithm SHA256 --digits 8 --period 60 --alias 'Door 3'",
  ])
    .argument('<serial>', 'serial number')
    .requiredOption('--seed <hex|@file>', '32 to 128 hexadecimal digits, or a file with them, which keeps them secret')
    .addOption(new Option('--algorithm <hash>', 'hash of the codes (default: SHA1)').choices(CodeAlgorithm.options))
    .addOption(new Option('--digits <number>', 'length of a code: 6, 7 or 8 (default: 6)').argParser(readDigits))
    .addOption(new Option('--period <seconds>', 'lifetime of a code, 15 to 120 (default: 30)').argParser(readPeriod))
    .addOption(
      new Option('--counter <number>', 'next counter of a counter-based token (HOTP), 0 for a new one').argParser(
        readCounter,
      ),
    )
    .addOption(new Option('--type <type>', 'length of a code in version 1.3').choices(['TOTP6', 'TOTP8']))
    .addOption(new Option('--time-step <seconds>', 'lifetime of a code in version 1.3').choices(['30', '60']))
    .option('--alias <name>', 'name of the token (default: HW- and the first 8 characters of its id)')
    .action(
      serviceAction(async ({ call }, serialNumber: string, settings: Creating) => {
        const { type, timeStep, algorithm, counter, alias } = settings
        const { digits = type ? undefined : 6, period = timeStep || counter !== undefined ? undefined : 30 } = settings
        const seed = await readHex(settings.seed, '--seed', (length) => length > 0)
        const body = {
          serialNumber,
          type,
          timeStep,
          algorithm,
          digits,
          period,
          counter,
          seed,
          ...(alias !== undefined && { alias }),
        }
        show(await call(createHardwareToken, { body }), settings)
      }),
    )
}

function listCommand(): Command {
  return adminCommand('list', 'list hardware tokens', 'hardware list').action(
    serviceAction(async (service, settings: AdminSettings) => {
      const tokens = await listTokens(service)
      if (settings.json) return printJson(tokens)
      const usernames = await usernamesOf(service, tokens)
      const rows = tokens.map((token) => [
        token.alias,
        token.serialNumber,
        codesOf(token),
        token.syncState,
        usernames.get(token.user) ?? 'none',
      ])
      printTable(['Alias', 'Serial', 'Codes', 'State', 'User'], rows, 'No hardware tokens yet.')
    }),
  )
}

function assignCommand(): Command {
  return adminCommand('assign', 'assign a hardware token to a user', [
    'hardware assign HW-3f2a91c0 alice',
    'hardware assign 2600215704919 alice --json',
  ])
    .argument('<token>', 'alias, serial number or id')
    .argument('<user>', 'username or id')
    .action(
      serviceAction(async (service, aliasOrId: string, username: string, settings: AdminSettings) => {
        const [token, user] = [await findToken(service, aliasOrId), await findUser(service, username)]
        await service.call(assignHardwareToken, { params: { userId: user.id, hardwareTokenId: token.id } })
        const done = { hardware: token.id, user: user.id }
        printDone(settings, done, `Assigned ${quote(token.alias)} to ${quote(user.username)}.`)
      }),
    )
}

function releaseCommand(): Command {
  return adminCommand('release', 'unassign the hardware token of a user', 'hardware release alice')
    .argument('<user>', 'username or id')
    .action(
      serviceAction(async (service, username: string, settings: AdminSettings) => {
        const user = await findUser(service, username)
        await service.call(releaseHardwareToken, { params: { userId: user.id } })
        printDone(settings, { user: user.id }, `${quote(user.username)} no longer has a hardware token.`)
      }),
    )
}

function deleteCommand(): Command {
  return adminCommand('delete', 'delete a hardware token that belongs to no one', [
    'hardware delete HW-3f2a91c0',
    'hardware delete 2600215704919 --yes --json',
  ])
    .argument('<token>', 'alias, serial number or id')
    .option(...yesOption)
    .action(
      serviceAction(async (service, aliasOrId: string, settings: AdminSettings & { yes?: boolean }) => {
        const token = await findToken(service, aliasOrId)
        if (token.user !== '') throw await assignedFailure(service, token)
        await confirm(`delete the hardware token ${quote(token.alias)} (${quote(token.serialNumber)})`, settings.yes)
        await deleteFreeToken(service.caller, token.id)
        printDone(settings, { hardware: token.id }, `Deleted ${quote(token.alias)}.`)
      }),
    )
}

/** Printed before the administrator has to confirm. The deletion itself checks again. */
async function assignedFailure(service: LocalService, token: HardwareToken): Promise<Failure> {
  const name = (await usernamesOf(service, [token])).get(token.user) ?? token.user
  return new Failure(
    `${quote(token.alias)} belongs to ${quote(name)}. Take it away first: second-factor hardware release`,
  )
}

const listTokens = ({ call }: LocalService): Promise<HardwareToken[]> =>
  allPages((page) => call(listHardwareTokens, { query: { page } }))

async function findToken(service: LocalService, aliasOrId: string): Promise<HardwareToken> {
  const tokens = await hardwareTokensNamed(service.ctx.store.db, service.organization.id, aliasOrId)
  return pick(tokens.map(hardwareView), aliasOrId, {
    noun: 'hardware',
    names: ({ alias, serialNumber, id }) => [alias, serialNumber, id],
    show: ({ alias, id }) => `${quote(alias)} (${id})`,
  })
}

async function usernamesOf({ call }: LocalService, tokens: readonly HardwareToken[]): Promise<Map<string, string>> {
  const ids = new Set(tokens.map(({ user }) => user).filter((id) => id !== ''))
  const names = new Map<string, string>()
  for (const userId of ids) names.set(userId, (await call(getUser, { params: { userId } })).username)
  return names
}

const codesOf = (token: HardwareToken): string => codesText(parametersOf({ ...token, timeStep: undefined }))

function show(token: HardwareToken, { json }: AdminSettings): void {
  if (json) return printJson(token)
  printRows([
    ['Alias', token.alias],
    ['Id', token.id],
    ['Serial', token.serialNumber],
    ['Codes', codesOf(token)],
    ['State', token.syncState],
  ])
}
