import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { startService } from '../support/running-service.ts'
import { add, fromDesk, phones, small } from './phone.ts'
import { deny, button, headline, read, appears, setHidden } from './screen.ts'

const phone = await phones()
/** Where the service worker is what matters. */
const installing = await phones({ serviceWorkers: 'allow' })

const keepsFiles = (page: Page) => page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))

describe('the app', () => {
  it('the app opens offline with a message, and continues automatically once it is online', async () => {
    const { service, page } = await installing.joined()
    await keepsFiles(page)
    await page.context().setOffline(true)

    await page.reload()
    await page.getByText('You’re offline.').waitFor()
    await page.context().setOffline(false)
    await service.ask('alice')

    expect(await headline(page, 'Sign in to Wiki?')).toBe(true)
  })

  it('the app caches only its own files, and nothing of the device protocol', async () => {
    const { service, page } = await installing.joined()
    await keepsFiles(page)
    const byWorker: string[] = []
    page.on('response', (response) => {
      if (response.fromServiceWorker()) byWorker.push(new URL(response.url()).pathname)
    })
    // From now on the service worker hears of every call; one of them is answered.
    await page.reload()
    await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')

    const cachedPaths = await page.evaluate(async () => {
      await fetch('icon-512.png')
      const opened = await Promise.all((await caches.keys()).map((name) => caches.open(name)))
      return (await Promise.all(opened.map((cache) => cache.keys()))).flat().map(({ url }) => new URL(url).pathname)
    })

    expect(cachedPaths).toContain('/authenticator/')
    expect(cachedPaths).not.toContain('/authenticator/icon-512.png')
    expect(cachedPaths.filter((path) => path.startsWith('/device'))).toEqual([])
    expect(byWorker).toContain('/authenticator/')
    expect(byWorker.filter((path) => path.startsWith('/device'))).toEqual([])
  })

  it('the app explains that a connection is insecure', async () => {
    const service = await startService()
    const page = await phone.open(service)
    // Any name but localhost: browsers then give no keys to http.
    await page.route('http://mfa.example/**', async (route) => {
      const response = await route.fetch({ url: route.request().url().replace('http://mfa.example', service.url) })
      await route.fulfill({ response })
    })

    await page.goto('http://mfa.example/authenticator/')

    await headline(page, 'This page can’t keep your keys safe')
    expect(await appears(page.getByText('insecure connection'))).toBe(true)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('the app asks the browser for persistent storage', async () => {
    const service = await startService()
    const { code } = await service.enroll('alice')
    const page = await phone.open(service, `#code=${code}`, {}, (fresh) =>
      fresh.addInitScript(() => {
        navigator.storage.persist = () => {
          document.documentElement.dataset['persisted'] = 'asked'
          return Promise.resolve(true)
        }
      }),
    )

    const persistedBefore = await page.evaluate(() => document.documentElement.dataset['persisted'])
    await add(page)

    expect(persistedBefore).toBeUndefined()
    expect(await page.evaluate(() => document.documentElement.dataset['persisted'])).toBe('asked')
  })

  it('the app shows the number of pending requests as a badge on its icon', async () => {
    const { service, page } = await phone.joined({
      prepare: (fresh) =>
        fresh.addInitScript(() => {
          const badges: unknown[] = []
          navigator.setAppBadge = (count) => Promise.resolve(void badges.push(count))
          navigator.clearAppBadge = () => Promise.resolve(void badges.push(0))
          Object.assign(window, { badges })
        }),
    })

    await service.ask('alice')
    await headline(page, 'Sign in to Wiki?')
    await deny(page)
    await headline(page, 'Denied')

    const badges = () => page.evaluate(() => (window as unknown as { badges: number[] }).badges)
    await expect.poll(badges).toEqual([0, 1, 0])
  })

  it('the app offers installation where supported, and not again after it is declined', async () => {
    const { page } = await phone.joined()
    const offer = () =>
      page.evaluate(() => {
        const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
          prompt: () => Promise.resolve(void (document.documentElement.dataset['prompted'] = 'yes')),
        })
        window.dispatchEvent(event)
        return event.defaultPrevented
      })

    const promptPrevented = await offer()
    await button(page, 'Install the app').click()
    const prompted = await page.evaluate(() => document.documentElement.dataset['prompted'])
    await button(page, 'Not now').click()
    await page.reload()
    await page.getByText('Nothing to approve').waitFor()
    await offer()
    const notNowCount = await button(page, 'Not now').count()
    await button(page, 'Settings').click()

    expect([promptPrevented, prompted, notNowCount]).toEqual([true, 'yes', 0])
    expect(await appears(button(page, 'Install the app'))).toBe(true)
  })

  it('the app is usable within a second on a processor four times slower', async () => {
    const { page } = await phone.joined({ context: small })
    const session = await page.context().newCDPSession(page)
    // Time of the processor and not of the clock, which also runs while others have the processor.
    await session.send('Performance.enable')
    const busy = async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return metrics.find(({ name }) => name === 'ProcessTime')!.value
    }

    const times: number[] = []
    for (let run = 0; run < 3; run++) {
      const busyBefore = await busy()
      await page.reload()
      await page.locator('.row').first().waitFor()
      times.push((await busy()) - busyBefore)
    }

    expect(Math.min(...times)).toBeGreaterThan(0)
    expect(4 * Math.min(...times)).toBeLessThan(1)
  })
})

describe('the content of the screen', () => {
  const covered = (page: Page) => read(page, () => getComputedStyle(document.querySelector('main')!).opacity)

  it('the screen content is hidden in the list of open apps, and shown again with the app', async () => {
    const { service, page } = await phone.joined()
    await service.ask('alice', fromDesk)
    await headline(page, 'Sign in to Wiki?')

    await setHidden(page, true)
    const opacityWhenHidden = await covered(page)
    await setHidden(page, false)

    expect([opacityWhenHidden, await covered(page)]).toEqual(['0', '1'])
  })

  it('the screen content is hidden before the next render of the browser when the app is left', async () => {
    const { page } = await phone.joined()

    const opacityWhenHidden = await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
      return getComputedStyle(document.querySelector('main')!).opacity
    })

    expect(opacityWhenHidden).toBe('0')
  })

  it.each([
    ['on a phone is hidden', small, '0'],
    ['on a desk stays, to be read', {}, '1'],
  ])('the screen content %s while another window is in front', async (_, context, expected) => {
    const { page } = await phone.joined({ context })
    await page.evaluate(() => window.dispatchEvent(new Event('blur')))

    expect(await covered(page)).toBe(expected)
  })

  it('the screen content comes back for a keyboard that left the page, and takes no presses until then', async () => {
    const { page } = await phone.joined({ context: small })
    await button(page, 'Add an account').focus()

    await page.keyboard.press('Tab')
    const events = await read(page, () => getComputedStyle(document.querySelector('main button')!).pointerEvents)
    await page.keyboard.press('Tab')

    expect([events, await read(page, () => document.activeElement?.ariaLabel)]).toEqual(['none', 'History'])
    expect(await covered(page)).toBe('1')
  })

  it('the screen does not move elements that a person is about to touch while it loads', async () => {
    const { page } = await phone.joined({ context: small })
    await page.addInitScript(() => {
      const shifts: number[] = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value)
      }).observe({ type: 'layout-shift', buffered: true })
      Object.assign(window, { shifts })
    })

    await page.reload()
    await page.getByText('Nothing to approve').waitFor()
    await page.locator('.emblem').waitFor()

    expect(await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts)).toEqual([])
  })
})
