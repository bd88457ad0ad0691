import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'

import { createBypassCode, deleteBypassCode, deleteBypassCodes, listBypassCodes } from '../../contract/bypass-codes.ts'
import type { BypassCode } from '../../contract/bypass-codes.ts'
import type { User } from '../../contract/users.ts'
import { listDomains } from '../../service/features/domains/administration.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findUser, pick } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { printDone, printJson, printRows, printTable, quote } from '../terminal/print.ts'
import { confirm, yesOption } from '../terminal/prompt.ts'
import { integer, parseDuration } from '../terminal/parse.ts'

/** `second-factor bypass`. Bypass codes are what people know as recovery codes. */
export function bypassCommand(): Command {
  return groupCommand(
    'bypass',
    'manage bypass codes, for users who cannot use their device',
    [createCommand(), listCommand(), deleteCommand()],
    ['bypass create alice --uses 1 --expires 12h', 'bypass delete alice'],
  )
}

interface Creating extends AdminSettings {
  readonly uses: number
  readonly expires: number
}

function createCommand(): Command {
  return adminCommand('create', 'create a bypass code; a user can have 5', [
    'bypass create alice',
    'bypass create alice --uses 5 --expires 7d --json',
  ])
    .argument('<user>', 'username or id')
    .option('--uses <times>', 'how many times the code works: 1 to 1000', integer(), 1)
    .option(
      '--expires <duration>',
      'lifetime: minutes, or a duration such as 90m, 12h or 7d, up to a year; or never',
      parseMinutes,
      1440,
    )
    .action(
      serviceAction(async (service, nameOrId: string, settings: Creating) => {
        const user = await findUser(service, nameOrId)
        const body = { usesAllowed: settings.uses, expirationTime: settings.expires }
        const code = await service.call(createBypassCode, { params: { userId: user.id }, body })
        if (settings.json) return printJson(code)
        printRows([
          ['User', user.username],
          ['Bypass code', code.code ?? 'not shown'],
          ['Works', code.usesAllowed === 1 ? 'once' : `${code.usesAllowed} times`],
          ['Valid until', expiryOf(code)],
          ...((await isUsable(service, user)) ? [] : [note]),
        ])
      }),
    )
}

function listCommand(): Command {
  return adminCommand('list', 'list the bypass codes of a user', 'bypass list alice')
    .argument('<user>', 'username or id')
    .action(
      serviceAction(async (service, nameOrId: string, settings: AdminSettings) => {
        const codes = await listCodes(service, await findUser(service, nameOrId))
        if (settings.json) return printJson(codes)
        const rows = codes.map((code) => [
          code.code ?? 'not shown',
          `${code.usesRemaining} of ${code.usesAllowed}`,
          expiryOf(code),
          code.id,
        ])
        printTable(['Code', 'Uses left', 'Valid until', 'Id'], rows, 'The user has no bypass codes.')
      }),
    )
}

function deleteCommand(): Command {
  return adminCommand('delete', 'delete the bypass codes of a user, or one of them', [
    'bypass delete alice',
    'bypass delete alice --id 3f2a91c0 --yes --json',
  ])
    .argument('<user>', 'username or id')
    .option('--id <id>', 'delete only this code: its id, or the beginning of it')
    .option(...yesOption)
    .action(
      serviceAction(async (service, nameOrId: string, settings: AdminSettings & { id?: string; yes?: boolean }) => {
        const user = await findUser(service, nameOrId)
        const codes = await listCodes(service, user)
        const chosenCode = settings.id === undefined ? undefined : pickCode(codes, settings.id)
        const subject = chosenCode ? `the bypass code ${chosenCode.id}` : `all bypass codes (${codes.length})`
        await confirm(`delete ${subject} of ${quote(user.username)}`, settings.yes)
        if (chosenCode) await service.call(deleteBypassCode, { params: { bypassCodeId: chosenCode.id } })
        else await service.call(deleteBypassCodes, { params: { userId: user.id } })
        const deleted = chosenCode ? [chosenCode.id] : codes.map(({ id }) => id)
        printDone(settings, { user: user.id, deleted }, `Deleted ${subject} of ${quote(user.username)}.`)
      }),
    )
}

const listCodes = ({ call }: LocalService, user: User): Promise<BypassCode[]> =>
  call(listBypassCodes, { params: { userId: user.id } })

const pickCode = (codes: readonly BypassCode[], id: string): BypassCode =>
  pick(codes, id, { noun: 'bypass', names: (code) => [code.id], show: (code) => code.id })

const note = ['Note', 'no domain of this user allows bypass codes; see: second-factor domain set --help'] as const

async function isUsable({ ctx, organization }: LocalService, user: User): Promise<boolean> {
  const domains = await listDomains(ctx, organization.id)
  return domains.some(({ id, bypassEnabled }) => bypassEnabled && user.domains.includes(id))
}

const expiryOf = ({ dtExpiry }: BypassCode): string => (dtExpiry.startsWith('9999-') ? 'never' : dtExpiry)

function parseMinutes(text: string): number {
  // The interface writes "never" as 0.
  if (text === 'never') return 0
  const seconds = parseDuration(/^\d+$/.test(text) ? `${text}m` : text)
  if (seconds) return seconds / 60
  throw new InvalidArgumentError('Expected a number of minutes, a duration such as 90m, 12h or 7d, or never.')
}
