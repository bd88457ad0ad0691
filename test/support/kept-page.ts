import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Disposable, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

interface Kept {
  readonly page: Page
  readonly openSession: () => Promise<CDPSession>
  readonly origins: Set<string>
  /** Whether something was called whose effect would outlast the test. */
  changed: boolean
  /** What removes the effects of other calls. */
  readonly undo: (() => unknown)[]
  /** Whether a test ran a script of its own in the document. */
  touched: boolean
  /** How its media queries were answered last. */
  media: string
  readonly emulateMedia: (media: Media) => Promise<void>
}

type Media = Pick<BrowserContextOptions, 'colorScheme' | 'reducedMotion' | 'forcedColors'>

export interface KeptPageOptions {
  /** Empties the app without loading it again. @returns whether it is as if it had just been loaded. */
  readonly leave?: (page: Page) => Promise<boolean>
  /** An address of the app that loads no scripts, relative to where the test ends. */
  readonly emptyPage?: string
  /** With `page.clock` installed. It cannot be removed, so only a test that wants it, too, receives the page again. */
  readonly clock?: boolean
}

const idle = new WeakMap<Browser, Map<string, Kept[]>>()
const keptContexts = new WeakSet<BrowserContext>()
const sessions = new WeakMap<Page, Promise<CDPSession>>()

/** Whether the next test may receive a page of the context. */
export const isKept = (context: BrowserContext): boolean => keptContexts.has(context)

/** A session of the DevTools protocol with the page, until the end of the test. */
export function pageSession(page: Page): Promise<CDPSession> {
  const known = sessions.get(page)
  if (known) return known
  const session = page.context().newCDPSession(page)
  sessions.set(page, session)
  void session.then((opened) => opened.once('close', () => sessions.delete(page)))
  return session
}

/**
 * A page for one test. The next test that wants the same options, of any size and colors, receives it again, without what
 * was stored: a new context and its processes cost more than loading the app. After a call that lasts, such as `clock.install`, the
 * context is closed instead.
 */
export async function keptPage(
  browser: Browser,
  options: BrowserContextOptions = {},
  pageOptions: KeptPageOptions = {},
): Promise<Page> {
  const { clock = false, emptyPage } = pageOptions
  const { viewport = { width: 1280, height: 720 }, colorScheme, reducedMotion, forcedColors, ...rest } = options
  const pages = idlePages(browser, JSON.stringify([rest, clock, emptyPage]))
  const chosen = pages.pop() ?? (await createKept(browser, { ...rest, viewport }, clock))
  await setSize(chosen.page, viewport)
  await setMedia(chosen, {
    colorScheme: colorScheme ?? 'light',
    reducedMotion: reducedMotion ?? 'no-preference',
    forcedColors: forcedColors ?? 'none',
  })
  if (clock) await startClock(chosen)
  onTestFinished(async ({ task }) => {
    const failed = task.result?.state === 'fail'
    const clean = !failed && (await reset(chosen, pageOptions).catch(() => false))
    if (clean) pages.push(chosen)
    else {
      keptContexts.delete(chosen.page.context())
      await chosen.page.context().close()
    }
  })
  return chosen.page
}

function idlePages(browser: Browser, key: string): Kept[] {
  const pagesByKey = idle.get(browser) ?? new Map<string, Kept[]>()
  idle.set(browser, pagesByKey)
  const pages = pagesByKey.get(key) ?? []
  pagesByKey.set(key, pages)
  return pages
}

async function setSize(page: Page, size: BrowserContextOptions['viewport']): Promise<void> {
  const { width, height } = page.viewportSize() ?? {}
  if (size && (width !== size.width || height !== size.height)) await page.setViewportSize(size)
}

const defaultMedia = JSON.stringify({ colorScheme: 'light', reducedMotion: 'no-preference', forcedColors: 'none' })

async function setMedia(entry: Kept, media: Media): Promise<void> {
  const key = JSON.stringify(media)
  if (key === entry.media) return
  await entry.emulateMedia(media)
  entry.media = key
}

/** The present is its time, whatever the test before has made of it. */
async function startClock(entry: Kept): Promise<void> {
  const { clock } = entry.page
  await clock.install()
  await clock.resume()
  entry.touched = true
}

async function createKept(browser: Browser, options: BrowserContextOptions, clock: boolean): Promise<Kept> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const created: Kept = {
    page,
    openSession: context.newCDPSession.bind(context, page),
    origins: new Set(),
    changed: false,
    undo: [],
    touched: false,
    media: defaultMedia,
    emulateMedia: page.emulateMedia.bind(page),
  }
  page.on('framenavigated', (frame) => void created.origins.add(new URL(frame.url()).origin))
  for (const target of [page, context, ...(clock ? [] : [page.clock])]) {
    watch(target, lasting, () => {
      created.changed = true
    })
  }
  watch(page, ['emulateMedia'], () => {
    created.media = 'of the test'
  })
  watch(page, scripts, () => {
    created.touched = true
  })
  for (const target of [page, context]) {
    watch(target, ['on', 'once'], (args) => {
      created.undo.push(() => Reflect.apply(target.off.bind(target), target, args))
    })
    watch(target, ['route'], () => created.undo.push(() => target.unrouteAll({ behavior: 'ignoreErrors' })))
    watch(target, ['addInitScript'], (_, script) => {
      created.touched = true
      created.undo.push(async () => ((await script) as Disposable).dispose())
    })
  }
  watch(context, ['newCDPSession'], (_, session) => {
    // What a session has set ends with it.
    created.undo.push(async () => ((await session) as CDPSession).detach())
  })
  watch(context, ['grantPermissions'], () => created.undo.push(() => context.clearPermissions()))
  const setOffline = context.setOffline.bind(context)
  watch(context, ['setOffline'], () => {
    created.touched = true
    created.undo.push(() => setOffline(false))
  })
  keptContexts.add(context)
  return created
}

const lasting = (
  'exposeBinding exposeFunction routeFromHAR routeWebSocket ' +
  'setDefaultTimeout setDefaultNavigationTimeout setExtraHTTPHeaders addLocatorHandler ' +
  'setGeolocation setHTTPCredentials install pauseAt setFixedTime setSystemTime'
).split(' ')

/** What such a script has changed ends with the document. `page.mainFrame().evaluate` is for what leaves nothing behind. */
const scripts = ['evaluate', 'evaluateHandle', 'addScriptTag', 'addStyleTag', 'setContent']

function watch(target: object, names: readonly string[], called: (args: unknown[], result: unknown) => void): void {
  for (const name of names) {
    const method: unknown = Reflect.get(target, name)
    if (typeof method !== 'function') continue
    const watched = (...args: unknown[]): unknown => {
      const result: unknown = method.apply(target, args)
      called(args, result)
      return result
    }
    Object.assign(target, { [name]: watched })
  }
}

/** @returns whether the page is as if it were new. */
async function reset(entry: Kept, { leave, emptyPage = 'none' }: KeptPageOptions): Promise<boolean> {
  const { page, changed, undo } = entry
  if (changed || page.isClosed()) return false
  for (const undone of undo.splice(0).toReversed()) await undone()
  const openPages = page.context().pages()
  await Promise.all(openPages.filter((other) => other !== page).map((other) => other.close()))
  if (entry.touched || entry.origins.size > 1 || !(await leave?.(page))) await clear(entry, emptyPage)
  return true
}

/** A worker that Playwright listens to does not end by itself. The next test would take it for its own. */
async function stopWorkers(page: Page, session: CDPSession): Promise<void> {
  const workers = page.context().serviceWorkers()
  if (workers.length === 0) return
  await Promise.all([
    ...workers.map((worker) => worker.waitForEvent('close', { timeout: 5_000 })),
    session.send('ServiceWorker.enable'),
    session.send('ServiceWorker.stopAllWorkers'),
  ])
}

/** Leaves the document, and removes what it has stored. */
async function clear(entry: Kept, emptyPage: string): Promise<void> {
  const { page, openSession, origins } = entry
  // A user who is signed in would be led to the challenge, whose script would go on in the next test.
  await page.context().clearCookies()
  // Not `about:blank`: for a page with another opener policy, Chromium starts another process.
  await page.goto(new URL(emptyPage, page.url()).href)
  // While it is open, a page that is loaded offline takes itself for online.
  const session = await openSession()
  await Promise.all([
    page.context().clearCookies(),
    ...[...origins].map((origin) => session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })),
  ])
  await stopWorkers(page, session)
  await session.detach()
  origins.clear()
  entry.touched = false
}
