import type { Command } from 'commander'
import { Option } from 'commander'

import { addApiKey, listApiKeys, revokeApiKey } from '../../service/admin/api-keys.ts'
import type { ApiKey } from '../../service/admin/api-keys.ts'
import { listDomains } from '../../service/admin/domains.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { confirm, yesOption } from '../admin/confirm.ts'
import { findDomain, pick } from '../admin/find.ts'
import { withService } from '../admin/local-service.ts'
import { dateOf, printDone, printJson, printTable } from '../admin/print.ts'
import { exitCode } from '../device/exit-codes.ts'
import { ending, Failure } from '../device/failure.ts'
import { printRows } from '../device/print.ts'

/** What callers of the REST interface prove themselves with. */
export function apikeyCommand(): Command {
  return groupCommand(
    'apikey',
    'manage the keys of the REST interface',
    [createCommand(), listCommand(), revokeCommand()],
    ["apikey create --role auth --domain 'Intranet'", 'apikey list'],
  )
}

interface Creating extends AdminSettings {
  readonly role: ApiKey['role']
  readonly domain?: string
}

function createCommand(): Command {
  return adminCommand('create', 'make a key; it is shown this once', [
    'apikey create --database mfa.sqlite',
    "apikey create --role auth --domain 'Intranet' --database mfa.sqlite --json",
  ])
    .addOption(
      new Option('--role <role>', 'admin: everything; auth: sign people in and read')
        .choices(['admin', 'auth'])
        .default('admin'),
    )
    .option('--domain <domain>', 'name or id of the only domain it is good for; keys of role auth only')
    .action(
      ending((settings: Creating) =>
        withService(settings, async (service) => {
          const { ctx, organization } = service
          const domain = settings.domain === undefined ? undefined : await findDomain(service, settings.domain)
          const of = { role: settings.role, ...(domain && { domainId: domain.id }) }
          const made = await addApiKey(ctx, organization.id, of)
          if (settings.json) return printJson({ key: made.key, ...view(made) })
          printRows([
            ['API key', made.key],
            ['Id', made.id],
            ['Role', made.role],
            ['Domain', domain?.name ?? 'all'],
            ['Note', 'the key is shown this once'],
          ])
        }),
      ),
    )
}

function listCommand(): Command {
  return adminCommand('list', 'list the keys, without what they are', [
    'apikey list --database mfa.sqlite',
    'apikey list --database mfa.sqlite --json',
  ]).action(
    ending((settings: AdminSettings) =>
      withService(settings, async ({ ctx, organization }) => {
        const keys = await listApiKeys(ctx, organization.id)
        if (settings.json) return printJson(keys.map((key) => view(key)))
        const names = new Map((await listDomains(ctx, organization.id)).map(({ id, name }) => [id, name]))
        const nameOf = (id: string | null) => (id === null ? 'all' : (names.get(id) ?? id))
        const rows = keys.map(({ id, role, domainId, createdAt }) => [role, nameOf(domainId), dateOf(createdAt), id])
        printTable(['Role', 'Domain', 'Made', 'Id'], rows, 'There is no key yet.')
      }),
    ),
  )
}

function revokeCommand(): Command {
  return adminCommand('revoke', 'revoke a key; it is good for nothing at once', [
    'apikey revoke 3f2a91c0 --database mfa.sqlite',
    'apikey revoke 3f2a91c0 --yes --database mfa.sqlite --json',
  ])
    .argument('<id>', 'its id, or the beginning of it; never the key itself')
    .option(...yesOption)
    .action(
      ending((given: string, settings: AdminSettings & { yes?: boolean }) =>
        withService(settings, async ({ ctx, organization }) => {
          refuseKeys(given)
          const key = pick(await listApiKeys(ctx, organization.id), given, {
            what: 'apikey',
            names: ({ id }) => [id],
            show: ({ id }) => id,
          })
          await confirm(`revoke the key ${key.id} (${key.role}, made ${dateOf(key.createdAt)})`, settings.yes)
          await revokeApiKey(ctx, organization.id, key.id)
          printDone(settings, { id: key.id }, `Revoked the key ${key.id}.`)
        }),
      ),
    )
}

/** What is typed is repeated in messages, and stays in the shell's history: it must not be a key. */
function refuseKeys(given: string): void {
  if (/^[0-9a-f]{1,40}$/i.test(given)) return
  throw new Failure('That is no id of a key. See: second-factor apikey list', exitCode.usage)
}

const view = ({ id, role, domainId, createdAt }: ApiKey) => ({ id, role, domain: domainId, createdAt })
