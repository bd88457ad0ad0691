import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'

import { createBypassCode, deleteBypassCode, deleteBypassCodes, listBypassCodes } from '../../contract/bypass-codes.ts'
import type { BypassCode } from '../../contract/bypass-codes.ts'
import type { User } from '../../contract/users.ts'
import { listDomains } from '../../service/admin/domains.ts'
import { adminCommand, groupCommand, parseNumber } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { confirm, yesOption } from '../admin/confirm.ts'
import { findUser, pick } from '../admin/find.ts'
import { withService } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { printDone, printJson, printTable, quote } from '../admin/print.ts'
import { ending } from '../device/failure.ts'
import { printRows } from '../device/print.ts'

/** For users who cannot reach their device. */
export function bypassCommand(): Command {
  return groupCommand(
    'bypass',
    'manage bypass codes: for users who cannot reach their device',
    [createCommand(), listCommand(), deleteCommand()],
    ['bypass create alice --uses 1 --expires 12h', 'bypass delete alice'],
  )
}

interface Creating extends AdminSettings {
  readonly uses: number
  readonly expires: number
}

function createCommand(): Command {
  return adminCommand('create', 'make a bypass code; a user has 5 at most', [
    'bypass create alice --database mfa.sqlite',
    'bypass create alice --uses 5 --expires 7d --database mfa.sqlite --json',
  ])
    .argument('<user>', 'the username or the id')
    .option('--uses <times>', 'how often it works: 1 to 1000', parseNumber, 1)
    .option(
      '--expires <duration>',
      'for how long: minutes, or as 90m, 12h, 7d; at most a year, or never',
      parseMinutes,
      1440,
    )
    .action(
      ending((given: string, settings: Creating) =>
        withService(settings, async (service) => {
          const user = await findUser(service, given)
          const body = { usesAllowed: settings.uses, expirationTime: settings.expires }
          const code = await service.call(createBypassCode, { params: { userId: user.id }, body })
          if (settings.json) return printJson(code)
          printRows([
            ['User', user.username],
            ['Bypass code', code.code ?? 'not shown'],
            ['Works', code.usesAllowed === 1 ? 'once' : `${code.usesAllowed} times`],
            ['Until', expiryOf(code)],
            ...((await worksSomewhere(service, user)) ? [] : [note]),
          ])
        }),
      ),
    )
}

function listCommand(): Command {
  return adminCommand('list', 'list the bypass codes of a user', [
    'bypass list alice --database mfa.sqlite',
    'bypass list alice --database mfa.sqlite --json',
  ])
    .argument('<user>', 'the username or the id')
    .action(
      ending((given: string, settings: AdminSettings) =>
        withService(settings, async (service) => {
          const codes = await listCodes(service, await findUser(service, given))
          if (settings.json) return printJson(codes)
          const rows = codes.map((code) => [
            code.code ?? 'not shown',
            `${code.usesRemaining} of ${code.usesAllowed}`,
            expiryOf(code),
            code.id,
          ])
          printTable(['Code', 'Uses left', 'Until', 'Id'], rows, 'The user has no bypass code.')
        }),
      ),
    )
}

function deleteCommand(): Command {
  return adminCommand('delete', 'delete the bypass codes of a user, or one of them', [
    'bypass delete alice --database mfa.sqlite',
    'bypass delete alice --id 3f2a91c0 --yes --database mfa.sqlite --json',
  ])
    .argument('<user>', 'the username or the id')
    .option('--id <id>', 'only the one of this id, or of the beginning of it')
    .option(...yesOption)
    .action(
      ending((given: string, settings: AdminSettings & { id?: string; yes?: boolean }) =>
        withService(settings, async (service) => {
          const user = await findUser(service, given)
          const codes = await listCodes(service, user)
          const wanted = settings.id === undefined ? undefined : pickCode(codes, settings.id)
          const what = wanted ? `the bypass code ${wanted.id}` : `all bypass codes (${codes.length})`
          await confirm(`delete ${what} of ${quote(user.username)}`, settings.yes)
          if (wanted) await service.call(deleteBypassCode, { params: { bypassCodeId: wanted.id } })
          else await service.call(deleteBypassCodes, { params: { userId: user.id } })
          const deleted = wanted ? [wanted.id] : codes.map(({ id }) => id)
          printDone(settings, { user: user.id, deleted }, `Deleted ${what} of ${quote(user.username)}.`)
        }),
      ),
    )
}

const listCodes = ({ call }: LocalService, user: User): Promise<BypassCode[]> =>
  call(listBypassCodes, { params: { userId: user.id } })

const pickCode = (codes: readonly BypassCode[], given: string): BypassCode =>
  pick(codes, given, { what: 'bypass', names: ({ id }) => [id], show: ({ id }) => id })

const note = ['Note', 'no domain of the user takes bypass codes; see: second-factor domain set --help'] as const

async function worksSomewhere({ ctx, organization }: LocalService, user: User): Promise<boolean> {
  const domains = await listDomains(ctx, organization.id)
  return domains.some(({ id, bypassEnabled }) => bypassEnabled && user.domains.includes(id))
}

const expiryOf = ({ dtExpiry }: BypassCode): string => (dtExpiry.startsWith('9999-') ? 'never' : dtExpiry)

const units: Readonly<Record<string, number>> = { '': 1, m: 1, h: 60, d: 1440 }

function parseMinutes(text: string): number {
  // 0 stands for never in the interface.
  if (text === 'never') return 0
  const [, digits = '', unit = ''] = /^([1-9]\d{0,8})([mhd]?)$/.exec(text) ?? []
  if (digits === '')
    throw new InvalidArgumentError('A duration is a number of minutes, or such as 90m, 12h, 7d, or never.')
  return Number(digits) * (units[unit] ?? 1)
}
