import type { Browser, BrowserContextOptions, Locator, Page, Request } from 'playwright-core'
import { onTestFinished } from 'vitest'

import type { NewSession } from '../../src/contract/sessions.ts'
import { devicePaths } from '../../src/contract/device.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { keptPage } from '../support/kept-page.ts'
import { type RunningService, type RunningServiceOptions, startService } from '../support/running-service.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { leaveApp, seedAccount } from './seed.ts'

/** As phones are: small, and touched. */
export const small = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

/** Installing the app loads its files a second time, so that is left to the tests that are about it. */
export const phoneOptions = { ...small, serviceWorkers: 'block' } as const

export interface JoinedOptions extends RunningServiceOptions {
  readonly context?: BrowserContextOptions
}

export interface Joined {
  readonly service: RunningService
  readonly userId: string
  readonly page: Page
}

/** Phones for the tests of a file. */
export interface Phones {
  /** A browser of its own, as another phone would be, with the authenticator open. */
  open(service: Pick<RunningService, 'url'>, fragment?: string, context?: BrowserContextOptions): Promise<Page>
  /** A service, and an authenticator that has joined as alice. */
  joined(options?: JoinedOptions): Promise<Joined>
  /** The same, in which time passes only by `pass`, for the service and the page. */
  joinedAtRest(): Promise<Joined & { readonly pass: (seconds: number) => Promise<void> }>
}

export interface PhonesOptions {
  /** By default the one of the worker. */
  readonly browser?: Browser
  /** Installing the app loads its files a second time. So it is allowed only where tests need the service worker. */
  readonly serviceWorkers?: 'allow' | 'block'
}

/** Pages that the next test can have without loading the app again, and whether a call to the service is under way. */
const joinedPages = new WeakMap<Page, () => boolean>()

function watchCalls(page: Page): () => boolean {
  const calls = new Set<Request>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/device/') && pathname !== devicePaths.requests) calls.add(request)
  })
  page.on('requestfinished', (request) => calls.delete(request))
  page.on('requestfailed', (request) => calls.delete(request))
  return () => calls.size > 0
}

async function leave(page: Page): Promise<boolean> {
  const calls = joinedPages.get(page)
  // What a response changes would be seen by the next test.
  if (!calls || calls()) return false
  return page.mainFrame().evaluate(leaveApp)
}

export async function phones({ browser, serviceWorkers = 'block' }: PhonesOptions = {}): Promise<Phones> {
  const chromium = browser ?? (await sharedChromium())

  /** Where the app installs itself, each test has a context of its own. */
  async function newPage(options: BrowserContextOptions): Promise<Page> {
    if (serviceWorkers === 'block') return keptPage(chromium, options, { leave })
    const context = await chromium.newContext(options)
    onTestFinished(() => context.close())
    return context.newPage()
  }

  async function open(service: Pick<RunningService, 'url'>, fragment = '', options: BrowserContextOptions = {}) {
    const page = await newPage({ viewport: small.viewport, serviceWorkers, ...options })
    joinedPages.delete(page)
    const address = `${service.url}/authenticator/`
    // The app of the test before, which was left as if it had just been loaded.
    const isLoaded = page.url() === address
    // With the same path, a link would not load the page.
    if (isLoaded && fragment !== '') await page.mainFrame().evaluate(() => history.replaceState(null, '', 'none'))
    if (!isLoaded || fragment !== '') await page.goto(address + fragment)
    return page
  }
  return {
    open,
    async joined({ context, ...options } = {}) {
      const service = await startService(options)
      const { userId, code } = await service.enroll('alice')
      const page = await open(service, '', context)
      await seedAccount(page, service.url, code)
      await page.getByText('Nothing to approve').waitFor()
      joinedPages.set(page, watchCalls(page))
      return { service, userId, page }
    },
    async joinedAtRest() {
      const clock = createTestClock()
      const service = await startService({ service: { clock } })
      const { userId, code } = await service.enroll('alice')
      const page = await open(service)
      await page.clock.install()
      await page.goto(`${service.url}/authenticator/#code=${code}`)
      await add(page)
      const pass = async (seconds: number) => {
        await page.clock.fastForward(seconds * 1_000)
        await clock.advance(seconds)
      }
      return { service, userId, page, pass }
    },
  }
}

export async function add(page: Page): Promise<void> {
  await button(page, 'Add this account').click()
  await page.getByText('Nothing to approve').waitFor()
}

/** Adds one more account to a phone that has some and shows them. */
export async function addAnother(service: RunningService, page: Page, username: string): Promise<void> {
  const { code } = await service.enroll(username)
  await seedAccount(page, service.url, code)
  await page.locator('.list .row').getByText(username, { exact: true }).waitFor()
}

export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

/** Denies a request, and says that it was a mistake. */
export async function deny(page: Page): Promise<void> {
  await button(page, 'Deny').click()
  await button(page, 'Yes, a mistake').click()
}

/** A camera that sees nothing: enough for what is around its picture. */
export async function giveBlankCamera(page: Page): Promise<void> {
  await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    const pen = canvas.getContext('2d')!
    // A stream has a picture only while something is drawn.
    setInterval(() => pen.fillRect(0, 0, 300, 150), 50)
    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream()
  })
}

/** Waits until it is there to be seen. */
export const seen = (locator: Locator): Promise<boolean> => locator.waitFor().then(() => true)
export const headline = (page: Page, name: string): Promise<boolean> =>
  seen(page.getByRole('heading', { level: 1, name }))

/** What a browser on a desk asks for. */
export const fromDesk = {
  numberMatching: true,
  ipAddress: '203.0.113.7',
  attributes: [
    { key: 'Browser', value: 'Firefox' },
    { key: 'System', value: 'Windows' },
  ],
} satisfies Omit<NewSession, 'user'>

/** As if another app was in front; the other way round with false. Chromium does not hide pages by itself here. */
export async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true })
    Object.defineProperty(document, 'visibilityState', { value: value ? 'hidden' : 'visible', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, hidden)
}
