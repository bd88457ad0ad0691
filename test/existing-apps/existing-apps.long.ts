import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'

import type { Page } from 'playwright-core'
import type { MfaOptions } from 'second-factor'
import type * as Service from 'second-factor/service'
import { describe, expect, it, onTestFinished } from 'vitest'

import { systemClock } from '../../src/ground/clock.ts'
import type { Clock } from '../../src/ground/clock.ts'
import { phoneOptions } from '../authenticator/phone.ts'
import { activate, choosePhone, numberOn, signIn, typeNumber } from '../story/person.ts'
import { createBufferingProxy } from '../support/buffering-proxy.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { people } from '../support/web-app.ts'

/** Loads as Node does, so that the apps get the built package under the name that people import. */
const load = createRequire(import.meta.url)

type CreateApp = (options: MfaOptions) => RequestListener

const chromium = await sharedChromium()

describe.each([
  { name: 'Express 4, CommonJS, JavaScript', file: './express4-commonjs/app.cjs', prefix: '', hash: '', inPage: true },
  { name: 'Express 5, TypeScript, one page', file: './express5-typescript/app.ts', prefix: '', hash: '/#' },
  { name: 'cookie-session', file: './cookie-session/app.js', prefix: '', hash: '' },
  { name: 'behind a buffering proxy', file: './behind-proxy/app.js', prefix: '/portal', hash: '', inPage: true },
])('an app with $name', ({ file, prefix, hash, inPage = false }) => {
  it('in an existing app, users get from login through second step and step-up to the requested page, and sign out', async () => {
    const { url, clock, page } = await arrange(file, prefix)
    const phone = inPage ? await openAuthenticator() : createPhone(url, clock)
    const at = (path: string) => url + hash + path
    if (prefix) await page.clock.install()

    await page.goto(`${url}/`)
    await signIn(page, 'alice')
    await page.getByRole('heading', { name: /^(Set up your device|How will you confirm sign-ins)/ }).waitFor()
    await page.goto(at('/reports?year=2026'))
    await page.getByRole('heading', { name: /^(Set up your device|How will you confirm sign-ins)/ }).waitFor()
    // Where streams do not get through, pages find out after five seconds.
    if (prefix) await page.clock.fastForward(5000)
    await phone.activate(page)
    await phone.approve(page)
    await page.waitForURL(at('/reports?year=2026'))
    await page.getByRole('heading', { name: 'Reports' }).waitFor()

    await page.goto(at('/transfer'))
    await page.getByRole('heading', { name: 'Transfer' }).waitFor()
    clock.advance(300)
    await page.reload()
    await page.getByRole('heading', { name: "Confirm that it's you" }).waitFor()
    expect(page.url()).toBe(`${url}/mfa`)
    await phone.approve(page)
    await page.waitForURL(at('/transfer'))
    await page.getByRole('heading', { name: 'Transfer' }).waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(`${url}/mfa`)
    await page.getByRole('heading', { name: 'Sign in first' }).waitFor()
  })
})

/** Stands for the phone of the user. */
interface Phone {
  readonly activate: (page: Page) => Promise<unknown>
  /** Reads the number from the page of the app, and approves. */
  readonly approve: (page: Page) => Promise<unknown>
}

/** In a second browser: where the app and what is in front of it have to serve the authenticator. */
async function openAuthenticator(): Promise<Phone> {
  const authenticator = await keptPage(chromium, phoneOptions)
  return {
    activate: (page) => activate(authenticator, page),
    async approve(page) {
      await page.locator('#number').waitFor()
      await authenticator.getByText('Sign in to').waitFor()
      await typeNumber(authenticator, await numberOn(page))
      await authenticator.getByRole('button', { name: 'Approve' }).click()
    },
  }
}

/** Without its pages: of the app, it is the same as the authenticator. */
function createPhone(url: string, clock: Clock): Phone {
  const own = people(url, clock)
  let account: ReturnType<typeof own.activate> | undefined
  return {
    activate: async (page) => {
      await choosePhone(page)
      account = own.activate({ text: await page.content() })
    },
    async approve(page) {
      await page.locator('#number').waitFor()
      await own.answer(await account!, 'approve', await numberOn(page))
    },
  }
}

/** The app over a service of its own, on a free port, and a browser. */
async function arrange(file: string, prefix: string) {
  const { embedded } = load('second-factor/service') as typeof Service
  const clock = createClock()
  const service = embedded({ database: ':memory:', clock })
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://localhost:${portOf(server)}`
  const app = loadApp(file)({
    service,
    recoveryCodes: false,
    clock,
    ...(prefix ? { publicUrl: origin + prefix } : {}),
  })
  const inner = createServer(app)
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve))
  server.on('request', prefix ? createBufferingProxy({ prefix, port: () => portOf(inner) }) : app)
  onTestFinished(async () => {
    for (const each of [server, inner]) {
      each.closeAllConnections()
      await new Promise((resolve) => each.close(resolve))
    }
    await service.close()
  })
  return { url: origin + prefix, clock, page: await keptPage(chromium) }
}

/** Goes like any other, as browsers have theirs, and can be put forward. */
function createClock() {
  let ahead = 0
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    advance: (seconds: number) => void (ahead += seconds),
  }
}

function loadApp(file: string): CreateApp {
  const loaded = load(file) as CreateApp | { createApp: CreateApp }
  return 'createApp' in loaded ? loaded.createApp : loaded
}

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
