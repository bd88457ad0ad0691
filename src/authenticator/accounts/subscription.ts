import { PushSubscription as Subscription } from '../../contract/device.ts'

/** Subscribes this browser to push messages, with the service's key. */
export async function subscribe(pushKey: string): Promise<Subscription> {
  const { pushManager } = await navigator.serviceWorker.ready
  const before = await pushManager.getSubscription()
  if (before && keyOf(before) === pushKey) return read(before)
  // Browsers reject a second subscription with another key.
  await before?.unsubscribe()
  return read(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey }))
}

export async function unsubscribe(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration()
  const subscription = await registration?.pushManager.getSubscription()
  await subscription?.unsubscribe()
}

function read(subscription: PushSubscription): Subscription {
  return Subscription.parse(subscription.toJSON())
}

function keyOf(subscription: PushSubscription): string | undefined {
  const key = subscription.options.applicationServerKey
  return key ? toBase64url(new Uint8Array(key)) : undefined
}

function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
