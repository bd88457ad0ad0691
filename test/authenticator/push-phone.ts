import type { BrowserContextOptions, CDPSession, Page, Worker } from 'playwright-core'
import { onTestFinished } from 'vitest'

import type { PushSubscription as Subscription } from '../../src/contract/device.ts'
import { type PushService, startPushService } from '../support/push-service.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import type { Phones } from './phone.ts'
import { seedAccount } from './seed.ts'

export interface Arranged {
  readonly service: RunningService
  readonly pushes: PushService
  readonly page: Page
  /** How often the service was told where to send to. */
  readonly countRegistrations: () => number
}

/**
 * A phone that has joined, and a push service that opens what it is sent. This Chromium can neither subscribe nor show a
 * notification: the page is given what the push service would have answered, and the worker a place to show them.
 */
export async function joinedForPush(
  phone: Phones,
  permission: NotificationPermission = 'default',
  context: BrowserContextOptions = {},
): Promise<Arranged> {
  const pushes = await startPushService()
  onTestFinished(() => pushes.close())
  const service = await startService({ service: { push: { agent: pushes.agent() } } })
  const { code } = await service.enroll('alice')
  let registrationCount = 0
  const prepare = async (fresh: Page) => {
    fresh.on('response', (response) => {
      if (response.url().endsWith('/device/push') && response.request().method() === 'POST') registrationCount += 1
    })
    await fresh.addInitScript(standIn, { subscription: pushes.subscribe(), permission })
  }
  const page = await phone.open(service, '', context, prepare)
  await seedAccount(page, service.url, code)
  await page.locator('.coded').waitFor()
  return { service, pushes, page, countRegistrations: () => registrationCount }
}

/** Runs in the page. */
function standIn({ subscription, permission }: { subscription: Subscription; permission: NotificationPermission }) {
  let subscribed: object | undefined
  const make = ({ applicationServerKey }: PushSubscriptionOptionsInit) => {
    const base64 = (applicationServerKey as string).replaceAll('-', '+').replaceAll('_', '/')
    const key = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return {
      endpoint: subscription.endpoint,
      options: { applicationServerKey: key.buffer },
      toJSON: () => subscription,
      unsubscribe: async () => ((subscribed = undefined), true),
    }
  }
  Object.assign(PushManager.prototype, {
    subscribe: async (options: PushSubscriptionOptionsInit) => (subscribed = make(options)),
    getSubscription: async () => subscribed ?? null,
  })
  // As when the browser renews it by itself: another address for the same key.
  const moved = { ...subscription, endpoint: `${subscription.endpoint}-moved` }
  Object.assign(window, {
    moveSubscription: () => Object.assign(subscribed ?? {}, { endpoint: moved.endpoint, toJSON: () => moved }),
  })
  let current = permission
  Object.defineProperty(Notification, 'permission', { get: () => current })
  Notification.requestPermission = async () => {
    document.documentElement.dataset['asked'] = 'yes'
    current = current === 'default' ? 'granted' : current
    return current
  }
}

interface Shown {
  readonly title: string
  readonly options: NotificationOptions
}

/** What a worker has that the DOM does not know. */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration & { shown: Shown[] }
  readonly clients: {
    matchAll(options: { includeUncontrolled: true }): Promise<{ postMessage(message: unknown): void }[]>
    openWindow(url: string): Promise<null>
  }
  readonly ExtendableEvent: new (type: string) => Event
}

interface Delivery {
  readonly worker: Worker
  /** Gives the browser a message, as its push service would. */
  readonly deliver: (text: string) => Promise<void>
  /** What is shown to the person. */
  readonly notices: () => Promise<readonly Shown[]>
}

export async function delivery(service: RunningService, page: Page): Promise<Delivery> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent('serviceworker'))
  const session = await page.context().newCDPSession(page)
  const registrationId = await registrationOf(session)
  await worker.evaluate(() => {
    const { registration } = globalThis as unknown as WorkerScope
    registration.shown = []
    // Asked for a badge, a headless worker dies.
    Object.defineProperty(navigator, 'setAppBadge', { value: undefined })
    registration.showNotification = async (title, options = {}) => void registration.shown.push({ title, options })
  })
  return {
    worker,
    deliver: async (data) =>
      void (await session.send('ServiceWorker.deliverPushMessage', { origin: service.url, registrationId, data })),
    notices: () => worker.evaluate(() => (globalThis as unknown as WorkerScope).registration.shown),
  }
}

/** Leaves the app. The page stays on the origin: with its last page a worker may end, and what shows its notices with it. */
export const close = (service: RunningService, page: Page) => page.goto(`${service.url}/healthz`)

/** Sends the windows of the app a message, as the worker does. */
export async function tellWindows(worker: Worker, message: unknown): Promise<void> {
  await worker.evaluate(async (data) => {
    const { clients } = globalThis as unknown as WorkerScope
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- windows of a worker are of its own origin
    for (const client of await clients.matchAll({ includeUncontrolled: true })) client.postMessage(data)
  }, message)
}

function registrationOf(session: CDPSession): Promise<string> {
  return new Promise((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [registration] = registrations
      if (registration) resolve(registration.registrationId)
    })
    void session.send('ServiceWorker.enable')
  })
}

/** Runs in the worker: the browser has dropped the subscription. @returns with which options a new one is made. */
export function changeSubscription(): Promise<unknown> {
  const { registration, ExtendableEvent } = globalThis as unknown as WorkerScope
  return new Promise((resolve) => {
    const subscribe = async (options: unknown) => resolve(options)
    Object.defineProperty(registration, 'pushManager', { value: { subscribe } })
    const oldSubscription = { options: { userVisibleOnly: true } }
    globalThis.dispatchEvent(Object.assign(new ExtendableEvent('pushsubscriptionchange'), { oldSubscription }))
  })
}

/** Runs in the worker: presses a notification without the user gesture that would allow it to open a window. @returns what it opens. */
export function press(data: { readonly session?: string; readonly test?: string }): Promise<string> {
  const { clients, ExtendableEvent } = globalThis as unknown as WorkerScope
  return new Promise((resolve) => {
    clients.openWindow = async (url) => {
      resolve(url)
      return null
    }
    const notification = { close: () => undefined, data }
    globalThis.dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), { notification }))
  })
}
