import { DeviceApproval, DeviceRequest } from '../../contract/device-answers.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { printJson } from '../terminal/print.ts'
import { noticeLine } from './notices.ts'
import { readInbox } from './pending.ts'
import { printRequest } from './print.ts'
import { printAction } from './print-action.ts'
import { accountName } from './account-name.ts'

/** The nonce stays out of logs: together with the key it answers a request. */
const ListedRequest = DeviceRequest.omit({ nonce: true })
const ListedApproval = DeviceApproval.omit({ nonce: true })

/** Prints pending requests, actions to approve and notices. In the JSON, members may be added, but never changed. */
export async function list(device: Device, accounts: readonly Account[], json: boolean): Promise<void> {
  const { pending, actions, notices } = await readInbox(device, accounts)
  if (json) {
    return printJson({
      accounts: accounts.map(({ id, label, serviceUrl, organization, domain, user }) => ({
        id,
        serviceUrl,
        organization,
        domain,
        user,
        ...(label !== undefined && { label }),
      })),
      requests: pending.map(({ account, request }) => ({ ...ListedRequest.parse(request), account: account.id })),
      approvals: actions.map(({ account, approval }) => ({ ...ListedApproval.parse(approval), account: account.id })),
      notices: notices.map(({ account, notice }) => ({ ...notice, account: account.id })),
    })
  }
  for (const account of accounts) console.log(`Account  ${accountName(account)}`)
  for (const each of notices) console.log(noticeLine(each))
  if (pending.length + actions.length === 0) console.log('No pending requests.')
  for (const each of pending) {
    console.log('')
    printRequest(each)
  }
  for (const each of actions) {
    console.log('')
    printAction(each)
  }
}
