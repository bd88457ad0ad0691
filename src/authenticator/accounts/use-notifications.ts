import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

import type { Account } from '../../device/account.ts'
import type { Device } from '../../device/device.ts'
import { isGone, isTransient } from '../../device/device-error.ts'
import { useVisible } from '../hooks/use-visible.ts'
import { deletePreference, readPreference, savePreference } from '../../ui/preferences.ts'
import { subscribe, unsubscribe } from './subscription.ts'

/**
 * `none`: the browser, or every service, does not support it. `asking`: the person has not decided yet. `denied`: notifications
 * are blocked in the browser. `failed`: allowed, but subscribing failed.
 */
export type NotificationState = 'none' | 'asking' | 'on' | 'off' | 'denied' | 'failed'

export interface Notifications {
  readonly state: NotificationState
  /** Call it from the press of a button: browsers ask for permission only then. */
  readonly turnOn: () => Promise<void>
  readonly turnOff: () => Promise<void>
}

/** How long a subscription at a service counts as known, seconds. */
const syncInterval = 60 * 60

/**
 * The state of push notifications. Keeps the subscriptions at the services up to date.
 * @param now Unix time, seconds.
 */
export function useNotifications(device: Device, accounts: readonly Account[] | undefined, now: number): Notifications {
  const syncedAt = useRef(now)
  const [failed, setFailed] = useState(false)
  const [delayed, setDelayed] = useState(false)
  const visible = useVisible()
  const [, setDecided] = useState(0)
  const supported = accounts?.filter(({ pushKey }) => pushKey !== undefined) ?? []
  const state = failed ? 'failed' : stateOf(supported)
  const ids = supported.map(({ id }) => id).join()

  const sync = useCallback(async () => {
    const outcomes = await Promise.allSettled(supported.map((account) => syncSubscription(device, account)))
    const reasons = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }): unknown => reason)
    setDelayed(reasons.some((reason) => isTransient(reason)))
    // A removed account is shown in the list.
    setFailed(reasons.some((reason) => !isGone(reason) && !isTransient(reason)))
  }, [device, ids])

  useEffect(() => {
    // The browser may have a new subscription, or a service may have lost the old one.
    if (state === 'on') void sync()
  }, [sync, state === 'on'])
  useEffect(() => {
    // An installed app stays open for weeks, and a service drops a subscription that failed.
    if (state !== 'on' || !(delayed || now - syncedAt.current > syncInterval)) return
    syncedAt.current = now
    void sync()
  }, [visible])

  useEffect(() => {
    const renew = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'object' && data !== null && 'subscription' in data && state === 'on') void sync()
    }
    navigator.serviceWorker?.addEventListener('message', renew)
    return () => navigator.serviceWorker?.removeEventListener('message', renew)
  }, [sync, state])

  return {
    state,
    async turnOn() {
      deletePreference('notifications')
      await Notification.requestPermission()
      setFailed(false)
      setDecided((count) => count + 1)
    },
    async turnOff() {
      savePreference('notifications', 'off')
      await unsubscribe()
      await Promise.allSettled(supported.map((account) => device.push(account, null)))
      setFailed(false)
      setDecided((count) => count + 1)
    },
  }
}

function stateOf(supported: readonly Account[]): NotificationState {
  if (!('PushManager' in window) || !('Notification' in window) || supported.length === 0) return 'none'
  if (Notification.permission === 'denied') return 'denied'
  if (Notification.permission === 'default') return 'asking'
  return readPreference('notifications') === 'off' ? 'off' : 'on'
}

/** Makes sure that the service has the subscription of this browser. */
async function syncSubscription(device: Device, account: Account): Promise<void> {
  const { pushKey, endpoint } = await device.pushState(account)
  if (pushKey === undefined) return
  const subscription = await subscribe(pushKey)
  if (subscription.endpoint === endpoint) return
  await device.push(account, subscription)
}
