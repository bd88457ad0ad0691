import express from 'express'
import session from 'express-session'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { mfa } from 'second-factor'
import type { MfaEvent } from 'second-factor'
import { startTestService } from 'second-factor/testing'
import { onTestFinished } from 'vitest'

import { createBufferingProxy } from '../support/buffering-proxy.ts'
import { keptPage } from '../support/kept-page.ts'
import { listen } from '../support/listen.ts'

export interface WaitingPageOptions {
  /** In front of mfa(). */
  readonly before?: readonly express.RequestHandler[]
  readonly behindProxy?: boolean
  readonly context?: BrowserContextOptions
}

/** The page of a challenge in Chromium, waiting for the device of a person who has just signed in. */
export async function openWaitingPage(chromium: Browser, options: WaitingPageOptions = {}) {
  const service = await startTestService()
  const events: MfaEvent[] = []
  const traffic = createTraffic()
  const device = await service.enroll('alice')
  const url = await serve(options, (publicUrl) => {
    const app = express()
    app.use(traffic.watch, ...(options.before ?? []))
    app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
    app.use(
      mfa({ service, clock: service.clock, publicUrl, user: userOf, onEvent: (event) => void events.push(event) }),
    )
    app.get('/login', (req, res) => {
      Object.assign(req.session, { username: 'alice' })
      res.redirect(`${new URL(publicUrl).pathname.replace(/\/$/, '')}/account`)
    })
    app.use((req, res) => void res.send(`<link rel="icon" href="data:,"><h1>You are at ${req.path}</h1>`))
    return app
  })
  onTestFinished(() => service.close())
  const page = await keptPage(chromium, options.context, { clock: true })
  const context = page.context()
  await context.addInitScript(letHide)
  await page.goto(`${url}/login`)
  return { url, service, device, events, traffic, context, page, arrived: () => page.waitForURL(`${url}/account`) }
}

async function serve({ behindProxy = false }: WaitingPageOptions, createApp: (publicUrl: string) => express.Express) {
  let handler: express.RequestHandler | undefined
  const inner = (await listen((req, res) => handler?.(req as never, res as never, () => {}))).replace(
    '127.0.0.1',
    'localhost',
  )
  const proxy = createBufferingProxy({ prefix: '/portal', port: () => Number(new URL(inner).port) })
  const url = behindProxy ? `${(await listen(proxy)).replace('127.0.0.1', 'localhost')}/portal` : inner
  handler = createApp(url)
  return url
}

function userOf(req: { session?: unknown }) {
  const { username } = (req.session ?? {}) as { username?: string }
  return username === undefined ? null : { username }
}

/** What is asked of the app, and what of it is still open. */
function createTraffic() {
  const askedTimes = new Map<string, number>()
  const open = new Map<string, number>()
  const answers = new Set<express.Response>()
  const count = (map: Map<string, number>, path: string, by: number) => map.set(path, (map.get(path) ?? 0) + by)
  const watch: express.RequestHandler = (req, res, next) => {
    const { path } = req
    count(askedTimes, path, 1)
    count(open, path, 1)
    answers.add(res)
    res.once('close', () => {
      count(open, path, -1)
      answers.delete(res)
    })
    next()
  }
  /** Breaks all connections. */
  const cut = () => answers.forEach((answer) => answer.destroy())
  return { watch, cut, asked: (path: string) => askedTimes.get(path) ?? 0, open: (path: string) => open.get(path) ?? 0 }
}

/** Headless pages are never hidden: `show(page, false)` says so in the browser's place. */
export function show(page: Page, visible: boolean): Promise<void> {
  return page.evaluate((value) => (globalThis as unknown as Hiding).showPage(value), visible)
}

/** Another tab of the same browser, on the same page. Opened by this one, it needs no process of its own. */
export async function openTab(page: Page, url: string): Promise<Page> {
  const opened = page.waitForEvent('popup')
  await page.evaluate((address) => void window.open(address), `${url}/account`)
  const tab = await opened
  await tab.waitForLoadState()
  return tab
}

interface Hiding {
  showPage(visible: boolean): void
}

/** Runs in the page. */
function letHide(): void {
  let state = 'visible'
  Object.defineProperty(document, 'visibilityState', { get: () => state })
  Object.assign(globalThis, {
    showPage(visible: boolean) {
      state = visible ? 'visible' : 'hidden'
      document.dispatchEvent(new Event('visibilitychange'))
    },
  } satisfies Hiding)
}
