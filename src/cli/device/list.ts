import { DeviceRequest } from '../../contract/device.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { noticeLine } from './notices.ts'
import { readInbox } from './pending.ts'
import { accountName, printRequest } from './print.ts'

/** What answers a request together with the key stays out of logs. */
const ListedRequest = DeviceRequest.omit({ nonce: true })

/** Prints what waits for an answer, and what changed. The JSON is a promise to scripts: members are added, never changed. */
export async function list(device: Device, accounts: readonly Account[], json: boolean): Promise<void> {
  const { pending, notices } = await readInbox(device, accounts)
  if (json) {
    const view = {
      accounts: accounts.map(({ id, label, serviceUrl, organization, domain, user }) => ({
        id,
        serviceUrl,
        organization,
        domain,
        user,
        ...(label !== undefined && { label }),
      })),
      requests: pending.map(({ account, request }) => ({ ...ListedRequest.parse(request), account: account.id })),
      notices: notices.map(({ account, notice }) => ({ ...notice, account: account.id })),
    }
    console.log(JSON.stringify(view, undefined, 2))
    return
  }
  for (const account of accounts) console.log(`Account  ${accountName(account)}`)
  for (const each of notices) console.log(noticeLine(each))
  if (pending.length === 0) console.log('Nothing to approve.')
  for (const each of pending) {
    console.log('')
    printRequest(each)
  }
}
