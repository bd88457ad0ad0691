import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { de } from '../../src/authenticator/texts/de.ts'
import { phones } from './phone.ts'
import { deny, button, headline, appears } from './screen.ts'
import { changeSubscription, close, delivery, joinedForPush, press, tellWindows } from './push-phone.ts'

const phone = await phones({ serviceWorkers: 'allow' })
/** Where nothing subscribes. */
const withoutWorker = { serviceWorkers: 'block' } as const

type More = Parameters<typeof joinedForPush> extends [unknown, ...infer Rest] ? Rest : never
const joined = (...more: More) => joinedForPush(phone, ...more)

/** As when the browser has a connection again. */
const reconnect = (page: Page) => page.evaluate(() => dispatchEvent(new Event('online')))

/** An authenticator whose subscription the service has just dropped, because its push service refused a message. */
async function dropped() {
  const arranged = await joined('granted')
  const { service, pushes, page, countRegistrations } = arranged
  await expect.poll(countRegistrations).toBe(1)
  pushes.reply(410)
  await service.ask('alice')
  await headline(page, 'Sign in to Wiki?')
  await deny(page)
  await pushes.received(1)
  return arranged
}

describe('notifications', () => {
  it('the app requests notifications only by a button, once there is an account, and they carry only the session id', async () => {
    const { service, pushes, page, countRegistrations } = await joined()
    const readPermissionRequest = () => page.evaluate(() => document.documentElement.dataset['asked'])

    await button(page, 'Turn on').waitFor()
    const requestBefore = await readPermissionRequest()
    await button(page, 'Turn on').click()
    await expect.poll(countRegistrations).toBe(1)

    const { id } = await service.ask('alice', { ipAddress: '203.0.113.7' })
    await pushes.received(1)

    expect([requestBefore, await readPermissionRequest()]).toEqual([undefined, 'yes'])
    expect(pushes.messages[0]?.json).toEqual({ session: id })
  })

  it('notifications are registered again after the service has lost the subscription', async () => {
    const { page, countRegistrations } = await dropped()

    await page.reload()

    await expect.poll(countRegistrations).toBe(2)
  })

  it('notifications can be turned on after the browser failed to, and turned off, and stay off', async () => {
    const { service, pushes, page, countRegistrations } = await joined()
    await page.evaluate(() => {
      const working = Object.getOwnPropertyDescriptor(PushManager.prototype, 'subscribe') ?? {}
      PushManager.prototype.subscribe = async () => {
        Object.defineProperty(PushManager.prototype, 'subscribe', working)
        throw new DOMException('', 'AbortError')
      }
    })
    await button(page, 'Settings').click()
    await button(page, 'Turn on').click()
    await appears(page.getByText('That didn’t work. Requests appear only while the app is open.'))
    await button(page, 'Turn on').click()
    await expect.poll(countRegistrations).toBe(1)
    await button(page, 'Turn off').click()
    await appears(page.getByText('Requests appear only while the app is open.'))
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Turn on')
    await expect.poll(countRegistrations).toBe(2)
    await page.reload()

    await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')

    expect(pushes.messages).toEqual([])
  })

  it('blocked notifications are not requested again; the settings explain what that means and how the browser allows them', async () => {
    const userAgent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Safari/604.1'
    const { page } = await joined('denied', { ...withoutWorker, userAgent })

    const offers = await button(page, 'Turn on').count()
    await button(page, 'Settings').click()

    expect(offers).toBe(0)
    expect(
      await appears(page.getByText('Notifications aren’t allowed, so requests appear only while the app is open.')),
    ).toBe(true)
    expect(await appears(page.locator('.steps').getByText('Settings of the iPhone'))).toBe(true)
  })

  it('declined notifications are not offered again, but stay in the settings', async () => {
    const { page } = await joined('default', withoutWorker)

    await button(page, 'Not now').click()
    await page.reload()
    await page.getByText('Nothing to approve').waitFor()
    const offers = await button(page, 'Turn on').count()
    await button(page, 'Settings').click()

    expect(offers).toBe(0)
    expect(await appears(button(page, 'Turn on'))).toBe(true)
  })

  it('notifications ignore a device that has been removed', async () => {
    const { service, page } = await joined('granted')
    const user = await service.client.users.getByUsername('alice')
    await service.client.tokens.revoke(service.domainId, user.id)
    await page.reload()
    await appears(page.getByText('This account was removed at Acme.'))

    await button(page, 'Settings').click()

    expect(await appears(page.getByText('You’ll get a notification when someone tries to sign in as you.'))).toBe(true)
  })

  it('notifications are unavailable where the service sends none', async () => {
    const { page } = await phone.joined({ service: { push: false }, context: withoutWorker })

    await button(page, 'Settings').click()

    expect(await appears(page.getByText('Notifications aren’t available here.'))).toBe(true)
  })
})

describe('a push message', () => {
  it('a push message shows a notification without details while the app is closed, which opens its request', async () => {
    const { service, pushes, page, countRegistrations } = await joined('granted')
    await expect.poll(countRegistrations).toBe(1)
    const { worker, deliver, notices } = await delivery(service, page)
    const { id } = await service.ask('alice', {
      ipAddress: '203.0.113.7',
      attributes: [{ key: 'Browser', value: 'Older' }],
    })
    await pushes.received(1)
    await close(service, page)
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Newer' }] })

    await deliver(pushes.messages[0]!.text)
    await expect.poll(async () => (await notices()).length).toBe(1)
    const data = { session: id }
    expect(await notices()).toEqual([
      {
        title: 'Approve a request?',
        options: {
          body: 'Open the authenticator to see what it is about.',
          lang: 'en',
          dir: 'ltr',
          tag: id,
          icon: 'icon-192.png',
          silent: false,
          data,
        },
      },
    ])
    const opened = await worker.evaluate(press, data)
    await page.goto(new URL(opened, `${service.url}/authenticator/`).href)
    await headline(page, 'Sign in to Wiki?')

    expect(await page.locator('.facts-box').innerText()).toContain('Older')
    expect(page.url()).toBe(`${service.url}/authenticator/`)
  })

  it('a push message uses the language of the app without details, even for factor changes and unreadable messages', async () => {
    const { service, page } = await joined('granted', { locale: 'de-DE' })
    const { deliver, notices } = await delivery(service, page)
    await close(service, page)

    await deliver('{"session":"a"}')
    await expect.poll(async () => (await notices()).length).toBe(1)
    await deliver('{"notice":"b"}')
    await expect.poll(async () => (await notices()).length).toBe(2)
    await deliver('nonsense')
    await expect.poll(async () => (await notices()).length).toBe(3)

    expect(await notices()).toMatchObject([
      { title: de.noticeTitle, options: { body: de.noticeBody, lang: 'de' } },
      { title: de.factorChanged, options: { body: de.factorChangedBody, lang: 'de', tag: 'b' } },
      // It opens the app.
      { title: de.noticeTitle, options: { body: de.noticeBody, tag: 'request' } },
    ])
  })

  it('a push message is silent while the app is visible, and its notification is closed there', async () => {
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

  it('a push message opens its request in an app that is open already', async () => {
    const { service, page } = await joined('granted')
    const { worker } = await delivery(service, page)
    const olderSession = await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Older' }] })
    // Two that arrive at once are listed, and neither opens.
    await headline(page, 'Sign in to Wiki?')
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Newer' }] })
    await button(page, 'All 2 requests').click()

    await tellWindows(worker, { open: olderSession.id })
    await headline(page, 'Sign in to Wiki?')

    expect(await page.locator('.facts-box').innerText()).toContain('Older')
  })
})

describe('a new subscription of the browser', () => {
  it('a new subscription of the browser is registered at the service as soon as the app is open', async () => {
    const { service, page, countRegistrations } = await joined('granted')
    await expect.poll(countRegistrations).toBe(1)
    const { worker } = await delivery(service, page)
    await page.evaluate(() => (window as unknown as { moveSubscription(): void }).moveSubscription())

    const subscriptionOptions = await worker.evaluate(changeSubscription)

    await expect.poll(countRegistrations).toBe(2)
    expect(subscriptionOptions).toEqual({ userVisibleOnly: true })
  })

  it('a new subscription that could not be registered without a connection is registered once there is one', async () => {
    const { service, page, countRegistrations } = await joined('granted')
    await expect.poll(countRegistrations).toBe(1)
    const { worker } = await delivery(service, page)
    await page.evaluate(() => (window as unknown as { moveSubscription(): void }).moveSubscription())
    await page.route('**/device/push', (route) => route.abort())
    const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/device/push'))
    await worker.evaluate(changeSubscription)
    await failed

    await page.unroute('**/device/push')

    // Again and again, as the app may still be noticing the failure.
    await expect.poll(() => reconnect(page).then(countRegistrations)).toBe(2)
  })

  it('a subscription that the service has dropped is registered again by an app that stays open', async () => {
    const { page, countRegistrations } = await dropped()

    await page.evaluate(() => {
      const { now } = Date
      Date.now = () => now() + 3_601_000
    })

    // Again and again, as the app learns the time by itself.
    await expect.poll(() => reconnect(page).then(countRegistrations)).toBe(2)
  })
})
