import type { Account } from '../../device/account.ts'
import { exitCode } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { accountName } from './print.ts'

/** The account that was named: by what its owner calls it, its domain, its user, or the beginning of its id; or the only one. */
export function chooseAccount(accounts: readonly Account[], named: string | undefined): Account {
  const matching = named === undefined ? accounts : accounts.filter((account) => isNamed(account, named.toLowerCase()))
  const [only, ...others] = matching
  if (only && others.length === 0) return only
  const list = (only ? matching : accounts).map((account) => `${account.id.slice(0, 12)} ${accountName(account)}`)
  const what = only ? 'There are several accounts' : `There is no account "${named}"`
  throw new Failure(`${what}. Name one of: ${list.join(', ')}`, exitCode.usage)
}

function isNamed({ id, label = '', domain, user }: Account, name: string): boolean {
  return [label, domain.name, user.username].some((one) => one.toLowerCase() === name) || id.startsWith(name)
}
