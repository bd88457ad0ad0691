import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'

import { ChangedAdministrator, NewInvitation } from '../../admin-contract/administrators.ts'
import type { Administrator } from '../../admin-contract/administrators.ts'
import { invitationLink } from '../../admin-contract/invitation-link.ts'
import { AdminRole } from '../../contract/roles.ts'
import { parseOptions } from '../../contract/validate.ts'
import {
  decideRecord,
  endSessions,
  listAdministrators,
  listSessions,
  revokeAdministrator,
  setAdministratorRole,
} from '../../service/features/administrators/administration.ts'
import { listDomains } from '../../service/features/domains/administration.ts'
import { invite, listInvitations, withdrawInvitation } from '../../service/features/administrators/invitations.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain, findUser, pick } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { consoleUrlOption, localConsole } from '../serve/console-options.ts'
import { portOption } from '../serve/listeners.ts'
import { counted, dateOf, printDone, printJson, printRows, printTable, quote, shortId } from '../terminal/print.ts'
import { confirm, yesOption } from '../terminal/prompt.ts'
import { jobsCommand } from './admin-jobs.ts'

/** `second-factor admin`. It needs the database alone, so it works when no administrator can sign in. */
export function adminGroup(): Command {
  return groupCommand(
    'admin',
    'manage administrators of the console',
    [
      inviteCommand(),
      invitationsCommand(),
      withdrawCommand(),
      listCommand(),
      roleCommand(),
      recordCommand(),
      revokeCommand(),
      sessionsCommand(),
      jobsCommand(),
    ],
    [
      "admin invite --name 'Olivia Owner' --email olivia@example.com --console-url https://console.example.com",
      "admin role olivia@example.com helpdesk --domain 'Intranet'",
    ],
  )
}

interface Scoped extends AdminSettings {
  readonly domain?: readonly string[]
}

const domainOption = () =>
  new Option(
    '--domain <domain>',
    'a domain (name or id) of role admin, helpdesk or auditor; can be repeated',
  ).argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value])

interface Inviting extends Scoped {
  readonly name: string
  readonly email: string
  readonly role: AdminRole
  readonly user?: string
  readonly consoleUrl?: string
  readonly port: number
}

function inviteCommand(): Command {
  return adminCommand('invite', 'invite an administrator: prints a link that is valid for 30 minutes, once', [
    "admin invite --name 'Olivia Owner' --email olivia@example.com --console-url https://console.example.com",
    "admin invite --name Hal --email hal@example.com --role helpdesk --domain 'Intranet' --user hal --json",
  ])
    .requiredOption('--name <name>', 'name of the person')
    .requiredOption('--email <address>', 'e-mail address of the person')
    .addOption(new Option('--role <role>', roleText).choices(AdminRole.options).default('owner'))
    .addOption(domainOption())
    .option('--user <user>', 'the user (username or id) that this person is, whose record it cannot change')
    .addOption(consoleUrlOption('origin of the console, for the link; by default http://localhost with the port'))
    .addOption(portOption('port of `serve` on this machine, where the console has no other origin'))
    .action(
      serviceAction(async (service, settings: Inviting) => {
        const { name, email, role, consoleUrl = '', port } = settings
        const domains = await domainIds(service, settings)
        const user = settings.user === undefined ? null : (await findUser(service, settings.user)).id
        const input = parseOptions(NewInvitation, 'inviteAdministrator', { name, email, role, domains, user })
        const { token, ...invitation } = await invite(service.ctx, service.organization.id, input)
        const link = invitationLink(`${consoleUrl || localConsole(port)}/console`, token)
        if (settings.json) return printJson({ ...invitation, token, link })
        printRows([
          ['Link', link],
          ['For', `${name} (${email}), ${role}`],
          ['Valid until', dateOf(invitation.expiresAt)],
          ['Note', 'the first person who uses it becomes the administrator: send it over a channel you trust'],
        ])
      }),
    )
}

function invitationsCommand(): Command {
  return adminCommand('invitations', 'list the invitations that can still be used', 'admin invitations').action(
    serviceAction(async ({ ctx, organization }, { json }: AdminSettings) => {
      const invitations = await listInvitations(ctx, organization.id)
      if (json) return printJson(invitations)
      const rows = invitations.map((row) => [row.name, row.email, row.role, dateOf(row.expiresAt), shortId(row.id)])
      printTable(['Name', 'E-mail', 'Role', 'Valid until', 'Id'], rows, 'No open invitations.')
    }),
  )
}

function withdrawCommand(): Command {
  return adminCommand('withdraw', 'withdraw an invitation', 'admin withdraw 3f2a91c0')
    .argument('<invitation>', 'e-mail address or id of the invitation')
    .action(
      serviceAction(async ({ ctx, organization }, administratorName: string, settings: AdminSettings) => {
        const invitation = pick(await listInvitations(ctx, organization.id), administratorName, {
          noun: 'admin',
          names: ({ email, id }) => [email, id],
          show: ({ email, id }) => `${email} (${shortId(id)})`,
        })
        await withdrawInvitation(ctx, { organizationId: organization.id, id: invitation.id })
        printDone(settings, { id: invitation.id }, `Withdrew the invitation of ${quote(invitation.email)}.`)
      }),
    )
}

function listCommand(): Command {
  return adminCommand('list', 'list administrators', 'admin list').action(
    serviceAction(async ({ ctx, organization }, { json }: AdminSettings) => {
      const administrators = await listAdministrators(ctx, organization.id)
      if (json) return printJson(administrators)
      const names = new Map((await listDomains(ctx, organization.id)).map(({ id, name }) => [id, name]))
      const rows = administrators.map((row) => [
        row.name,
        row.email,
        row.revokedAt === null ? row.role : 'revoked',
        row.domains.map((id) => names.get(id) ?? id).join(', ') || 'all',
        row.lastSeenAt === null ? 'never' : dateOf(row.lastSeenAt),
        shortId(row.id),
      ])
      printTable(['Name', 'E-mail', 'Role', 'Domains', 'Last seen', 'Id'], rows, 'No administrators yet.')
    }),
  )
}

function roleCommand(): Command {
  return adminCommand('role', 'change the role and the domains of an administrator', [
    "admin role hal@example.com admin --domain 'Intranet'",
    'admin role olivia@example.com owner --json',
  ])
    .argument('<administrator>', 'name, e-mail address or id')
    .argument('<role>', roleText, parseRole)
    .addOption(domainOption())
    .action(
      serviceAction(async (service, administratorName: string, role: AdminRole, settings: Scoped) => {
        const { id } = await find(service, administratorName)
        const administrator = { organizationId: service.organization.id, id }
        const domains = await domainIds(service, settings)
        const input = parseOptions(ChangedAdministrator, 'setAdministratorRole', { role, domains })
        const changed = await setAdministratorRole(service.ctx, administrator, input)
        printDone(settings, changed, `${quote(changed.name)} now has the role ${changed.role}.`)
      }),
    )
}

function recordCommand(): Command {
  return adminCommand('record', 'say whether a user is an administrator, who then cannot act on that record', [
    'admin record hal@example.com hal',
    'admin record hal@example.com hal.other --not-own --json',
  ])
    .argument('<administrator>', 'name, e-mail address or id')
    .argument('<user>', 'username or id')
    .option('--not-own', 'the user is somebody else, such as one with the same e-mail address')
    .action(
      serviceAction(
        async (
          service,
          administratorName: string,
          nameOrId: string,
          settings: AdminSettings & { notOwn?: boolean },
        ) => {
          const { id } = await find(service, administratorName)
          const user = await findUser(service, nameOrId)
          const isOwn = settings.notOwn !== true
          const administrator = { organizationId: service.organization.id, id }
          const changed = await decideRecord(service.ctx, administrator, { user: user.id, own: isOwn })
          const relation = isOwn ? 'is the record of' : 'is somebody else than'
          printDone(settings, changed, `${quote(user.username)} ${relation} ${quote(changed.name)}.`)
        },
      ),
    )
}

function revokeCommand(): Command {
  return adminCommand('revoke', 'revoke the access of an administrator, and end its sessions at once', [
    'admin revoke hal@example.com',
    'admin revoke hal@example.com --yes --json',
  ])
    .argument('<administrator>', 'name, e-mail address or id')
    .option(...yesOption)
    .action(
      serviceAction(async (service, administratorName: string, settings: AdminSettings & { yes?: boolean }) => {
        const { id, name, email, role } = await find(service, administratorName)
        await confirm(`revoke the access of ${quote(name)} (${email}, ${role})`, settings.yes)
        await revokeAdministrator(service.ctx, { organizationId: service.organization.id, id })
        printDone(settings, { id }, `Revoked the access of ${quote(name)}.`)
      }),
    )
}

function sessionsCommand(): Command {
  return adminCommand('sessions', 'list the sessions of an administrator, or end them', [
    'admin sessions hal@example.com',
    'admin sessions hal@example.com --end --json',
  ])
    .argument('<administrator>', 'name, e-mail address or id')
    .option('--end', 'end them')
    .action(
      serviceAction(async (service, administratorName: string, settings: AdminSettings & { end?: boolean }) => {
        const { id, name } = await find(service, administratorName)
        const administrator = { organizationId: service.organization.id, id }
        if (settings.end) {
          const ended = await endSessions(service.ctx, administrator)
          return printDone(settings, { ended }, `Ended ${counted(ended, 'session')} of ${quote(name)}.`)
        }
        const sessions = await listSessions(service.ctx, administrator)
        if (settings.json) return printJson(sessions)
        const rows = sessions.map((row) => [dateOf(row.createdAt), dateOf(row.usedAt), dateOf(row.passedAt), row.id])
        printTable(['Signed in', 'Last used', 'Passkey used', 'Id'], rows, 'No sessions.')
      }),
    )
}

const roleText = 'owner: everything; admin and helpdesk: some domains; auditor: reads'

function parseRole(text: string): AdminRole {
  const parsed = AdminRole.safeParse(text)
  if (parsed.success) return parsed.data
  throw new InvalidArgumentError(`Expected one of: ${AdminRole.options.join(', ')}.`)
}

async function domainIds(service: LocalService, { domain = [] }: Scoped): Promise<string[]> {
  const domains = await Promise.all(domain.map((nameOrId) => findDomain(service, nameOrId)))
  return domains.map(({ id }) => id)
}

/** One who still has access. */
async function find({ ctx, organization }: LocalService, administratorName: string): Promise<Administrator> {
  const administrators = (await listAdministrators(ctx, organization.id)).filter(({ revokedAt }) => revokedAt === null)
  return pick(administrators, administratorName, {
    noun: 'admin',
    names: ({ name, email, id }) => [name, email, id],
    show: ({ name, email }) => `${quote(name)} (${email})`,
  })
}
