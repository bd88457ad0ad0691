import type { Command } from 'commander'

import { addMember, removeMember } from '../../contract/domains.ts'
import { createUser, deleteUser } from '../../contract/users.ts'
import type { User } from '../../contract/users.ts'
import { listDomains } from '../../service/admin/domains.ts'
import { createUser as addUser } from '../../service/api/users.ts'
import { endUserSessions } from '../../service/admin/end-sessions.ts'
import { resetUser } from '../../service/admin/reset.ts'
import { codesLocked, unlockUser } from '../../service/admin/unlock.ts'
import { countKnownBrowsers } from '../../service/store/known-browsers.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { confirm, yesOption } from '../admin/confirm.ts'
import { findDomain, findUser } from '../admin/find.ts'
import { withService } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { printDone, printJson, quote, yesOrNo } from '../admin/print.ts'
import { ending } from '../device/failure.ts'
import { printRows } from '../device/print.ts'
import { userImportCommand } from './user-import.ts'
import { factorsOf, userListCommand } from './user-list.ts'

type OfDomain = AdminSettings & { readonly domain: string }

/** Who signs in. */
export function userCommand(): Command {
  const commands = [
    createCommand(),
    userImportCommand(),
    userListCommand(),
    showCommand(),
    joinCommand(),
    leaveCommand(),
    unlockCommand(),
    endSessionsCommand(),
    resetCommand(),
    deleteCommand(),
  ]
  return groupCommand('user', 'manage users: who signs in', commands, [
    "user create alice --name 'Alice Doe' --email alice@example.com --domain 'Intranet'",
    'user show alice',
  ])
}

interface Creating extends AdminSettings {
  readonly name: string
  readonly email: string
  readonly domain?: string
}

function createCommand(): Command {
  return adminCommand('create', 'add a user', [
    "user create alice --name 'Alice Doe' --email alice@example.com --database mfa.sqlite",
    "user create bob --name 'Bob Roe' --email bob@example.com --domain 'Intranet' --database mfa.sqlite --json",
  ])
    .argument('<username>', 'as the app knows the user; it never changes')
    .requiredOption('--name <name>', 'the real name')
    .requiredOption('--email <address>', 'the e-mail address')
    .option('--domain <domain>', 'name or id of a domain to belong to from the beginning')
    .action(
      ending((username: string, settings: Creating) =>
        withService(settings, async (service) => {
          const { name, email } = settings
          const domain = settings.domain === undefined ? undefined : await findDomain(service, settings.domain)
          const user = await service.call(createUser, { body: { username, name, email } }, (input, caller) =>
            addUser(input, caller, domain?.id),
          )
          await show(service, await findUser(service, user.id), settings)
        }),
      ),
    )
}

function showCommand(): Command {
  return adminCommand('show', 'show a user', [
    'user show alice --database mfa.sqlite',
    'user show alice --database mfa.sqlite --json',
  ])
    .argument('<user>', 'the username or the id')
    .action(
      ending((given: string, settings: AdminSettings) =>
        withService(settings, async (service) => show(service, await findUser(service, given), settings)),
      ),
    )
}

function joinCommand(): Command {
  return adminCommand('join', 'add a user to a domain', [
    "user join alice --domain 'Intranet' --database mfa.sqlite",
    "user join alice --domain 'VPN' --database mfa.sqlite --json",
  ])
    .argument('<user>', 'the username or the id')
    .requiredOption('--domain <domain>', 'its name or id')
    .action(
      ending((given: string, settings: OfDomain) =>
        withService(settings, async (service) => {
          const [user, domain] = [await findUser(service, given), await findDomain(service, settings.domain)]
          await service.call(addMember, { params: { domainId: domain.id, userId: user.id } })
          const done = { user: user.id, domain: domain.id }
          printDone(settings, done, `${quote(user.username)} belongs to ${quote(domain.name)} now.`)
        }),
      ),
    )
}

function leaveCommand(): Command {
  return adminCommand('leave', 'remove a user from a domain; the token there is revoked', [
    "user leave alice --domain 'Intranet' --database mfa.sqlite",
    "user leave alice --domain 'VPN' --yes --database mfa.sqlite --json",
  ])
    .argument('<user>', 'the username or the id')
    .requiredOption('--domain <domain>', 'its name or id')
    .option(...yesOption)
    .action(
      ending((given: string, settings: OfDomain & { yes?: boolean }) =>
        withService(settings, async (service) => {
          const [user, domain] = [await findUser(service, given), await findDomain(service, settings.domain)]
          await confirm(`remove ${quote(user.username)} from ${quote(domain.name)}, and revoke the token`, settings.yes)
          await service.call(removeMember, { params: { domainId: domain.id, userId: user.id } })
          const done = { user: user.id, domain: domain.id }
          printDone(settings, done, `${quote(user.username)} belongs to ${quote(domain.name)} no longer.`)
        }),
      ),
    )
}

function unlockCommand(): Command {
  return adminCommand('unlock', 'let a user try codes, and be asked, again', [
    'user unlock alice --database mfa.sqlite',
    'user unlock alice --database mfa.sqlite --json',
  ])
    .argument('<user>', 'the username or the id')
    .action(
      onUser(async (service, user, settings) => {
        await unlockUser(service.ctx, {
          organizationId: service.organization.id,
          userId: user.id,
          domainIds: user.domains,
        })
        printDone(settings, { user: user.id }, `${quote(user.username)} is unlocked.`)
      }),
    )
}

function endSessionsCommand(): Command {
  return adminCommand('end-sessions', 'end the verified web sessions of a user, and remembered browsers', [
    'user end-sessions alice --database mfa.sqlite',
    'user end-sessions alice --database mfa.sqlite --json',
  ])
    .argument('<user>', 'the username or the id')
    .action(
      onUser(async (service, user, settings) => {
        await endUserSessions(service.ctx, { organizationId: service.organization.id, userId: user.id })
        const who = quote(user.username)
        printDone(settings, { user: user.id }, `${who} has to pass the second step again, everywhere within a minute.`)
      }),
    )
}

function resetCommand(): Command {
  return adminCommand('reset', 'take all factors from a user, who may then set up a first one again', [
    'user reset alice --database mfa.sqlite',
    'user reset alice --yes --database mfa.sqlite --json',
  ])
    .argument('<user>', 'the username or the id')
    .option(...yesOption)
    .action(
      onUser(async (service, user, settings) => {
        const who = quote(user.username)
        await confirm(`take all devices, hardware and codes from ${who}, whose password is then enough`, settings.yes)
        await resetUser(service.ctx, { organizationId: service.organization.id, userId: user.id })
        printDone(settings, { user: user.id }, `${who} has no factor any more, and sets up a first one next time.`)
      }),
    )
}

function deleteCommand(): Command {
  return adminCommand('delete', 'delete a user with everything it has', [
    'user delete alice --database mfa.sqlite',
    'user delete alice --yes --database mfa.sqlite --json',
  ])
    .argument('<user>', 'the username or the id')
    .option(...yesOption)
    .action(
      onUser(async (service, user, settings) => {
        await confirm(`delete the user ${quote(user.username)} (${quote(user.name)}) with all tokens`, settings.yes)
        await service.call(deleteUser, { params: { userId: user.id } })
        printDone(settings, { user: user.id }, `${quote(user.username)} is deleted.`)
      }),
    )
}

type Act = (service: LocalService, user: User, settings: AdminSettings & { readonly yes?: boolean }) => Promise<void>

/** What a command does to the one user it names. */
function onUser(act: Act) {
  return ending((given: string, settings: Parameters<Act>[2]) =>
    withService(settings, async (service) => act(service, await findUser(service, given), settings)),
  )
}

async function show({ ctx, organization }: LocalService, user: User, { json }: AdminSettings): Promise<void> {
  const locked = await codesLocked(ctx, { userId: user.id, budget: 'other' })
  const knownLocked = await codesLocked(ctx, { userId: user.id, budget: 'known' })
  const knownBrowsers = await countKnownBrowsers(ctx.store.db, user.id, ctx.clock.now())
  if (json) {
    return printJson({
      ...user,
      knownBrowsers,
      ...(locked !== undefined && { codesLockedUntil: locked }),
      ...(knownLocked !== undefined && { knownBrowserCodesLockedUntil: knownLocked }),
    })
  }
  const domains = (await listDomains(ctx, organization.id)).filter(({ id }) => user.domains.includes(id))
  printRows([
    ['Username', user.username],
    ['Id', user.id],
    ['Name', user.name],
    ['E-mail', user.email],
    ['Domains', domains.map(({ name }) => name).join(', ') || 'none'],
    ['Factors', factorsOf(user.factors)],
    ['Hardware token', user.hardware || 'none'],
    ['Bypass codes', String(user.bypasscodes.length)],
    ['Ever enrolled', yesOrNo(user.everEnrolled ?? false)],
    ['Known browsers', String(knownBrowsers)],
    ...(locked === undefined ? [] : [['Codes locked', lockedText(locked)] as const]),
    ...(knownLocked === undefined ? [] : [['Codes locked in known browsers', lockedText(knownLocked)] as const]),
  ])
}

const lockedText = (until: number | 'unlocked') =>
  until === 'unlocked'
    ? 'until unlocked: second-factor user unlock'
    : `until ${new Date(until * 1000).toISOString().replace('.000', '')}`
