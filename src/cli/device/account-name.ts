import { shownNameOf } from '../../contract/shown-name.ts'
import { type Account } from '../../device/account.ts'
import { printable } from '../../ground/printable.ts'

export function accountName({ label, user, domain, organization }: Account): string {
  const prefix = label === undefined ? '' : `${label}: `
  return printable(`${prefix}${shownNameOf(user)?.name} at ${domain.name} (${organization.name})`)
}
