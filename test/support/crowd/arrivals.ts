/** People who come one after the other and sign in, in a process of their own: their browsers, phones, tokens and passkeys. */
import { once } from 'node:events'
import { createPrivateKey } from 'node:crypto'
import type { JsonWebKeyInput, KeyObject } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

import { devicePaths } from '../../../src/contract/device.ts'
import type { Claims } from '../../../src/contract/device.ts'
import type { DeviceRequest } from '../../../src/contract/device-answers.ts'
import type { CreationOptions, RequestOptions } from '../../../src/contract/webauthn.ts'
import { codeAt, stepAt } from '../../../src/service/features/codes/totp.ts'
import { createAuthenticator } from '../../../src/testing/software-authenticator.ts'
import { createBrowser } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { createHttpClient, forEachOf } from './http-client.ts'
import { readChange } from './read-change.ts'
import { signCall } from './sign-call.ts'

/** How somebody passes the second step. Who has a passkey makes it before anybody comes. */
export type Arriving = { readonly username: string } & (
  | { readonly kind: 'push'; readonly device: string; readonly key?: JsonWebKey; readonly pin?: string }
  | { readonly kind: 'code'; readonly seed: string }
  | { readonly kind: 'passkey' }
)

export interface ArrivalsGiven {
  readonly url: string
  readonly service: { readonly url: string; readonly id: string }
  /** The key of devices that have none of their own. */
  readonly privateKey: JsonWebKey
  readonly people: readonly Arriving[]
  /** Tries of a person who is told to try again. */
  readonly tries: number
}

/** They come from now on, so many in a second. */
export interface Arrival {
  readonly perSecond: number
}

export interface ArrivalsReport {
  /** From the login to the page of the app, without the time that people take themselves; milliseconds, by kind. */
  readonly took: Readonly<Record<Arriving['kind'], readonly number[]>>
  /** From the first login until the last one was in, milliseconds. */
  readonly all: number
  /** Answers that asked to try again. */
  readonly again: number
  /** Event streams that were refused or broke off. */
  readonly lost: number
  readonly problems: readonly string[]
}

// The process that started this one may be killed.
process.once('disconnect', () => process.exit())
const [input] = (await once(process, 'message')) as [ArrivalsGiven]
const pages = createHttpClient(input.url, '127.0.0.1')
const phones = createHttpClient(input.service.url, '127.0.0.1')
const authenticator = createAuthenticator({ origin: input.url })
const sharedKey = createPrivateKey({ key: input.privateKey as JsonWebKeyInput['key'], format: 'jwk' })
const took: Record<Arriving['kind'], number[]> = { push: [], code: [], passkey: [] }
const problems: string[] = []
let again = 0
let lost = 0

/** Two to six seconds until somebody has found the phone, typed the code or touched the key; the same in each run. */
const slowness = (index: number): number => 2_000 + ((index * 7_919) % 4_000)

/** What is answered 503 or 429 is done again after the time that the answer names. */
async function untilServed<T extends { readonly status: number; readonly headers: object }>(
  send: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send()
    if ((answer.status !== 503 && answer.status !== 429) || tries === input.tries) return answer
    again += 1
    const { 'retry-after': seconds = '1' } = answer.headers as { 'retry-after'?: string }
    await pause(Number(seconds) * 1_000)
  }
}

async function logIn({ username }: Arriving): Promise<Browser> {
  const browser = createBrowser(input.url)
  await browser.submit('/login', { username })
  return browser
}

async function makePasskey(person: Arriving): Promise<void> {
  const browser = await logIn(person)
  await browser.visit('/mfa')
  const { text } = await browser.submit('/mfa/enroll/passkey/options')
  const response = JSON.stringify(authenticator.make(JSON.parse(text) as CreationOptions))
  const { status } = await browser.submit('/mfa/enroll/passkey', { name: 'Laptop', response })
  if (status >= 400) throw new Error(`the passkey was answered with ${status}`)
}

async function approve(person: Arriving & { kind: 'push' }, number: string): Promise<void> {
  const key: KeyObject = person.key
    ? createPrivateKey({ key: person.key as JsonWebKeyInput['key'], format: 'jwk' })
    : sharedKey
  const sign = (content: Readonly<Record<string, unknown>> & Pick<Claims, 'htm' | 'path'>) =>
    signCall(key, { aud: input.service.id, sub: person.device, iat: Math.floor(Date.now() / 1000), ...content })
  const inbox = await untilServed(() => {
    const authorization = `Device ${sign({ htm: 'GET', path: devicePaths.requests })}`
    return phones.send({ method: 'GET', path: devicePaths.requests, headers: { authorization } })
  })
  const [request] = (JSON.parse(inbox.text) as { requests: DeviceRequest[] }).requests
  if (!request) throw new Error('nothing is pending')
  const path = devicePaths.answer(request.id)
  const decision = { nonce: request.nonce, decision: 'approve', number, ...(person.pin && { pin: person.pin }) }
  const { status, text } = await untilServed(() => {
    const body = sign({ htm: 'POST', path, ...decision })
    return phones.send({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/jose', 'content-length': String(body.length) },
      body,
    })
  })
  if (status !== 200) throw new Error(`the approval was answered with ${status} ${text.slice(0, 200)}`)
}

/** From the page of the second step on. @param thinks Waits as the person does. */
async function pass(person: Arriving, browser: Browser, thinks: () => Promise<void>): Promise<void> {
  const page = await untilServed(() => browser.visit('/mfa'))
  if (person.kind === 'code') {
    await thinks()
    const code = codeAt({ seed: person.seed, digits: 6 }, stepAt(Date.now() / 1000, 30))
    await untilServed(() => browser.submit('/mfa/code', { code }))
  } else if (person.kind === 'passkey') {
    const { text } = await untilServed(() => browser.submit('/mfa/passkey/options'))
    await thinks()
    const response = JSON.stringify(authenticator.use(JSON.parse(text) as RequestOptions))
    await untilServed(() => browser.submit('/mfa/passkey', { response }))
  } else {
    const number = /id="number">(\d+)</.exec(page.text)?.[1]
    if (number === undefined) throw new Error(`the page was answered with ${page.status} ${page.text.slice(0, 200)}`)
    const told = readChange(pages, browser.cookies())
    await thinks()
    await approve(person, number)
    const change = await told
    if (change === 'lost' || change.startsWith('status')) lost += 1
    await untilServed(() => browser.submit('/mfa/complete'))
  }
}

async function signIn(person: Arriving, index: number): Promise<void> {
  const start = performance.now()
  const thinking = slowness(index)
  const browser = await logIn(person)
  await pass(person, browser, () => pause(thinking))
  const { text } = await browser.open('/')
  if (!text.includes('"verified":true')) throw new Error(`the page of the app says ${text.slice(0, 200)}`)
  took[person.kind].push(performance.now() - start - thinking)
}

const failed = (person: Arriving) => (error: Error) => void problems.push(`${person.username}: ${error.message}`)

await forEachOf(
  input.people.filter(({ kind }) => kind === 'passkey'),
  8,
  (person) => makePasskey(person).catch(failed(person)),
)
process.send?.({ problems })

const [{ perSecond }] = (await once(process, 'message')) as [Arrival]
const start = performance.now()
const under: Promise<void>[] = []
for (const [index, person] of input.people.entries()) {
  // By the clock: who comes does not wait for those who came before.
  const early = start + (index / perSecond) * 1_000 - performance.now()
  if (early > 0) await pause(early)
  under.push(signIn(person, index).catch(failed(person)))
}
await Promise.all(under)
process.send?.({ took, all: performance.now() - start, again, lost, problems } satisfies ArrivalsReport)
