import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { exitCode, Failure } from '../terminal/failure.ts'
import { confirm } from '../terminal/prompt.ts'
import { accountName } from './account-name.ts'
import { removeAccount, saveAccounts } from './state-file.ts'

/** Chooses an account by its label, domain, username or the beginning of its id; without a name, the only account. */
export function chooseAccount(accounts: readonly Account[], name: string | undefined): Account {
  const matching = name === undefined ? accounts : accounts.filter((account) => isNamed(account, name.toLowerCase()))
  const [only, ...otherMatches] = matching
  if (only && otherMatches.length === 0) return only
  const list = (only ? matching : accounts).map((account) => `${account.id.slice(0, 12)} ${accountName(account)}`)
  const problem = only ? 'Several accounts match' : `No account "${name}"`
  throw new Failure(`${problem}. Choose one of: ${list.join(', ')}`, exitCode.usage)
}

function isNamed({ id, label, domain, user }: Account, name: string): boolean {
  return (
    [label, domain.name, user.username, user.name].some((candidate) => candidate?.toLowerCase() === name) ||
    id.startsWith(name)
  )
}

/** Changes the label of an account, which only this file has. An empty label removes it. */
export async function renameAccount(state: string, account: Account, name: string): Promise<void> {
  const label = name.trim()
  if (Array.from(label).length > 64) throw new Failure('A name has at most 64 characters.', exitCode.usage)
  const { label: _before, ...rest } = account
  const renamed = label === '' ? rest : { ...rest, label }
  await saveAccounts(state, [renamed])
  console.log(`Renamed  ${accountName(renamed)}`)
}

export interface RemoveSettings {
  readonly state: string
  readonly yes?: boolean
}

/** Removes the device from the service first: without the key in the file, nothing could. */
export async function remove(device: Device, account: Account, { state, yes }: RemoveSettings): Promise<void> {
  await confirm(`remove ${accountName(account)}, which can then no longer approve requests or generate codes`, yes)
  await device.remove(account)
  await removeAccount(state, account.id)
  console.log(`Removed  ${accountName(account)}`)
}
