import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { confirm } from '../admin/confirm.ts'
import { accountName } from './print.ts'
import { removeAccount } from './state-file.ts'

export interface RemoveSettings {
  readonly state: string
  readonly yes?: boolean
}

/** Takes the device's key off the service, then the account out of the file: in this order, as without it nobody could. */
export async function remove(device: Device, account: Account, { state, yes }: RemoveSettings): Promise<void> {
  await confirm(`remove ${accountName(account)}: it can then approve nothing, and make no codes`, yes)
  await device.remove(account)
  await removeAccount(state, account.id)
  console.log(`Removed  ${accountName(account)}`)
}
