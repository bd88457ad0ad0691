import type { Account } from '../../device/account.ts'
import { exitCode } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { accountName } from './print.ts'
import { saveAccounts } from './state-file.ts'

/** Gives an account a name of its owner's choice; only this file knows it. An empty one takes it away. */
export async function rename(state: string, account: Account, name: string): Promise<void> {
  const label = name.trim()
  if (Array.from(label).length > 64) throw new Failure('A name has at most 64 characters.', exitCode.usage)
  const { label: _before, ...rest } = account
  const renamed = label === '' ? rest : { ...rest, label }
  await saveAccounts(state, [renamed])
  console.log(`Renamed  ${accountName(renamed)}`)
}
