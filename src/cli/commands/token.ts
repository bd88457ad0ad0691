import type { Command } from 'commander'

import { getMember } from '../../contract/domains.ts'
import type { Domain } from '../../contract/domains.ts'
import { getToken, issueReplacement, issueToken, revokeToken } from '../../contract/tokens.ts'
import type { Token } from '../../contract/tokens.ts'
import type { User } from '../../contract/users.ts'
import { ApiProblem } from '../../service/engine/base/problem.ts'
import { authenticatorOption, linkFor, printQr } from '../admin/activation-link.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain, findUser } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { Failure } from '../terminal/failure.ts'
import { dateOf, printDone, printJson, printRows, quote } from '../terminal/print.ts'
import { confirm, yesOption } from '../terminal/prompt.ts'

interface Settings extends AdminSettings {
  readonly domain: string
  readonly yes?: boolean
  readonly authenticatorUrl?: string
}

/** `second-factor token`. A token ties a user to a device in one domain. */
export function tokenCommand(): Command {
  return groupCommand(
    'token',
    'manage tokens, which tie a user to a device',
    [issueCommand(), showCommand(), replaceCommand(), revokeCommand()],
    ["token issue alice --domain 'Intranet'", "token revoke alice --domain 'Intranet'"],
  )
}

function issueCommand(): Command {
  return tokenSubcommand('issue', 'issue a token and print its activation code')
    .addOption(authenticatorOption())
    .action(
      serviceAction(async (service, nameOrId: string, settings: Settings) => {
        const { user, domain, params } = await findMember(service, nameOrId, settings)
        show(await service.call(issueToken, { params }), user, domain, settings)
      }),
    )
}

function showCommand(): Command {
  return tokenSubcommand('show', 'show the token of a user').action(
    serviceAction(async (service, nameOrId: string, settings: Settings) => {
      const { user, domain, params } = await findMember(service, nameOrId, settings)
      show(await service.call(getToken, { params }), user, domain, settings)
    }),
  )
}

function replaceCommand(): Command {
  return tokenSubcommand('replace', 'issue a code for another device; the current device works until the code is used')
    .addOption(authenticatorOption())
    .action(
      serviceAction(async (service, nameOrId: string, settings: Settings) => {
        const { user, domain, params } = await findMember(service, nameOrId, settings)
        const { code, expiresAt } = await service.call(issueReplacement, { params, query: {}, body: {} })
        const link = linkFor(settings.authenticatorUrl, code)
        if (settings.json) return printJson({ code, expiresAt, ...(link !== undefined && { link }) })
        const rows = [...rowsOf(user, domain), ['Activation code', code] as const, ...linkRows(link)]
        printRows([...rows, ['Valid until', dateOf(expiresAt)]])
        printQr(link)
      }),
    )
}

function revokeCommand(): Command {
  return tokenSubcommand('revoke', 'revoke the token of a user, so that the device can no longer approve')
    .option(...yesOption)
    .action(
      serviceAction(async (service, nameOrId: string, settings: Settings) => {
        const { user, domain, params } = await findMember(service, nameOrId, settings)
        await service.call(getToken, { params })
        const subject = `the token of ${quote(user.username)} for ${quote(domain.name)}`
        await confirm(`revoke ${subject}`, settings.yes)
        await service.call(revokeToken, { params })
        printDone(settings, { user: user.id, domain: domain.id }, `Revoked ${subject}.`)
      }),
    )
}

function tokenSubcommand(name: string, description: string): Command {
  return adminCommand(name, description, [
    `token ${name} alice --domain 'Intranet'`,
    `token ${name} alice --domain 'Intranet'${name === 'revoke' ? ' --yes' : ''} --json`,
  ])
    .argument('<user>', 'username or id')
    .requiredOption('--domain <domain>', 'name or id of the domain')
}

async function findMember(service: LocalService, nameOrId: string, settings: Settings) {
  const [user, domain] = [await findUser(service, nameOrId), await findDomain(service, settings.domain)]
  const params = { domainId: domain.id, userId: user.id }
  await service.call(getMember, { params }).catch((cause: unknown) => {
    if (!(cause instanceof ApiProblem)) throw cause
    throw new Failure(
      `${quote(user.username)} does not belong to ${quote(domain.name)}. See: second-factor user join --help`,
      undefined,
      { cause },
    )
  })
  return { user, domain, params }
}

function show(token: Token, user: User, domain: Domain, { json, authenticatorUrl }: Settings): void {
  const link = linkFor(authenticatorUrl, token.code)
  if (json) return printJson({ ...token, ...(link !== undefined && { link }) })
  const { device } = token
  printRows([
    ...rowsOf(user, domain),
    ['State', token.state],
    ...(token.code === undefined ? [] : [['Activation code', token.code] as const]),
    ...linkRows(link),
    ...(device === undefined ? [] : [['Device', `${device.name}, since ${dateOf(device.createdAt)}`] as const]),
  ])
  printQr(link)
}

const linkRows = (link: string | undefined) => (link === undefined ? [] : [['Link', link] as const])

function rowsOf(user: User, domain: Domain) {
  return [['User', user.username] as const, ['Domain', domain.name] as const]
}
