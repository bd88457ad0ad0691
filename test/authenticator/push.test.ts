import type { BrowserContextOptions, CDPSession, Page, Worker } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'

import type { PushSubscription as Subscription } from '../../src/contract/device.ts'
import { de } from '../../src/authenticator/words/de.ts'
import { type PushService, startPushService } from '../support/push-service.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { button, headline, phones, seen } from './phone.ts'

const phone = phones()

interface Arranged {
  readonly service: RunningService
  readonly pushes: PushService
  readonly page: Page
  /** How often the service was told where to send to. */
  readonly told: () => number
}

/**
 * A phone that has joined, and a push service that opens what it is sent. This Chromium can neither subscribe nor show a
 * notification: the page is given what the push service would have answered, and the worker a place to show them.
 */
async function joined(
  permission: NotificationPermission = 'default',
  context: BrowserContextOptions = {},
): Promise<Arranged> {
  const pushes = await startPushService()
  onTestFinished(() => pushes.close())
  const service = await startService({ service: { push: { agent: pushes.agent() } } })
  const { code } = await service.enrol('alice')
  const page = await phone.open(service, '', context)
  let told = 0
  page.on('response', (response) => {
    if (response.url().endsWith('/device/push') && response.request().method() === 'POST') told += 1
  })
  await page.addInitScript(standIn, { subscription: pushes.subscribe(), permission })
  await page.goto('about:blank')
  await page.goto(`${service.url}/authenticator/#code=${code}`)
  await page.locator('.actions .filled').click()
  await page.locator('.coded').waitFor()
  return { service, pushes, page, told: () => told }
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

async function delivery(service: RunningService, page: Page): Promise<Delivery> {
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
const close = (service: RunningService, page: Page) => page.goto(`${service.url}/healthz`)

/** As the worker tells the windows of the app. */
async function tellWindows(worker: Worker, message: unknown): Promise<void> {
  await worker.evaluate(async (told) => {
    const { clients } = globalThis as unknown as WorkerScope
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- windows of a worker are of its own origin
    for (const client of await clients.matchAll({ includeUncontrolled: true })) client.postMessage(told)
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

describe('notifications', () => {
  it('are never asked for by themselves, and by a button once there is an account', async () => {
    const { page } = await joined()
    const asked = () => page.evaluate(() => document.documentElement.dataset['asked'])

    await button(page, 'Switch on').waitFor()
    const before = await asked()
    await button(page, 'Switch on').click()

    expect(before).toBeUndefined()
    await expect.poll(asked).toBe('yes')
  })

  it('go where the browser listens: the service sends the id of the session there, and nothing else', async () => {
    const { service, pushes, page, told } = await joined()
    await button(page, 'Switch on').click()
    await expect.poll(told).toBe(1)

    const { id } = await service.ask('alice', { ipAddress: '203.0.113.7' })
    await pushes.received(1)

    expect(pushes.messages[0]?.json).toEqual({ session: id })
  })

  it('are told to the service anew after it has forgotten them', async () => {
    const { service, pushes, page, told } = await joined('granted')
    await expect.poll(told).toBe(1)
    pushes.reply(410)
    await service.ask('alice')
    await headline(page, 'Sign in as alice?')
    await button(page, 'Deny').click()

    await pushes.received(1)
    await page.reload()

    await expect.poll(told).toBe(2)
  })

  it('can be switched off, and stay off', async () => {
    const { service, pushes, page, told } = await joined()
    await button(page, 'Switch on').click()
    await expect.poll(told).toBe(1)
    await button(page, 'Settings').click()
    await button(page, 'Switch off').click()
    await seen(page.getByText('Requests appear while the app is open.'))
    await page.reload()

    await service.ask('alice')
    await headline(page, 'Sign in as alice?')

    expect(pushes.messages).toEqual([])
  })

  it('that are not allowed are not asked for again; settings say what that means', async () => {
    const { page } = await joined('denied')

    const offers = await button(page, 'Switch on').count()
    await button(page, 'Settings').click()

    expect(offers).toBe(0)
    expect(await seen(page.getByText('Notifications are not allowed, so requests appear while the app is open.'))).toBe(
      true,
    )
  })

  it('that are declined in the app are not offered again at once, but stay in the settings', async () => {
    const { page } = await joined()

    await button(page, 'Not now').click()
    await page.reload()
    await page.getByText('Nothing to approve').waitFor()
    const offers = await button(page, 'Switch on').count()
    await button(page, 'Settings').click()

    expect(offers).toBe(0)
    expect(await seen(button(page, 'Switch on'))).toBe(true)
  })

  it('that the browser cannot switch on after all say so', async () => {
    const { page } = await joined()
    await page.evaluate(() => {
      PushManager.prototype.subscribe = async () => {
        throw new DOMException('', 'AbortError')
      }
    })
    await button(page, 'Settings').click()

    await button(page, 'Switch on').click()

    await seen(page.getByText('That did not work. Requests appear while the app is open.'))
    expect(await seen(button(page, 'Switch on'))).toBe(true)
  })

  it('of a device that was removed meanwhile are no trouble', async () => {
    const { service, page } = await joined('granted')
    const user = await service.client.users.getByUsername('alice')
    await service.client.tokens.revoke(service.domainId, user.id)
    await page.reload()
    await seen(page.getByText('This account was removed by Acme.'))

    await button(page, 'Settings').click()

    expect(await seen(page.getByText('You are told about requests while the app is closed.'))).toBe(true)
  })

  it('do not exist where the service sends none', async () => {
    const { page } = await phone.joined({ service: { push: false } })

    await button(page, 'Settings').click()

    expect(await seen(page.getByText('There are no notifications here.'))).toBe(true)
  })
})

describe('a push message', () => {
  it('wakes the closed app to say that there is something, and not what', async () => {
    const { service, pushes, page, told } = await joined('granted')
    await expect.poll(told).toBe(1)
    const { deliver, notices } = await delivery(service, page)
    const { id } = await service.ask('alice', {
      ipAddress: '203.0.113.7',
      attributes: [{ key: 'Browser', value: 'Firefox' }],
    })
    await pushes.received(1)
    await close(service, page)

    await deliver(pushes.messages[0]!.text)
    await expect.poll(async () => (await notices()).length).toBe(1)

    expect(await notices()).toEqual([
      {
        title: 'Approve a sign-in?',
        options: {
          body: 'Open the authenticator to see what it is about.',
          lang: 'en',
          dir: 'ltr',
          tag: id,
          icon: 'icon-192.png',
          silent: false,
          data: { session: id },
        },
      },
    ])
  })

  it('speaks the language that was chosen in the app', async () => {
    const { service, page } = await joined('granted', { locale: 'de-DE' })
    const { deliver, notices } = await delivery(service, page)
    await close(service, page)

    await deliver('{"session":"a"}')

    await expect.poll(notices).toMatchObject([{ title: de.noticeTitle, options: { body: de.noticeBody, lang: 'de' } }])
  })

  it('that makes no sense opens the app all the same', async () => {
    const { service, page } = await joined('granted')
    const { deliver, notices } = await delivery(service, page)
    await close(service, page)

    await deliver('nonsense')

    await expect.poll(notices).toMatchObject([{ title: 'Approve a sign-in?', options: { tag: 'request' } }])
  })

  it('makes no noise while the app is in front, and is taken back there', async () => {
    const { service, page } = await joined('granted')
    const { deliver, notices } = await delivery(service, page)
    await page.evaluate(() => {
      const notice = { close: () => void (document.documentElement.dataset['closed'] = 'yes') } as Notification
      ServiceWorkerRegistration.prototype.getNotifications = async () => [notice]
    })

    await deliver('{"session":"a"}')

    await expect.poll(notices).toMatchObject([{ options: { silent: true } }])
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['closed'])).toBe('yes')
  })

  it('opens the request it is about', async () => {
    const { service, page } = await joined('granted')
    const { worker } = await delivery(service, page)
    const first = await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Older' }] })
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Newer' }] })
    await close(service, page)

    const opened = await worker.evaluate(press, first.id)
    await page.goto(new URL(opened, `${service.url}/authenticator/`).href)
    await headline(page, 'Sign in as alice?')

    expect(await page.locator('.facts').innerText()).toContain('Older')
    expect(page.url()).toBe(`${service.url}/authenticator/`)
  })

  it('opens it in the app where that is open already', async () => {
    const { service, page } = await joined('granted')
    const { worker } = await delivery(service, page)
    const first = await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Older' }] })
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Newer' }] })
    await button(page, 'All 2 requests').click()

    await tellWindows(worker, { open: first.id })
    await headline(page, 'Sign in as alice?')

    expect(await page.locator('.facts').innerText()).toContain('Older')
  })
})

describe('a new subscription of the browser', () => {
  it('is told to the service as soon as the app is open', async () => {
    const { service, page, told } = await joined('granted')
    await expect.poll(told).toBe(1)
    const { worker } = await delivery(service, page)
    await page.evaluate(() => (window as unknown as { moveSubscription(): void }).moveSubscription())

    const made = await worker.evaluate(changeSubscription)

    await expect.poll(told).toBe(2)
    expect(made).toEqual({ userVisibleOnly: true })
  })
})

/** Runs in the worker: the browser has dropped the subscription. @returns with which options a new one is made. */
function changeSubscription(): Promise<unknown> {
  const { registration, ExtendableEvent } = globalThis as unknown as WorkerScope
  return new Promise((resolve) => {
    const subscribe = async (options: unknown) => resolve(options)
    Object.defineProperty(registration, 'pushManager', { value: { subscribe } })
    const oldSubscription = { options: { userVisibleOnly: true } }
    globalThis.dispatchEvent(Object.assign(new ExtendableEvent('pushsubscriptionchange'), { oldSubscription }))
  })
}

/** Runs in the worker: presses a notification, with nobody there who could let it open a window. @returns what it opens. */
function press(session: string): Promise<string> {
  const { clients, ExtendableEvent } = globalThis as unknown as WorkerScope
  return new Promise((resolve) => {
    clients.openWindow = async (url) => {
      resolve(url)
      return null
    }
    const notification = { close: () => undefined, data: { session } }
    globalThis.dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), { notification }))
  })
}
