import type { DeviceRequest } from '../../contract/device-answers.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { exitCode, explain, Failure } from '../terminal/failure.ts'
import type { AccountNotice } from './notices.ts'
import { accountName } from './account-name.ts'

/** A pending request, with its account. */
export interface Pending {
  readonly account: Account
  readonly request: DeviceRequest
}

/** The content of the inboxes, newest first. */
export interface Inbox {
  readonly pending: readonly Pending[]
  readonly notices: readonly AccountNotice[]
}

/** All pending requests, newest first. */
export async function readPending(device: Device, accounts: readonly Account[]): Promise<readonly Pending[]> {
  return (await readInbox(device, accounts)).pending
}

/** Prints the accounts that cannot be read on stderr. @throws the first error when no account can be read. */
export async function readInbox(device: Device, accounts: readonly Account[]): Promise<Inbox> {
  const results = await Promise.allSettled(accounts.map((account) => readAccount(device, account)))
  const failures = results.flatMap((result, index) => {
    const account = accounts[index]
    return result.status === 'rejected' && account ? [{ account, reason: result.reason as unknown }] : []
  })
  const [first] = failures
  if (first && failures.length === accounts.length) throw first.reason
  for (const { account, reason } of failures) console.error(`${accountName(account)}: ${explain(reason)}`)
  const read = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  return {
    pending: read.flatMap(({ pending }) => pending).sort((a, b) => b.request.createdAt - a.request.createdAt),
    notices: read.flatMap(({ notices }) => notices).sort((a, b) => b.notice.createdAt - a.notice.createdAt),
  }
}

async function readAccount(device: Device, account: Account): Promise<Inbox> {
  const { requests = [], notices = [] } = await device.requests(account)
  return {
    pending: requests.map((request) => ({ account, request })),
    notices: notices.map((notice) => ({ account, notice })),
  }
}

/** Chooses a request by its id or the beginning of it; without an id, the only request. */
export function choose(pending: readonly Pending[], session: string | undefined): Pending {
  const matching = pending.filter(({ request }) => request.id.startsWith(session?.toLowerCase() ?? ''))
  const [only, ...otherMatches] = matching
  if (only && otherMatches.length === 0) return only
  if (!only) {
    const problem = session === undefined ? 'No request is pending' : `No pending session ${session}`
    throw new Failure(`${problem}. Start a sign-in on the web page, then try again.`, exitCode.nothingPending)
  }
  const ids = matching.map(({ request }) => request.id).join(' ')
  throw new Failure(`${matching.length} sessions are pending. Choose one of: ${ids}`, exitCode.usage)
}
