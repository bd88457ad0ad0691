import type { Command } from 'commander'
import { Option } from 'commander'

import { addApiKey, listApiKeys, revokeApiKey } from '../../service/features/domains/api-keys.ts'
import type { ApiKey } from '../../service/features/domains/api-keys.ts'
import { listDomains } from '../../service/features/domains/administration.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain, pick } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { dateOf, printDone, printJson, printRows, printTable } from '../terminal/print.ts'
import { confirm, yesOption } from '../terminal/prompt.ts'

/** `second-factor apikey`. */
export function apikeyCommand(): Command {
  return groupCommand(
    'apikey',
    'manage the API keys of the REST interface',
    [createCommand(), listCommand(), revokeCommand()],
    ["apikey create --role auth --domain 'Intranet'", 'apikey list'],
  )
}

interface Creating extends AdminSettings {
  readonly role: ApiKey['role']
  readonly domain?: string
}

function createCommand(): Command {
  return adminCommand('create', 'create an API key; it is shown only once', [
    'apikey create',
    "apikey create --role auth --domain 'Intranet' --json",
  ])
    .addOption(
      new Option('--role <role>', 'admin: all operations; auth: sign people in and read')
        .choices(['admin', 'auth'])
        .default('admin'),
    )
    .option('--domain <domain>', 'limit the key to this domain (name or id); requires role auth')
    .action(
      serviceAction(async (service, settings: Creating) => {
        const { ctx, organization } = service
        const domain = settings.domain === undefined ? undefined : await findDomain(service, settings.domain)
        const scope = { role: settings.role, ...(domain && { domainId: domain.id }) }
        const created = await addApiKey(ctx, organization.id, scope)
        if (settings.json) return printJson({ key: created.key, ...view(created) })
        printRows([
          ['API key', created.key],
          ['Id', created.id],
          ['Role', created.role],
          ['Domain', domain?.name ?? 'all'],
          ['Note', 'the key is shown only once'],
        ])
      }),
    )
}

function listCommand(): Command {
  return adminCommand('list', 'list API keys, without the keys themselves', 'apikey list').action(
    serviceAction(async ({ ctx, organization }, settings: AdminSettings) => {
      const keys = await listApiKeys(ctx, organization.id)
      if (settings.json) return printJson(keys.map((key) => view(key)))
      const names = new Map((await listDomains(ctx, organization.id)).map(({ id, name }) => [id, name]))
      const nameOf = (id: string | null) => (id === null ? 'all' : (names.get(id) ?? id))
      const rows = keys.map(({ id, role, domainId, createdAt, usedAt }) => [
        role,
        nameOf(domainId),
        dateOf(createdAt),
        usedAt === null ? 'never' : dateOf(usedAt),
        id,
      ])
      printTable(['Role', 'Domain', 'Created', 'Last used', 'Id'], rows, 'No API keys yet.')
    }),
  )
}

function revokeCommand(): Command {
  return adminCommand('revoke', 'revoke an API key at once', [
    'apikey revoke 3f2a91c0',
    'apikey revoke 3f2a91c0 --yes --json',
  ])
    .argument('<id>', 'id of the key, or the beginning of it; not the key itself')
    .option(...yesOption)
    .action(
      serviceAction(async ({ ctx, organization }, id: string, settings: AdminSettings & { yes?: boolean }) => {
        rejectKey(id)
        const key = pick(await listApiKeys(ctx, organization.id), id, {
          noun: 'apikey',
          names: (apiKey) => [apiKey.id],
          show: (apiKey) => apiKey.id,
        })
        await confirm(`revoke the API key ${key.id} (${key.role}, created ${dateOf(key.createdAt)})`, settings.yes)
        await revokeApiKey(ctx, organization.id, key.id)
        printDone(settings, { id: key.id }, `Revoked the API key ${key.id}.`)
      }),
    )
}

/** Messages repeat what was typed, and shells keep it in their history: it must not be a key. */
function rejectKey(id: string): void {
  if (/^[0-9a-f]{1,40}$/i.test(id)) return
  throw new Failure('<id>: expected the id of an API key. See: second-factor apikey list', exitCode.usage)
}

const view = ({ id, role, domainId, createdAt, usedAt }: ApiKey) => ({ id, role, domain: domainId, createdAt, usedAt })
