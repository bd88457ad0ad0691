import type { Command } from 'commander'

import type { OidcClient } from '../../admin-contract/oidc-clients.ts'
import { listDomains } from '../../service/features/domains/administration.ts'
import {
  addOidcClient,
  allOidcClients,
  changeOidcClient,
  listOidcClients,
  removeOidcClient,
  rotateOidcSecret,
} from '../../service/features/oidc/clients.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain, pick } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { Failure } from '../terminal/failure.ts'
import { integer } from '../terminal/parse.ts'
import { dateOf, printDone, printJson, printRows, printTable, quote, yesOrNo } from '../terminal/print.ts'
import { confirm, yesOption } from '../terminal/prompt.ts'
import { settingsOf, withKind, withSettings } from './oidc-client-options.ts'
import type { ClientSettings } from './oidc-client-options.ts'

/** `second-factor oidc client`. */
export function oidcClientCommand(): Command {
  return groupCommand(
    'client',
    'manage the clients of the OpenID provider',
    [addCommand(), listCommand(), showCommand(), setCommand(), secretCommand(), removeCommand()],
    [
      "oidc client add 'Wiki' --domain 'Intranet' --kind sign-in --redirect-uri https://wiki.example.com/callback",
      'oidc client list --database mfa.sqlite',
    ],
  )
}

interface Adding extends AdminSettings, ClientSettings {
  readonly domain: string
  readonly kind: OidcClient['kind']
}

function addCommand(): Command {
  const command = adminCommand('add', 'register a client; its secret is shown only once', [
    "oidc client add 'Wiki' --domain 'Intranet' --kind sign-in --redirect-uri https://wiki.example.com/callback",
    "oidc client add 'Entra' --domain 'Staff' --kind entra --entra-tenant 9122040d-6c67-4c5b-b112-36a304b66dad --entra-application 600b719b-3766-4dc5-95a6-3c4a8dc31885",
  ])
  return withSettings(withKind(command))
    .argument('<name>', 'name of the client')
    .requiredOption('--domain <domain>', 'the domain whose users sign in (name or id)')
    .action(
      serviceAction(async (service, name: string, settings: Adding) => {
        const { ctx, organization } = service
        const domain = await findDomain(service, settings.domain)
        const { redirectUris = [], ...rest } = await settingsOf(settings)
        const input = { ...rest, name, kind: settings.kind, redirectUris }
        const { client, secret } = await addOidcClient(
          ctx,
          { organizationId: organization.id, domainId: domain.id },
          input,
        )
        show(client, domain.name, settings, secret)
      }),
    )
}

function listCommand(): Command {
  return adminCommand('list', 'list clients, without their secrets', [
    'oidc client list',
    "oidc client list --domain 'Intranet' --json",
  ])
    .option('--domain <domain>', 'only those of this domain (name or id)')
    .action(
      serviceAction(async (service, settings: AdminSettings & { readonly domain?: string }) => {
        const { ctx, organization } = service
        const domain = settings.domain === undefined ? undefined : await findDomain(service, settings.domain)
        const clients = domain ? await listOidcClients(ctx, domain.id) : await allOidcClients(ctx, organization.id)
        if (settings.json) return printJson(clients)
        const names = await domainNames(service)
        const rows = clients.map((client) => [client.name, client.kind, names(client.domain), client.id])
        printTable(['Name', 'Kind', 'Domain', 'Client id'], rows, 'No clients yet.')
      }),
    )
}

function showCommand(): Command {
  return adminCommand('show', 'show a client', "oidc client show 'Wiki'")
    .argument('<client>', 'name or id')
    .action(
      serviceAction(async (service, nameOrId: string, settings: AdminSettings) => {
        const client = await findClient(service, nameOrId)
        show(client, (await domainNames(service))(client.domain), settings)
      }),
    )
}

interface Setting extends AdminSettings, ClientSettings {
  readonly name?: string
}

function setCommand(): Command {
  const command = adminCommand('set', 'change a client; what it was issued ends, unless only its name changes', [
    "oidc client set 'Wiki' --redirect-uri https://wiki.example.com/callback https://wiki.example.com/other",
    "oidc client set 'Wiki' --name 'Handbook' --json",
  ])
  return withSettings(command.option('--name <name>', 'its new name'))
    .argument('<client>', 'name or id')
    .action(
      serviceAction(async (service, nameOrId: string, settings: Setting) => {
        const client = await findClient(service, nameOrId)
        const { name } = settings
        const changes = { ...(await settingsOf(settings, client)), ...(name !== undefined && { name }) }
        const changed = await changeOidcClient(service.ctx, keyOf(service, client), changes)
        show(changed ?? goneMeanwhile(), (await domainNames(service))(client.domain), settings)
      }),
    )
}

interface Rotating extends AdminSettings {
  readonly keepOld: number
}

function secretCommand(): Command {
  return adminCommand('secret', 'replace the secret of a client; the new one is shown only once', [
    "oidc client secret 'Wiki'",
    "oidc client secret 'Wiki' --keep-old 24 --json",
  ])
    .argument('<client>', 'name or id')
    .option('--keep-old <hours>', 'accept the present secret as well for so long, up to 168 hours', integer(0, 168), 0)
    .action(
      serviceAction(async (service, nameOrId: string, settings: Rotating) => {
        const client = await findClient(service, nameOrId)
        const rotated = await rotateOidcSecret(service.ctx, keyOf(service, client), settings.keepOld * 60 * 60)
        const { secret } = rotated ?? goneMeanwhile()
        show((rotated ?? goneMeanwhile()).client, (await domainNames(service))(client.domain), settings, secret)
      }),
    )
}

function removeCommand(): Command {
  return adminCommand('remove', 'remove a client, with all that it was issued', [
    "oidc client remove 'Wiki'",
    "oidc client remove 'Wiki' --yes --json",
  ])
    .argument('<client>', 'name or id')
    .option(...yesOption)
    .action(
      serviceAction(async (service, nameOrId: string, settings: AdminSettings & { yes?: boolean }) => {
        const client = await findClient(service, nameOrId)
        await confirm(`remove the client ${quote(client.name)} (${client.id})`, settings.yes)
        if (!(await removeOidcClient(service.ctx, keyOf(service, client)))) goneMeanwhile()
        printDone(settings, { id: client.id }, `Removed the client ${quote(client.name)}.`)
      }),
    )
}

async function findClient({ ctx, organization }: LocalService, nameOrId: string): Promise<OidcClient> {
  return pick(await allOidcClients(ctx, organization.id), nameOrId, {
    noun: 'oidc client',
    names: (client) => [client.name, client.id],
    show: (client) => `${quote(client.name)} (${client.id})`,
  })
}

const keyOf = ({ organization }: LocalService, { id, domain }: OidcClient) => ({
  organizationId: organization.id,
  domainId: domain,
  id,
})

function goneMeanwhile(): never {
  throw new Failure('The client was removed meanwhile.')
}

async function domainNames({ ctx, organization }: LocalService): Promise<(id: string) => string> {
  const names = new Map((await listDomains(ctx, organization.id)).map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}

function show(client: OidcClient, domain: string, { json }: { readonly json?: boolean }, secret?: string): void {
  if (json) return printJson({ ...client, ...(secret !== undefined && { clientSecret: secret }) })
  const { formerSecretUntil, jwks, jwksUri } = client
  const keys = jwksUri ?? (jwks ? `${jwks.keys.length} stored` : undefined)
  printRows([
    ['Client id', client.id],
    ...(secret === undefined ? [] : [['Client secret', secret] as const]),
    ['Name', client.name],
    ['Domain', domain],
    ['Kind', client.kind],
    ['Authentication', client.secret ? client.authentication : withoutSecret(client)],
    ...(keys === undefined ? [] : [['Public keys', keys] as const]),
    ...(client.redirectUris.length === 0 ? [] : [['Redirect addresses', client.redirectUris.join(' ')] as const]),
    ...entraRows(client),
    ...cibaRows(client),
    ...(client.postLogoutRedirectUris.length === 0
      ? []
      : [['After signing out', client.postLogoutRedirectUris.join(' ')] as const]),
    ['Native', yesOrNo(client.native)],
    ['PKCE', client.pkce === 'nonce' ? 'PKCE or a nonce' : 'required'],
    ...(client.resources.length === 0 ? [] : [['Resources', client.resources.join(' ')] as const]),
    ['Refresh tokens', yesOrNo(client.refreshTokens)],
    ['Scopes', ['openid', ...client.scopes].join(' ')],
    ...(formerSecretUntil === null ? [] : [['Old secret until', dateOf(formerSecretUntil)] as const]),
    ...(secret === undefined ? [] : [['Note', 'the secret is shown only once'] as const]),
  ])
}

function cibaRows({ ciba }: OidcClient): readonly (readonly [string, string])[] {
  if (!ciba) return []
  return [
    ['Shows the number', yesOrNo(ciba.showsNumber)],
    ...(ciba.notificationEndpoint === null ? [] : [['Notified at', ciba.notificationEndpoint] as const]),
  ]
}

function entraRows({ entra }: OidcClient): readonly (readonly [string, string])[] {
  if (!entra) return []
  return [
    ['Tenant', entra.tenant],
    ['Application', entra.application],
    ['Cloud', entra.cloud],
    ['Username', entra.username],
  ]
}

const withoutSecret = ({ authentication }: OidcClient): string =>
  authentication.startsWith('client_secret') ? `${authentication}, without a secret yet` : authentication
