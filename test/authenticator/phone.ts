import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

import { printable } from '../../src/ground/printable.ts'
import type { NewSession } from '../../src/contract/sessions.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { keptPage } from '../support/kept-page.ts'
import { type RunningService, type RunningServiceOptions, startService } from '../support/running-service.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { leave, mayBeLeft, mustLoadAgain, resume } from './leave-app.ts'
import { button } from './screen.ts'
import { seedAccount, seedAccounts } from './seed.ts'

/** As phones are: small, and touched. */
export const small = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

/** Installing the app loads its files a second time, so that is left to the tests that are about it. */
export const phoneOptions = { ...small, serviceWorkers: 'block' } as const

/** Time in the page can then be moved. */
export const withClock = 'with clock'

export type Prepare = typeof withClock | ((page: Page) => Promise<unknown>)

interface OpenWithOptions {
  readonly context?: BrowserContextOptions | undefined
  readonly prepare?: Prepare | undefined
  /** Where the domain requires one. */
  readonly pin?: string | undefined
}

export interface JoinedOptions extends RunningServiceOptions, OpenWithOptions {
  readonly username?: string
}

export interface Joined {
  readonly service: RunningService
  readonly userId: string
  readonly page: Page
}

/** Phones for the tests of a file. */
export interface Phones {
  /**
   * A browser of its own, as another phone would be, with the authenticator open.
   * @param prepare is called before the app is loaded, such as to add a script to the page.
   */
  open(
    service: Pick<RunningService, 'url'>,
    fragment?: string,
    context?: BrowserContextOptions,
    prepare?: Prepare,
  ): Promise<Page>
  /** The same, with an account. */
  openWith(service: Pick<RunningService, 'url'>, code: string, more?: OpenWithOptions): Promise<Page>
  /** A service, and an authenticator that has joined as alice. */
  joined(options?: JoinedOptions): Promise<Joined>
  /** The same, in which time passes only by `pass`, for the service and the page. */
  joinedAtRest(
    options?: Pick<OpenWithOptions, 'context'>,
  ): Promise<Joined & { readonly pass: (seconds: number) => Promise<void> }>
}

export interface PhonesOptions {
  /** By default the one of the worker. */
  readonly browser?: Browser
  /** Installing the app loads its files a second time. So it is allowed only where tests need the service worker. */
  readonly serviceWorkers?: 'allow' | 'block'
}

export async function phones({ browser, serviceWorkers = 'block' }: PhonesOptions = {}): Promise<Phones> {
  const chromium = browser ?? (await sharedChromium())

  /** Where the app installs itself, its worker answers for all its addresses. */
  async function newPage(options: BrowserContextOptions, prepare?: Prepare): Promise<Page> {
    const pageOptions = options.serviceWorkers === 'allow' ? { emptyPage: '/healthz' } : { leave }
    const page = await keptPage(chromium, options, { ...pageOptions, clock: prepare === withClock })
    if (prepare !== withClock) await prepare?.(page)
    return page
  }

  const open: Phones['open'] = async (service, fragment = '', options = {}, prepare) => {
    const page = await newPage({ viewport: small.viewport, serviceWorkers, ...options }, prepare)
    mustLoadAgain(page)
    const address = `${service.url}/authenticator/`
    // The app of the test before, which was left as if it had just been loaded.
    const isLoaded = page.url() === address
    const loadsAgain = fragment !== '' || prepare
    if (isLoaded) await resume(page)
    // With the same path, a link would not load the page.
    if (isLoaded && loadsAgain) await page.mainFrame().evaluate(() => history.replaceState(null, '', 'none'))
    if (!isLoaded || loadsAgain) await page.goto(address + fragment)
    return page
  }

  const openWith: Phones['openWith'] = async (service, code, { context, prepare, pin } = {}) => {
    const page = await open(service, '', context, prepare)
    await seedAccount(page, service.url, code, pin)
    // In any language.
    await page.locator('.list .row').waitFor()
    mayBeLeft(page)
    return page
  }

  return {
    open,
    openWith,
    async joined({ username = 'alice', ...more } = {}) {
      const service = await startService(more)
      const { userId, code } = await service.enroll(username)
      return { service, userId, page: await openWith(service, code, more) }
    },
    async joinedAtRest({ context } = {}) {
      const clock = createTestClock()
      const service = await startService({ service: { clock } })
      const { userId, code } = await service.enroll('alice')
      const page = await openWith(service, code, { context, prepare: withClock })
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

/** Adds more accounts to a phone that has some and shows them. */
export async function addAnother(service: RunningService, page: Page, ...usernames: readonly string[]): Promise<void> {
  const codes: string[] = []
  for (const username of usernames) codes.push((await service.enroll(username)).code)
  await seedAccounts(page, service.url, codes)
  await page
    .locator('.list .row')
    .getByText(printable(usernames.at(-1)!), { exact: true })
    .waitFor()
}

/** What a browser on a desk asks for. */
export const fromDesk = {
  numberMatching: true,
  ipAddress: '203.0.113.7',
  attributes: [
    { key: 'Browser', value: 'Firefox' },
    { key: 'System', value: 'Windows' },
  ],
} satisfies Omit<NewSession, 'user'>
