/** The whole sign-in of a person at an app with `mfa()`, from the login form to the page of the app. */
import type { CreationOptions, RequestOptions } from '../../src/contract/webauthn.ts'
import type { Account } from '../../src/device/account.ts'
import { createDevice } from '../../src/device/device.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import { createBrowserKey } from '../../test/support/browser-key.ts'
import type { SignInAppGiven } from '../contenders/sign-in-app.ts'
import { createMovedClock } from '../measuring/moved-clock.ts'
import type { Load } from '../measuring/load.ts'
import { createCountingBrowser } from './counting-browser.ts'
import type { Answer, CountingBrowser } from './counting-browser.ts'
import { codeOf } from './second-steps.ts'

export type SignInWay = 'push' | 'code' | 'passkey' | 'remembered' | 'enrollment'

export interface SignInGiven extends SignInAppGiven {
  readonly way: SignInWay
}

const origin = 'https://app.example'
/** The people who sign in, in each way. Those who enter codes, and those whose browser is remembered, have a hardware token. */
const people = 40

export const tokenUsers = 2 * people

/** A person at a browser. */
interface Person {
  readonly username: string
  readonly browser: CountingBrowser
}

/** Signs a person in. @returns the page of the app, and the browser that was used. */
type SignIn = () => Promise<{ readonly page: Answer; readonly browser: CountingBrowser }>

export async function createLoad({ url, way, seeds }: SignInGiven): Promise<Load> {
  const clock = createMovedClock()
  const moveClock = async () => {
    const now = await (await fetch(`${url}/bench/clock`, { method: 'POST' })).text()
    clock.move(Number(now) - clock.now())
  }
  await moveClock()
  const device = createDevice({ clock })
  const newPerson = (username: string): Person => ({ username, browser: createCountingBrowser(url) })

  /** Enters the password. @returns the page that follows. */
  async function logIn({ username, browser }: Person): Promise<Answer> {
    browser.forget('connect.sid')
    await browser.visit('/login')
    return browser.submit('/login', { username, password: 'secret' })
  }

  /** Approves the request that the page shows. */
  async function approve(browser: CountingBrowser, page: Answer, account: Account): Promise<Answer> {
    const { changed } = await browser.listen(`/mfa/events?page=${tokenOf(page)}`)
    const [request] = (await device.requests(account)).requests ?? []
    if (!request) throw new Error('nothing is pending')
    await device.answer(account, request, { decision: 'approve', number: /id="number">(\d+)</.exec(page.text)?.[1] })
    await changed
    const { location } = await browser.post<Next>('/mfa/complete')
    return browser.visit(location)
  }

  /** Sets up a phone as the first device, approves on it, and declines recovery codes. */
  async function enroll(person: Person) {
    const { browser } = person
    await logIn(person)
    const setup = await browser.visit('/mfa?use=phone')
    const { changed } = await browser.listen(`/mfa/events?page=${tokenOf(setup)}`)
    const code = /#code=([a-z0-9]{10})/.exec(setup.text)?.[1] ?? ''
    const account = await device.activate(`${url}/mfa`, code, { name: 'Benchmark' })
    await changed
    const offer = await approve(browser, await browser.visit('/mfa'), account)
    return { account, page: await browser.submit('/mfa/recovery/later', { page: formToken(offer) }) }
  }

  /** Enters the code of a hardware token on the page that asks for it. */
  const enterCode = (index: number, { browser }: Person, page: Answer, more: Record<string, string> = {}) =>
    browser.submit('/mfa/code', { page: tokenOf(page), code: codeOf(seeds[index] ?? '', clock.now()), ...more })

  const ways: Readonly<Record<SignInWay, (index: number) => Promise<SignIn>>> = {
    async push(index) {
      const person = newPerson(`push-${index}`)
      const { browser } = person
      const { account } = await enroll(person)
      return async () => ({ browser, page: await approve(browser, await logIn(person), account) })
    },

    code(index) {
      const person = newPerson(`codes-${index}`)
      return Promise.resolve(async () => ({
        browser: person.browser,
        page: await enterCode(index, person, await logIn(person)),
      }))
    },

    /** The browser has a key, and is kept after the first sign-in with the passkey. */
    async passkey(index) {
      const person = newPerson(`passkey-${index}`)
      const { browser } = person
      const key = createBrowserKey()
      const authenticator = createAuthenticator({ origin })
      await logIn(person)
      const setup = await browser.visit('/mfa/enroll/passkey')
      const options = await browser.post<CreationOptions>('/mfa/enroll/passkey/options', { page: tokenOf(setup) })
      const response = JSON.stringify(authenticator.make(options))
      await browser.post('/mfa/enroll/passkey', { page: tokenOf(setup), name: 'Laptop', response })

      async function prove(page: Answer): Promise<Answer> {
        const proof = attribute(page, 'data-proof')
        if (proof === '') return page
        const fields = { page: tokenOf(page), use: '', signature: key.signature(proof, origin) }
        const { location } = await browser.post<Next>('/mfa/browser', fields)
        return browser.visit(location)
      }

      return async () => {
        const page = tokenOf(await prove(await logIn(person)))
        const request = await browser.post<RequestOptions>('/mfa/passkey/options', { page })
        const answer = JSON.stringify(authenticator.use(request))
        const fields = { response: answer, browserKey: key.publicKey, page }
        const { location } = await browser.post<Next>('/mfa/passkey', fields)
        return { browser, page: await browser.visit(location) }
      }
    },

    /** The browser is remembered at a sign-in with a code, for 30 days. */
    async remembered(index) {
      const user = index + people
      const person = newPerson(`codes-${user}`)
      await enterCode(user, person, await logIn(person), { remembers: 'yes', remember: 'yes' })
      return async () => ({ browser: person.browser, page: await logIn(person) })
    },

    enrollment(index) {
      let count = 0
      return Promise.resolve(async () => {
        const person = newPerson(`new-${index}-${count++}`)
        const { page } = await enroll(person)
        person.browser.close()
        return { browser: person.browser, page }
      })
    },
  }

  const signIns: SignIn[] = []
  for (let index = 0; index < people; index++) signIns.push(await ways[way](index))

  async function signIn(index: number): Promise<CountingBrowser> {
    const { browser, page } = (await signIns[index]?.()) ?? {}
    if (!browser || !page?.text.includes('Your account')) {
      throw new Error(`${way}: the sign-in ended with ${page?.status} ${page?.text.slice(0, 1_000)}`)
    }
    return browser
  }

  // The first sign-in of a browser leaves cookies in it.
  await moveClock()
  const browser = await signIn(0)
  browser.takeTraffic()
  await moveClock()
  const traffic = (await signIn(0)).takeTraffic()
  return { size: people, facts: { traffic }, nextPass: moveClock, unit: async (index) => void (await signIn(index)) }
}

/** The answer to a script, which then leads the browser on. */
interface Next {
  readonly location: string
}

/** The value of an attribute of the page; empty if it has none. */
const attribute = ({ text }: Answer, name: string): string => new RegExp(`${name}="([^"]*)"`).exec(text)?.[1] ?? ''

const tokenOf = (page: Answer): string => attribute(page, 'data-token')

const formToken = ({ text }: Answer): string => /name="page" value="([^"]*)"/.exec(text)?.[1] ?? ''
