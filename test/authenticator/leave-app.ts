import type { Page, Request } from 'playwright-core'

import { devicePaths } from '../../src/contract/device.ts'

/** Pages whose app has an account, and whether a call to the service is under way. */
const joinedPages = new WeakMap<Page, () => boolean>()

/** From now on the app can be left for the next test: it has finished loading, and shows an account. */
export const mayBeLeft = (page: Page): void => void joinedPages.set(page, watchCalls(page))

export const mustLoadAgain = (page: Page): void => void joinedPages.delete(page)

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

/** Empties the app, so that the next test need not load it again. @returns whether that was possible. */
export async function leave(page: Page): Promise<boolean> {
  const isCalling = joinedPages.get(page)
  // What a response changes would be seen by the next test.
  if (!isCalling || isCalling()) return false
  return page.mainFrame().evaluate(leaveApp)
}

/**
 * Runs in the page: goes home, and removes what is stored. @returns whether the app is as it was when it was opened without
 * an account.
 */
async function leaveApp(): Promise<boolean> {
  if (!location.pathname.endsWith('/authenticator/') || !document.querySelector('main')) return false
  if ((history.state as { away?: boolean } | null)?.away) {
    const departure = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }))
    history.back()
    await departure
  }
  const database = await new Promise<IDBDatabase>((resolve) => {
    const opening = indexedDB.open('second-factor')
    opening.addEventListener('success', () => resolve(opening.result))
  })
  const transaction = database.transaction('accounts', 'readwrite')
  transaction.objectStore('accounts').clear()
  await new Promise((resolve) => transaction.addEventListener('complete', resolve))
  database.close()
  localStorage.clear()
  const channel = new BroadcastChannel('second-factor-accounts')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel never leaves its origin
  channel.postMessage('changed')
  channel.close()
  for (let waited = 0; waited < 20; waited++) {
    if (document.querySelector('.welcome + .sentence')) {
      holdTimers()
      return navigator.language.startsWith(document.documentElement.lang)
    }
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }
  return false

  /** The app counts seconds, in each page that waits for its next test. */
  function holdTimers(): void {
    const wait = window.setTimeout
    const heldCalls: Parameters<typeof wait>[] = []
    const hold = (...timer: Parameters<typeof wait>) => heldCalls.push(timer)
    window.setTimeout = Object.assign(hold, wait)
    const releaseTimers = () => {
      window.setTimeout = wait
      for (const timer of heldCalls) wait(...timer)
      // As when a page becomes visible whose timers the browser had stopped.
      document.dispatchEvent(new Event('visibilitychange'))
    }
    Object.assign(window, { releaseTimers })
  }
}

/** For the next test. */
export const resume = (page: Page): Promise<void> =>
  page.mainFrame().evaluate(() => (window as { releaseTimers?(): void }).releaseTimers?.())
