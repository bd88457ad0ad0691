import { pause, systemClock } from '../../src/ground/clock.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { device } from './cluster.ts'
import type { Cluster, Person } from './cluster.ts'

export interface SignIn {
  readonly username: string
  readonly verified: boolean
  /** How many requests were sent to the phone, or how many codes were tried: 1, and one more for each time it began anew. */
  readonly begun: number
}

/** How long people try, milliseconds. */
const patience = 90_000
/** How long they wait before they try again what failed, milliseconds. */
const breath = 250

/** Signs in and approves on the phone, as the pages say; whatever fails is tried again. */
export async function approves(cluster: Cluster, person: Person, onAsked = () => {}): Promise<SignIn> {
  const seenIds = new Set<string>()
  const verified = await persist(cluster, person.username, async (browser, page) => {
    const number = /id="number">(\d+)</.exec(page)?.[1]
    if (number !== undefined) {
      const [request] = (await device.requests(person.account)).requests ?? []
      if (!request) return
      seenIds.add(request.id)
      // Before it is sent: whether it arrived is not always known.
      person.approved.add(request.id)
      onAsked()
      await device.answer(person.account, request, { decision: 'approve', number })
    }
    const action = page.includes('action="/mfa/send"') && !page.includes('action="/mfa/complete"') ? 'send' : 'complete'
    const { headers } = await browser.submit(`/mfa/${action}`)
    // Used up by a node that was killed before it could store that: the page says so, and offers to ask once more.
    if (/[?&]spent/.test(headers['location'] ?? '')) await browser.submit('/mfa/send')
  })
  return { username: person.username, verified, begun: seenIds.size }
}

/** Knows the password, and asks again and again for what the owner of the phone denies. */
export async function isDenied(cluster: Cluster, person: Person): Promise<SignIn> {
  const browser = createBrowser(cluster.web.url)
  let startedCount = 0
  for (let step = 0; step < 5; step += 1) {
    await attempt(async () => {
      await comeIn(browser, person.username)
      const { text } = await browser.visit('/mfa')
      const [request] = (await device.requests(person.account)).requests ?? []
      if (request && text.includes('id="number"')) {
        startedCount += 1
        await device.answer(person.account, request, { decision: 'deny' })
      }
      await browser.submit('/mfa/complete')
    })
  }
  return { username: person.username, verified: await isIn(browser), begun: startedCount }
}

/** Types one code in two browsers at once, again and again until one of them is let in or it is worth nothing. */
export async function sharesCode(cluster: Cluster, person: Person, code: string): Promise<readonly SignIn[]> {
  const browsers = [createBrowser(cluster.web.url), createBrowser(cluster.web.url)]
  return Promise.all(
    browsers.map(async (browser) => {
      let startedCount = 0
      for (let step = 0; step < 3; step += 1) {
        await attempt(async () => {
          await comeIn(browser, person.username)
          startedCount += 1
          await browser.submit('/mfa/code', { code })
        })
      }
      return { username: person.username, verified: await isIn(browser), begun: startedCount }
    }),
  )
}

type Act = (browser: Browser, page: string) => Promise<void>

async function persist(cluster: Cluster, username: string, act: Act): Promise<boolean> {
  const browser = createBrowser(cluster.web.url)
  const end = performance.now() + patience
  while (performance.now() < end) {
    const done = await attempt(async () => {
      if (await comeIn(browser, username)) return true
      const { status, text } = await browser.visit('/mfa')
      if (status === 200) await act(browser, text)
      else await pause(systemClock, breath)
      return false
    })
    if (done) return true
  }
  return false
}

/** Signs in with the password where that is needed. @returns whether the second step has been passed. */
async function comeIn(browser: Browser, username: string): Promise<boolean> {
  const { status, body } = await browser.fetch('/account')
  if (status === 200 && body.verified) {
    if (body.user.username !== username) throw new Error(`${username} is signed in as ${body.user.username}`)
    return true
  }
  if (status === 200) await browser.submit('/login', { username, password: 'secret' })
  return false
}

async function isIn(browser: Browser): Promise<boolean> {
  for (;;) {
    const answer = await attempt(() => browser.fetch('/account'))
    if (answer && answer.status < 500) return answer.body.verified === true
    await pause(systemClock, breath)
  }
}

/** What breaks off is tried again, as people do. */
async function attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch {
    await pause(systemClock, breath)
    return undefined
  }
}
