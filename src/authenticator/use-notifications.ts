import { useCallback, useEffect, useState } from 'preact/hooks'

import type { Account } from '../device/account.ts'
import type { Device } from '../device/device.ts'
import { isGone, isPassing } from '../device/device-error.ts'
import { forget, recall, remember } from './remembered.ts'
import { subscribe, unsubscribe } from './subscription.ts'

/**
 * `none`: neither this browser or no service can do it. `asking`: nobody has decided yet. `denied`: the browser was told no.
 * `failed`: everybody agreed, and it did not work.
 */
export type NotificationState = 'none' | 'asking' | 'on' | 'off' | 'denied' | 'failed'

export interface Notifications {
  readonly state: NotificationState
  /** To be called from a press of a button: browsers ask on nothing else. */
  readonly switchOn: () => Promise<void>
  readonly switchOff: () => Promise<void>
}

/** Whether requests are told of while the app is closed, and keeps the services informed where to. */
export function useNotifications(device: Device, accounts: readonly Account[] | undefined): Notifications {
  const [failed, setFailed] = useState(false)
  const [, setDecided] = useState(0)
  const told = accounts?.filter(({ pushKey }) => pushKey !== undefined) ?? []
  const state = failed ? 'failed' : stateOf(told)
  const ids = told.map(({ id }) => id).join()

  const sync = useCallback(async () => {
    const outcomes = await Promise.allSettled(told.map((account) => tell(device, account)))
    const reasons = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }): unknown => reason)
    // An account that is gone says so in the list; what is passing is tried again when the app is opened next.
    setFailed(reasons.some((reason) => !isGone(reason) && !isPassing(reason)))
  }, [device, ids])

  useEffect(() => {
    // The browser may have made a new subscription meanwhile, or a service lost the old one.
    if (state === 'on') void sync()
  }, [sync, state === 'on'])

  useEffect(() => {
    const renew = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'object' && data !== null && 'subscription' in data && state === 'on') void sync()
    }
    navigator.serviceWorker?.addEventListener('message', renew)
    return () => navigator.serviceWorker?.removeEventListener('message', renew)
  }, [sync, state])

  return {
    state,
    async switchOn() {
      forget('notifications')
      await Notification.requestPermission()
      setFailed(false)
      setDecided((count) => count + 1)
    },
    async switchOff() {
      remember('notifications', 'off')
      await unsubscribe()
      await Promise.allSettled(told.map((account) => device.push(account, null)))
      setFailed(false)
      setDecided((count) => count + 1)
    },
  }
}

function stateOf(told: readonly Account[]): NotificationState {
  if (!('PushManager' in window) || !('Notification' in window) || told.length === 0) return 'none'
  if (Notification.permission === 'denied') return 'denied'
  if (Notification.permission === 'default') return 'asking'
  return recall('notifications') === 'off' ? 'off' : 'on'
}

/** Makes sure that the service sends where this browser listens. */
async function tell(device: Device, account: Account): Promise<void> {
  const { pushKey, endpoint } = await device.pushState(account)
  if (pushKey === undefined) return
  const subscription = await subscribe(pushKey)
  if (subscription.endpoint === endpoint) return
  await device.push(account, subscription)
}
