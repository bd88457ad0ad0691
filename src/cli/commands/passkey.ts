import type { Command } from 'commander'

import { deletePasskey } from '../../contract/passkeys.ts'
import type { Passkey } from '../../contract/passkeys.ts'
import type { User } from '../../contract/users.ts'
import { passkeysOfUser } from '../../service/features/factors/possessions.ts'
import { passkeyView } from '../../service/features/passkeys/view.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findUser, pick } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import type { LocalService } from '../admin/local-service.ts'
import { dateOf, printDone, printJson, printTable, quote, shortId } from '../terminal/print.ts'
import { confirm, yesOption } from '../terminal/prompt.ts'

/** `second-factor passkey`. Users add passkeys themselves, in the app. */
export function passkeyCommand(): Command {
  return groupCommand(
    'passkey',
    'manage passkeys, which users add in the app',
    [listCommand(), deleteCommand()],
    ['passkey list alice', "passkey delete alice 'Chrome on Windows'"],
  )
}

function listCommand(): Command {
  return adminCommand('list', 'list the passkeys of a user', 'passkey list alice')
    .argument('<user>', 'username or id')
    .action(
      serviceAction(async (service, nameOrId: string, { json }: AdminSettings) => {
        const passkeys = await listPasskeys(service, await findUser(service, nameOrId))
        if (json) return printJson(passkeys)
        const rows = passkeys.map((passkey) => [
          passkey.name,
          passkey.rpId,
          placeOf(passkey),
          usedText(passkey),
          shortId(passkey.id),
        ])
        printTable(['Name', 'App', 'Kept', 'Last used', 'Id'], rows, 'The user has no passkeys.')
      }),
    )
}

function deleteCommand(): Command {
  return adminCommand('delete', 'delete a passkey of a user', [
    "passkey delete alice 'Chrome on Windows'",
    'passkey delete alice 3f2a91c0 --yes --json',
  ])
    .argument('<user>', 'username or id')
    .argument('<passkey>', 'its name or id, or the beginning of its id')
    .option(...yesOption)
    .action(
      serviceAction(
        async (service, nameOrId: string, passkeyName: string, settings: AdminSettings & { yes?: boolean }) => {
          const user = await findUser(service, nameOrId)
          const passkey = pickPasskey(await listPasskeys(service, user), passkeyName)
          await confirm(`delete ${described(passkey)} of ${quote(user.username)}`, settings.yes)
          // A passkey is valid in every domain, and a user without a domain has none.
          const [domainId = ''] = user.domains
          await service.call(deletePasskey, { params: { domainId, userId: user.id, passkeyId: passkey.id } })
          const done = { user: user.id, passkey: passkey.id }
          printDone(settings, done, `Deleted ${described(passkey)} of ${quote(user.username)}.`)
        },
      ),
    )
}

/** Oldest first. */
export async function listPasskeys({ ctx }: LocalService, { id }: User): Promise<Passkey[]> {
  return (await passkeysOfUser(ctx.store.db, id)).map((row) => passkeyView(row))
}

/** Returns a text such as `"Laptop" for app.example, synced, last used 2026-11-22T06:30:00Z`. */
export const passkeyText = (passkey: Passkey): string =>
  `${quote(passkey.name)} for ${passkey.rpId}, ${placeOf(passkey)}, ${passkey.lastUsedAt === undefined ? 'never used' : `last used ${usedText(passkey)}`}`

const placeOf = ({ syncable, synced }: Passkey): string =>
  syncable ? (synced ? 'synced' : 'can be synced') : 'this device only'

const usedText = ({ lastUsedAt }: Passkey): string => (lastUsedAt === undefined ? 'never' : dateOf(lastUsedAt))

const described = ({ name, rpId }: Passkey): string => `the passkey ${quote(name)} for ${rpId}`

const pickPasskey = (passkeys: readonly Passkey[], nameOrId: string): Passkey =>
  pick(passkeys, nameOrId, {
    noun: 'passkey',
    names: ({ name, id }) => [name, id],
    show: ({ name, id }) => `${quote(name)} (${shortId(id)})`,
  })
