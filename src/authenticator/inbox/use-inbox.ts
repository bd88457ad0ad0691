import { useCallback, useEffect, useState } from 'preact/hooks'

import type { PhoneCall } from '../../contract/phone-calls.ts'
import { clockTolerance } from '../../contract/device.ts'
import { type DeviceApproval, type DeviceRequest, type Notice } from '../../contract/device-answers.ts'
import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { DeviceError, isGone } from '../../device/device-error.ts'
import { awaitConnection } from './connections.ts'
import { useVisible } from '../hooks/use-visible.ts'

/** A pending request, with its account. */
export interface Pending {
  readonly account: Account
  readonly request: DeviceRequest
}

/** A call to the help desk that the person is asked to confirm, with its account. */
export interface PendingCall {
  readonly account: Account
  readonly call: PhoneCall
}

/** An action to approve, with its account. */
export interface PendingApproval {
  readonly account: Account
  readonly approval: DeviceApproval
}

/** A notice that the person has not dismissed, with its account. */
export interface ShownNotice {
  readonly account: Account
  readonly notice: Notice
}

export interface Inbox {
  /** The requests of all accounts, newest first. */
  readonly pending: readonly Pending[]
  /** The calls of all accounts, newest first. */
  readonly calls: readonly PendingCall[]
  /** The approvals of all accounts, newest first. */
  readonly approvals: readonly PendingApproval[]
  /** The notices of all accounts, newest first. */
  readonly notices: readonly ShownNotice[]
  /** Ids of accounts whose service cannot be reached. */
  readonly unreachable: ReadonlySet<string>
  /** Accounts that their service no longer accepts, by id, and whether another device replaced this one. */
  readonly goneAccounts: ReadonlyMap<string, 'removed' | 'moved'>
  /** Removes an answered request, call or approval before the service's list does. */
  forget(answered: Pick<DeviceRequest, 'id'>): void
  /** Hides a notice and dismisses it at the service. It comes back if that call fails. */
  dismiss(notice: ShownNotice): Promise<void>
}

/** How many things wait for an answer. */
export const countOf = ({ pending, calls, approvals }: Pick<Inbox, 'pending' | 'calls' | 'approvals'>): number =>
  pending.length + calls.length + approvals.length

/** The pause between calls that are not held, milliseconds. */
const pollIntervals = { visible: 1000, hidden: 5000 }
/** The number of accounts above which each is polled less often. */
const maxFastAccounts = 8

/** Watches the requests of all accounts while the page is open. */
export function useInbox(device: Device, accounts: readonly Account[], now: number): Inbox {
  const [lists, setLists] = useState<ReadonlyMap<string, readonly Pending[]>>(new Map())
  const [callLists, setCallLists] = useState<ReadonlyMap<string, readonly PendingCall[]>>(new Map())
  const [approvalLists, setApprovalLists] = useState<ReadonlyMap<string, readonly PendingApproval[]>>(new Map())
  const [noticeLists, setNoticeLists] = useState<ReadonlyMap<string, readonly ShownNotice[]>>(new Map())
  const [unreachable, setUnreachable] = useState<ReadonlySet<string>>(new Set())
  const [goneAccounts, setGone] = useState<Inbox['goneAccounts']>(new Map())
  const [forgotten, setForgotten] = useState<ReadonlySet<string>>(new Set())
  const visible = useVisible()

  useEffect(() => {
    const stop = new AbortController()
    const slowdown = Math.max(1, accounts.length / maxFastAccounts)
    accounts.forEach((account, index) => {
      const connected = visible.now ? awaitConnection(index, stop.signal) : () => false
      const pollInterval = slowdown * (visible.now ? pollIntervals.visible : pollIntervals.hidden)
      void follow(account, () => (connected() ? undefined : pollInterval), stop.signal)
    })
    return () => stop.abort()
    // oxlint-disable-next-line react/exhaustive-deps -- `visible` is a new object whenever it makes sense to reconnect
  }, [device, accounts, visible])

  async function follow(account: Account, pollInterval: () => number | undefined, signal: AbortSignal): Promise<void> {
    try {
      await device.watch(account, {
        signal,
        pollInterval,
        onChange: (requests) => {
          setLists((before) =>
            new Map(before).set(
              account.id,
              requests.map((request) => ({ account, request })),
            ),
          )
          setUnreachable((before) => without(before, account.id))
        },
        onNotices: (notices) =>
          setNoticeLists((before) =>
            new Map(before).set(
              account.id,
              notices.map((notice) => ({ account, notice })),
            ),
          ),
        onCalls: (calls) =>
          setCallLists((before) =>
            new Map(before).set(
              account.id,
              calls.map((call) => ({ account, call })),
            ),
          ),
        onApprovals: (approvals) =>
          setApprovalLists((before) =>
            new Map(before).set(
              account.id,
              approvals.map((approval) => ({ account, approval })),
            ),
          ),
        onDisconnect: () => setUnreachable((before) => new Set(before).add(account.id)),
        onReconnect: () => setUnreachable((before) => without(before, account.id)),
      })
    } catch (error) {
      if (isGone(error)) setGone((before) => new Map(before).set(account.id, reasonOf(error)))
      else setUnreachable((before) => new Set(before).add(account.id))
    }
  }

  const forget = useCallback<Inbox['forget']>(({ id }) => setForgotten((before) => new Set(before).add(id)), [])
  const dismiss = useCallback(
    async ({ account, notice }: ShownNotice) => {
      setForgotten((before) => new Set(before).add(notice.id))
      try {
        await device.acknowledge(account, notice)
      } catch {
        // Shown again, so that the person can dismiss it once more.
        setForgotten((before) => without(before, notice.id))
      }
    },
    [device],
  )
  const currentAccounts = accounts.filter(({ id }) => !goneAccounts.has(id))
  const notices = currentAccounts
    .flatMap(({ id }) => noticeLists.get(id) ?? [])
    .filter(({ notice }) => !forgotten.has(notice.id))
    .sort((a, b) => b.notice.createdAt - a.notice.createdAt)
  const pending = currentAccounts
    .flatMap(({ id }) => lists.get(id) ?? [])
    .filter(({ account, request }) => !forgotten.has(request.id) && !isExpired(account, request, now))
    .sort((a, b) => b.request.createdAt - a.request.createdAt)
  const calls = currentAccounts
    .flatMap(({ id }) => callLists.get(id) ?? [])
    .filter(({ account, call }) => !forgotten.has(call.id) && !isExpired(account, call, now))
    .sort((a, b) => b.call.createdAt - a.call.createdAt)
  const approvals = currentAccounts
    .flatMap(({ id }) => approvalLists.get(id) ?? [])
    .filter(({ account, approval }) => !forgotten.has(approval.id) && !isExpired(account, approval, now))
    .sort((a, b) => b.approval.createdAt - a.approval.createdAt)
  // An account that is removed is not followed until its service is back.
  const unreachableIds = currentAccounts.map(({ id }) => id).filter((id) => unreachable.has(id))
  return { pending, calls, approvals, notices, unreachable: new Set(unreachableIds), goneAccounts, forget, dismiss }
}

function reasonOf(error: unknown): 'removed' | 'moved' {
  return error instanceof DeviceError && error.code === 'api.error.device.moved' ? 'moved' : 'removed'
}

/** Normally the service reports expired requests; this is for when it cannot be reached. Clocks may differ a little. */
function isExpired(account: Account, request: Pick<DeviceRequest, 'expiresAt'>, now: number): boolean {
  return now + account.clockOffset > request.expiresAt + clockTolerance
}

function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return set.has(id) ? new Set([...set].filter((each) => each !== id)) : set
}
