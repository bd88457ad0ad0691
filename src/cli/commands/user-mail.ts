import type { Command } from 'commander'

import { linkDays } from '../../admin-contract/link-days.ts'
import type { SentPlace } from '../../contract/factor-descriptions.ts'
import { updateUser } from '../../contract/users.ts'
import * as users from '../../service/features/users/operations.ts'
import { changeAddress } from '../../service/features/people/change-address.ts'
import { sendEnrollmentMail } from '../../service/features/people/enrollment-mail.ts'
import { lockUser, userById } from '../../service/features/users/statements.ts'
import { authenticatorUrlOption } from '../admin/authenticator-url.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain, findUser } from '../admin/find.ts'
import { mailingAction } from '../admin/local-service.ts'
import { ApiProblem } from '../../service/engine/base/problem.ts'
import { integer } from '../terminal/parse.ts'
import { dateOf, printDone, quote } from '../terminal/print.ts'

interface Inviting extends AdminSettings {
  readonly domain: string
  readonly days: number
}

/** Both send mail, by `MFA_SMTP_URL` and `MFA_SMTP_FROM`. */
const byMail = 'Set MFA_SMTP_URL and MFA_SMTP_FROM, as for `serve`'

export function inviteUserCommand(): Command {
  return adminCommand('invite', `mail a user the link that sets up a device. ${byMail}`, [
    "user invite alice --domain 'Intranet' --authenticator-url https://mfa.example",
    "user invite alice --domain 'Intranet' --days 30 --json",
  ])
    .argument('<user>', 'username or id')
    .requiredOption('--domain <domain>', 'name or id of the domain')
    .option('--days <days>', `how long the link works: 1 to ${linkDays.max}`, integer(1, linkDays.max), linkDays.usual)
    .addOption(authenticatorUrlOption('public address of the authenticator, such as https://mfa.example'))
    .action(
      mailingAction(async (service, nameOrId: string, { days, ...settings }: Inviting) => {
        const [user, domain] = [await findUser(service, nameOrId), await findDomain(service, settings.domain)]
        const mailRequest = { userId: user.id, domainId: domain.id, days }
        const expiresAt = await sendEnrollmentMail(service.caller, mailRequest)
        const message = `Mailed a link to ${user.email}. It works until ${dateOf(expiresAt)}, and earlier ones no longer do.`
        printDone(settings, { user: user.id, domain: domain.id, expiresAt }, message)
      }),
    )
}

function emailCommand(): Command {
  return adminCommand('email', `change the e-mail address of a user, who is told at the old one. ${byMail}`, [
    'user email alice alice.doe@example.com',
    'user email alice alice.doe@example.com --json',
  ])
    .argument('<user>', 'username or id')
    .argument('<address>', 'the new e-mail address')
    .action(
      mailingAction(async (service, nameOrId: string, email: string, settings: AdminSettings) => {
        const { id: userId, username } = await findUser(service, nameOrId)
        const input = { params: { userId }, body: { email } }
        const changed = await service.call(updateUser, input, async (_input, call) => {
          await call.store.db.transaction().execute(async (db) => {
            await lockUser(db, call.organizationId, userId)
            const user = await userById(db, call.organizationId, userId)
            if (!user) throw new ApiProblem('api.error.notfound.user')
            await changeAddress(db, call, user, email)
          })
          return users.get({ userId }, call)
        })
        printDone(settings, { user: userId, email: changed.email }, `The address of ${quote(username)} is ${email}.`)
      }),
    )
}

/** The commands that change what codes are sent to. */
export const placeCommands: Readonly<Record<SentPlace, () => Command>> = { email: emailCommand }
