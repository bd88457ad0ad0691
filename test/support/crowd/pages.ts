/** The browsers of a crowd, in a process of its own: each signs in, shows the waiting page, and follows what comes of it. */
import type { IncomingHttpHeaders } from 'node:http'
import { once } from 'node:events'

import { createHttpClient, forEachOf, textOf } from './http-client.ts'
import type { Got } from './http-client.ts'
import { readChange } from './read-change.ts'

export type WayOfWaiting = 'stream' | 'held'

export interface PagesGiven {
  readonly url: string
  readonly localAddress: string
  readonly people: readonly { readonly username: string; readonly way: WayOfWaiting }[]
}

/** Pages that are opened at the same time. */
const together = 16
/** As the script of the page has it, milliseconds. */
const reconnectAfter = 2_000

const report = {
  /** Milliseconds of Unix time: when each page was told, and when it was passed. */
  told: {} as Record<string, number>,
  passed: {} as Record<string, number>,
  /** Streams that broke off, and steps that were made again because the service was busy. */
  reconnected: 0,
  again: 0,
  problems: [] as string[],
}
export type PagesReport = typeof report

// The process that started this one may be killed.
process.once('disconnect', () => process.exit())
const [input] = (await once(process, 'message')) as [PagesGiven]
const client = createHttpClient(input.url, input.localAddress)
const numbers: Record<string, string> = {}

/** Signs in, and follows the page until it is passed. Resolves when the page waits. */
async function wait({ username, way }: PagesGiven['people'][number]): Promise<void> {
  const form = `username=${username}`
  const type = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(form.length) }
  const login = await client.send({ method: 'POST', path: '/login', headers: type, body: form })
  const navigation = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' }
  const signedIn = cookieIn(login.headers)
  // The first answer only sets the cookie that binds the challenge to this browser.
  const bindingAnswer = await client.send({ method: 'GET', path: '/mfa', headers: { ...navigation, cookie: signedIn } })
  const cookie = `${signedIn}; ${cookieIn(bindingAnswer.headers)}`
  const page = await client.send({ method: 'GET', path: '/mfa', headers: { ...navigation, cookie } })
  const number = /id="number">(\d+)</.exec(page.text)?.[1]
  if (number === undefined) return void report.problems.push(`${username}: ${page.status} ${page.text.slice(0, 300)}`)
  numbers[username] = number
  void follow(username, way === 'stream' ? streamed : held, cookie)
  // Until it is connected; a request that is held says nothing.
  if (way === 'stream') await new Promise<void>((resolve) => void connected.set(cookie, resolve))
}

const cookieIn = (headers: IncomingHttpHeaders) => headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''

const connected = new Map<string, () => void>()

async function follow(username: string, listen: (cookie: string) => Promise<string>, cookie: string): Promise<void> {
  for (let change = 'none'; change === 'none';) {
    change = await listen(cookie)
    if (change === 'lost') report.reconnected += 1
    if (change === 'lost') await new Promise((resolve) => setTimeout(resolve, reconnectAfter))
    if (change === 'lost') change = 'none'
  }
  report.told[username] = Date.now()
  await complete(username, cookie)
}

/** Goes on. Where that fails, the script leads back to the page, which tries again as it finds the approval. */
async function complete(username: string, cookie: string): Promise<void> {
  const headers = { cookie, accept: 'application/json', 'sec-fetch-site': 'same-origin', 'content-length': '0' }
  for (;;) {
    const { status, text } = await client.send({ method: 'POST', path: '/mfa/complete', headers }).catch(noAnswer)
    const { location } = status === 200 ? (JSON.parse(text) as { location?: string }) : {}
    if (location === '/') return void (report.passed[username] = Date.now())
    if (status !== 0 && status !== 503) {
      return void report.problems.push(`${username}: complete answered ${status} ${text.slice(0, 300)}`)
    }
    report.again += 1
    await new Promise((resolve) => setTimeout(resolve, reconnectAfter))
  }
}

const noAnswer = (error: Error): Got => ({ status: 0, headers: {}, text: error.message })

const streamed = (cookie: string): Promise<string> =>
  readChange(client, cookie, () => {
    connected.get(cookie)?.()
    connected.delete(cookie)
  })

async function held(cookie: string): Promise<string> {
  const headers = { cookie, accept: 'application/json', 'sec-fetch-site': 'same-origin' }
  const response = await client.open({ method: 'GET', path: '/mfa/status', headers })
  if (!response) return 'lost'
  const text = await textOf(response).catch(() => '')
  return text === '' ? 'lost' : ((JSON.parse(text) as { change?: string }).change ?? 'lost')
}

await forEachOf(input.people, together, (person) =>
  wait(person).catch((error: Error) => void report.problems.push(`${person.username}: ${error.message}`)),
)
process.send?.({ numbers })
process.on('message', () => process.send?.(report))
