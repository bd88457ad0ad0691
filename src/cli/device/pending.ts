import type { DeviceRequest } from '../../contract/device-answers.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { exitCode, explain, Failure } from '../terminal/failure.ts'
import type { AccountNotice } from './notices.ts'
import { accountName } from './account-name.ts'
import type { PendingAction } from './print-action.ts'

/** A pending request, with its account. */
export interface Pending {
  readonly account: Account
  readonly request: DeviceRequest
}

/** The content of the inboxes, newest first. */
export interface Inbox {
  readonly pending: readonly Pending[]
  /** The actions to approve. */
  readonly actions: readonly PendingAction[]
  readonly notices: readonly AccountNotice[]
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
    actions: read.flatMap(({ actions }) => actions).sort((a, b) => b.approval.createdAt - a.approval.createdAt),
    notices: read.flatMap(({ notices }) => notices).sort((a, b) => b.notice.createdAt - a.notice.createdAt),
  }
}

async function readAccount(device: Device, account: Account): Promise<Inbox> {
  const { requests = [], notices = [], approvals = [] } = await device.requests(account)
  return {
    pending: requests.map((request) => ({ account, request })),
    actions: approvals.map((approval) => ({ account, approval })),
    notices: notices.map((notice) => ({ account, notice })),
  }
}

/**
 * Chooses a request or an action by its id or the beginning of it; without an id, the only request. An action has to be named, because
 * whoever meant a sign-in that is gone must not sign an action unread.
 */
export function choose({ pending, actions }: Inbox, id: string | undefined): Pending | PendingAction {
  const matching = [
    ...pending.map((each) => ({ each, id: each.request.id })),
    ...(id === undefined ? [] : actions.map((each) => ({ each, id: each.approval.id }))),
  ].filter((each) => each.id.startsWith(id?.toLowerCase() ?? ''))
  const [only, ...otherMatches] = matching
  if (only && otherMatches.length === 0) return only.each
  if (!only && id === undefined && actions.length > 0) {
    const ids = actions.map(({ approval }) => approval.id).join(' ')
    throw new Failure(`No sign-in is pending, but an action is. Read it, then name its id: ${ids}`, exitCode.usage)
  }
  if (!only) {
    const problem = id === undefined ? 'No request is pending' : `No pending session ${id}`
    throw new Failure(`${problem}. Start a sign-in on the web page, then try again.`, exitCode.nothingPending)
  }
  const ids = matching.map((each) => each.id).join(' ')
  throw new Failure(`${matching.length} sessions are pending. Choose one of: ${ids}`, exitCode.usage)
}
