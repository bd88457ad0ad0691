import { useCallback, useEffect, useState } from 'preact/hooks'

import { clockTolerance, type DeviceRequest, type FactorNotice } from '../contract/device.ts'
import type { Account } from '../device/account.ts'
import type { Device } from '../device/device.ts'
import { DeviceError, isGone } from '../device/device-error.ts'
import { awaitConnection } from './connections.ts'
import { useVisible } from './use-visible.ts'

/** A request that waits for an answer, with the account it is for. */
export interface Pending {
  readonly account: Account
  readonly request: DeviceRequest
}

/** A change of factors that the person has not dismissed yet, with the account it is about. */
export interface ShownNotice {
  readonly account: Account
  readonly notice: FactorNotice
}

export interface Inbox {
  /** Of all accounts, newest first. */
  readonly pending: readonly Pending[]
  /** Of all accounts, newest first. */
  readonly notices: readonly ShownNotice[]
  /** Ids of accounts whose service cannot be reached now. */
  readonly troubled: ReadonlySet<string>
  /** Accounts that their service no longer knows, by id, and whether another device took their place. */
  readonly gone: ReadonlyMap<string, 'removed' | 'moved'>
  /** Takes an answered request out before the service's own list does. */
  forget(request: DeviceRequest): void
  /** Hides a notice, and tells the service that it was read. It comes back where the service does not learn of it. */
  dismiss(shown: ShownNotice): Promise<void>
}

/** Milliseconds between questions, where calls are not held. */
const pace = { visible: 1000, hidden: 5000 }
/** So many accounts are asked for at that pace; where there are more, each has its turn less often. */
const accountsAtPace = 8

/** Follows the requests of all accounts while the page is open. */
export function useInbox(device: Device, accounts: readonly Account[], now: number): Inbox {
  const [lists, setLists] = useState<ReadonlyMap<string, readonly Pending[]>>(new Map())
  const [noticeLists, setNoticeLists] = useState<ReadonlyMap<string, readonly ShownNotice[]>>(new Map())
  const [troubled, setTroubled] = useState<ReadonlySet<string>>(new Set())
  const [gone, setGone] = useState<Inbox['gone']>(new Map())
  const [forgotten, setForgotten] = useState<ReadonlySet<string>>(new Set())
  const visible = useVisible()

  useEffect(() => {
    const stop = new AbortController()
    const rarer = Math.max(1, accounts.length / accountsAtPace)
    accounts.forEach((account, index) => {
      const connected = visible.now ? awaitConnection(index, stop.signal) : () => false
      const unconnected = rarer * (visible.now ? pace.visible : pace.hidden)
      void follow(account, () => (connected() ? undefined : unconnected), stop.signal)
    })
    return () => stop.abort()
    // oxlint-disable-next-line react/exhaustive-deps -- `visible` is new whenever it is worth to connect anew
  }, [device, accounts, visible])

  async function follow(account: Account, every: () => number | undefined, signal: AbortSignal): Promise<void> {
    try {
      await device.watch(account, {
        signal,
        every,
        onChange: (requests) => {
          setLists((before) =>
            new Map(before).set(
              account.id,
              requests.map((request) => ({ account, request })),
            ),
          )
          setTroubled((before) => without(before, account.id))
        },
        onNotices: (notices) =>
          setNoticeLists((before) =>
            new Map(before).set(
              account.id,
              notices.map((notice) => ({ account, notice })),
            ),
          ),
        onTrouble: () => setTroubled((before) => new Set(before).add(account.id)),
        onReached: () => setTroubled((before) => without(before, account.id)),
      })
    } catch (error) {
      if (isGone(error)) setGone((before) => new Map(before).set(account.id, reasonOf(error)))
      else setTroubled((before) => new Set(before).add(account.id))
    }
  }

  const forget = useCallback((request: DeviceRequest) => setForgotten((before) => new Set(before).add(request.id)), [])
  const dismiss = useCallback(
    async ({ account, notice }: ShownNotice) => {
      setForgotten((before) => new Set(before).add(notice.id))
      try {
        await device.acknowledge(account, notice)
      } catch {
        // Shown again: dismissing it once more is the way to try again.
        setForgotten((before) => without(before, notice.id))
      }
    },
    [device],
  )
  const present = accounts.filter(({ id }) => !gone.has(id))
  const notices = present
    .flatMap(({ id }) => noticeLists.get(id) ?? [])
    .filter(({ notice }) => !forgotten.has(notice.id))
    .sort((a, b) => b.notice.createdAt - a.notice.createdAt)
  const pending = present
    .flatMap(({ id }) => lists.get(id) ?? [])
    .filter(({ account, request }) => !forgotten.has(request.id) && !lapsed(account, request, now))
    .sort((a, b) => b.request.createdAt - a.request.createdAt)
  return { pending, notices, troubled, gone, forget, dismiss }
}

function reasonOf(error: unknown): 'removed' | 'moved' {
  return error instanceof DeviceError && error.code === 'api.error.device.moved' ? 'moved' : 'removed'
}

/** The service says when a request has lapsed; this is for when it cannot be reached. Clocks may differ a little. */
function lapsed(account: Account, request: DeviceRequest, now: number): boolean {
  return now + account.clockOffset > request.expiresAt + clockTolerance
}

function without(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return set.has(id) ? new Set([...set].filter((each) => each !== id)) : set
}
