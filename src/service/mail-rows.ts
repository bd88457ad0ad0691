import type { MailRows } from './engine/mail/mail-rows.ts'
import { administratorById, ownersOf } from './features/administrators/statements.ts'
import { deviceById } from './features/devices/statements.ts'
import { organizationById } from './features/domains/organization-statements.ts'
import { domainById } from './features/domains/statements.ts'
import { redeemedSession } from './features/factors/passes.ts'
import { userById } from './features/users/statements.ts'

/** The rows that mails read to name things. */
export const mailRows: MailRows = {
  user: userById,
  organization: organizationById,
  domain: domainById,
  device: deviceById,
  administrator: administratorById,
  owners: ownersOf,
  confirmation: redeemedSession,
}
