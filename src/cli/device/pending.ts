import type { DeviceRequest } from '../../contract/device.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { exitCode } from './exit-codes.ts'
import { explain, Failure } from './failure.ts'
import type { AccountNotice } from './notices.ts'
import { accountName } from './print.ts'

/** A request that waits for an answer, with the account it is for. */
export interface Pending {
  readonly account: Account
  readonly request: DeviceRequest
}

/** What an inbox has: both newest first. */
export interface ReadInbox {
  readonly pending: readonly Pending[]
  readonly notices: readonly AccountNotice[]
}

/** All that waits, newest first. */
export async function readPending(device: Device, accounts: readonly Account[]): Promise<readonly Pending[]> {
  return (await readInbox(device, accounts)).pending
}

/** Requests and notices. An account that cannot be asked is named on stderr; all failing is a failure. */
export async function readInbox(device: Device, accounts: readonly Account[]): Promise<ReadInbox> {
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

async function readAccount(device: Device, account: Account): Promise<ReadInbox> {
  const { requests = [], notices = [] } = await device.requests(account)
  return {
    pending: requests.map((request) => ({ account, request })),
    notices: notices.map((notice) => ({ account, notice })),
  }
}

/** The request that was named, by its id or the beginning of it; or the only one. */
export function choose(pending: readonly Pending[], session: string | undefined): Pending {
  const matching = pending.filter(({ request }) => request.id.startsWith(session?.toLowerCase() ?? ''))
  const [only, ...others] = matching
  if (only && others.length === 0) return only
  if (!only) {
    const what = session === undefined ? 'Nothing is pending' : `No pending session ${session}`
    throw new Failure(`${what}. Start a sign-in on the web page, then try again.`, exitCode.nothingPending)
  }
  const ids = matching.map(({ request }) => request.id).join(' ')
  throw new Failure(`${matching.length} sessions are pending. Name one of: ${ids}`, exitCode.usage)
}
