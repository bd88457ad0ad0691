import type { Command } from 'commander'

import { addMember, removeMember } from '../../contract/domains.ts'
import { createUser, deleteUser } from '../../contract/users.ts'
import type { User } from '../../contract/users.ts'
import { listDomains } from '../../service/features/domains/administration.ts'
import { createUser as addUser } from '../../service/features/users/operations.ts'
import { endUserSessions } from '../../service/features/people/end-sessions.ts'
import { resetUser } from '../../service/features/people/reset.ts'
import { codesLocked, unlockUser } from '../../service/features/people/unlock.ts'
import { countKnownBrowsers } from '../../service/features/browsers/statements.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain, findUser } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { dateOf, printDone, printJson, printRows, quote, yesOrNo } from '../terminal/print.ts'
import { confirm, yesOption } from '../terminal/prompt.ts'
import { listPasskeys, passkeyText } from './passkey.ts'
import { fieldRows, mapFields, shownFields } from './user-fields.ts'
import type { UserFieldName } from './user-fields.ts'
import { userImportCommand } from './user-import.ts'
import { factorsOf, userListCommand } from './user-list.ts'
import { inviteUserCommand, placeCommands } from './user-mail.ts'
import { timelineCommand } from './user-timeline.ts'

type OfDomain = AdminSettings & { readonly domain: string }

/** `second-factor user`. */
export function userCommand(): Command {
  const commands = [
    createCommand(),
    userImportCommand(),
    userListCommand(),
    showCommand(),
    timelineCommand(),
    joinCommand(),
    leaveCommand(),
    inviteUserCommand(),
    ...Object.values(placeCommands).map((create) => create()),
    unlockCommand(),
    endSessionsCommand(),
    resetCommand(),
    deleteCommand(),
  ]
  return groupCommand('user', 'manage users', commands, [
    "user create alice --name 'Alice Doe' --email alice@example.com --domain 'Intranet'",
    'user show alice',
  ])
}

interface Creating extends AdminSettings, Readonly<Record<UserFieldName, string>> {
  readonly domain?: string
}

function createCommand(): Command {
  const command = adminCommand('create', 'create a user', [
    "user create alice --name 'Alice Doe' --email alice@example.com",
    "user create bob --name 'Bob Roe' --email bob@example.com --domain 'Intranet' --json",
  ]).argument('<username>', 'username in the app; it cannot be changed later')
  for (const { flags, description, isRequired } of shownFields) {
    if (isRequired) command.requiredOption(flags, description)
    else command.option(flags, description)
  }
  return command.option('--domain <domain>', 'name or id of a domain to join at once').action(
    serviceAction(async (service, username: string, settings: Creating) => {
      const domain = settings.domain === undefined ? undefined : await findDomain(service, settings.domain)
      const body = { username, ...mapFields((name) => settings[name]) }
      const user = await service.call(createUser, { body }, (input, caller) => addUser(input, caller, domain?.id))
      await show(service, await findUser(service, user.id), settings)
    }),
  )
}

function showCommand(): Command {
  return adminCommand('show', 'show a user', 'user show alice')
    .argument('<user>', 'username or id')
    .action(onUser(show))
}

function joinCommand(): Command {
  return adminCommand('join', 'add a user to a domain', [
    "user join alice --domain 'Intranet'",
    "user join alice --domain 'VPN' --json",
  ])
    .argument('<user>', 'username or id')
    .requiredOption('--domain <domain>', 'name or id of the domain')
    .action(
      serviceAction(async (service, nameOrId: string, settings: OfDomain) => {
        const [user, domain] = [await findUser(service, nameOrId), await findDomain(service, settings.domain)]
        await service.call(addMember, { params: { domainId: domain.id, userId: user.id } })
        const done = { user: user.id, domain: domain.id }
        printDone(settings, done, `${quote(user.username)} now belongs to ${quote(domain.name)}.`)
      }),
    )
}

function leaveCommand(): Command {
  return adminCommand('leave', 'remove a user from a domain, and revoke the token there', [
    "user leave alice --domain 'Intranet'",
    "user leave alice --domain 'VPN' --yes --json",
  ])
    .argument('<user>', 'username or id')
    .requiredOption('--domain <domain>', 'name or id of the domain')
    .option(...yesOption)
    .action(
      serviceAction(async (service, nameOrId: string, settings: OfDomain & { yes?: boolean }) => {
        const [user, domain] = [await findUser(service, nameOrId), await findDomain(service, settings.domain)]
        await confirm(
          `remove ${quote(user.username)} from ${quote(domain.name)} and revoke the token there`,
          settings.yes,
        )
        await service.call(removeMember, { params: { domainId: domain.id, userId: user.id } })
        const done = { user: user.id, domain: domain.id }
        printDone(settings, done, `${quote(user.username)} no longer belongs to ${quote(domain.name)}.`)
      }),
    )
}

function unlockCommand(): Command {
  return adminCommand('unlock', 'unlock codes and push requests of a user', 'user unlock alice')
    .argument('<user>', 'username or id')
    .action(
      onUser(async (service, user, settings) => {
        await unlockUser(service.ctx, {
          organizationId: service.organization.id,
          userId: user.id,
          domainIds: user.domains,
        })
        printDone(settings, { user: user.id }, `Unlocked ${quote(user.username)}.`)
      }),
    )
}

function endSessionsCommand(): Command {
  return adminCommand(
    'end-sessions',
    'end the verified web sessions and remembered browsers of a user',
    'user end-sessions alice',
  )
    .argument('<user>', 'username or id')
    .action(
      onUser(async (service, user, settings) => {
        await endUserSessions(service.ctx, { organizationId: service.organization.id, userId: user.id })
        const message = `Within a minute, ${quote(user.username)} must pass the second step again in every browser.`
        printDone(settings, { user: user.id }, message)
      }),
    )
}

function resetCommand(): Command {
  return adminCommand('reset', 'remove all factors of a user, who can then set up a first one again', [
    'user reset alice',
    'user reset alice --yes --json',
  ])
    .argument('<user>', 'username or id')
    .option(...yesOption)
    .action(
      onUser(async (service, user, settings) => {
        const name = quote(user.username)
        await confirm(
          `remove all devices, hardware tokens, passkeys and codes of ${name}, who can then sign in with the password alone`,
          settings.yes,
        )
        await resetUser(service.ctx, { organizationId: service.organization.id, userId: user.id })
        printDone(
          settings,
          { user: user.id },
          `${name} no longer has any factors, and sets up a first one at the next sign-in.`,
        )
      }),
    )
}

function deleteCommand(): Command {
  return adminCommand('delete', 'delete a user with all tokens and codes', [
    'user delete alice',
    'user delete alice --yes --json',
  ])
    .argument('<user>', 'username or id')
    .option(...yesOption)
    .action(
      onUser(async (service, user, settings) => {
        await confirm(
          `delete the user ${quote(user.username)} (${quote(user.name)}) with all tokens and codes`,
          settings.yes,
        )
        await service.call(deleteUser, { params: { userId: user.id } })
        printDone(settings, { user: user.id }, `Deleted ${quote(user.username)}.`)
      }),
    )
}

type Act = (service: LocalService, user: User, settings: AdminSettings & { readonly yes?: boolean }) => Promise<void>

/** Wraps an action on one user. */
function onUser(act: Act) {
  return serviceAction(async (service, nameOrId: string, settings: Parameters<Act>[2]) =>
    act(service, await findUser(service, nameOrId), settings),
  )
}

async function show(service: LocalService, user: User, { json }: AdminSettings): Promise<void> {
  const { ctx, organization } = service
  const locked = await codesLocked(ctx, { userId: user.id, budget: 'other' })
  const knownLocked = await codesLocked(ctx, { userId: user.id, budget: 'known' })
  const knownBrowsers = await countKnownBrowsers(ctx.store.db, user.id, ctx.clock.now())
  const passkeys = await listPasskeys(service, user)
  if (json) {
    return printJson({
      ...user,
      passkeyDetails: passkeys,
      knownBrowsers,
      ...(locked !== undefined && { codesLockedUntil: locked }),
      ...(knownLocked !== undefined && { knownBrowserCodesLockedUntil: knownLocked }),
    })
  }
  const domains = (await listDomains(ctx, organization.id)).filter(({ id }) => user.domains.includes(id))
  printRows([
    ['Username', user.username],
    ['Id', user.id],
    ...fieldRows(user),
    ['Domains', domains.map(({ name }) => name).join(', ') || 'none'],
    ['Factors', factorsOf(user.factors)],
    ['Hardware token', user.hardware || 'none'],
    ...(passkeys.length === 0
      ? [['Passkeys', 'none'] as const]
      : passkeys.map((each) => ['Passkey', passkeyText(each)] as const)),
    ['Bypass codes', String(user.bypasscodes.length)],
    ['Ever enrolled', yesOrNo(user.everEnrolled ?? false)],
    ['Known browsers', String(knownBrowsers)],
    ...(locked === undefined ? [] : [['Codes locked', lockedText(locked)] as const]),
    ...(knownLocked === undefined ? [] : [['Codes locked in known browsers', lockedText(knownLocked)] as const]),
  ])
}

const lockedText = (until: number | 'unlocked') =>
  until === 'unlocked' ? 'until an administrator unlocks: second-factor user unlock' : `until ${dateOf(until)}`
