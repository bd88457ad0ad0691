/** The devices of `bench/inboxes.ts`, and the web app that asks them: a process of its own. */
import { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import type { IncomingMessage } from 'node:http'

import { createClient } from '../../src/client/client.ts'
import { devicePaths } from '../../src/contract/device.ts'
import { Inbox } from '../../src/contract/device-answers.ts'
import { createDevice } from '../../src/device/device.ts'
import { importPrivateKey } from '../../src/device/keys.ts'
import { signCall } from '../../test/support/crowd/sign-call.ts'

interface Given {
  readonly url: string
  readonly apiKey: string
  readonly domainId: string
  readonly serviceId: string
  readonly privateKey: JsonWebKey
  readonly ids: readonly { readonly user: string; readonly device: string }[]
  readonly sessions: number
}

/** Seconds, as the app asks for. */
const someWait = () => 25 - Math.floor(Math.random() * 6)
/** Devices that open their inbox at the same time. */
const together = 100

const [input] = (await once(process, 'message')) as [Given]
const key = await importPrivateKey(input.privateKey)
const signingKey = KeyObject.from(key)
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
const address = new URL(input.url)
const inboxes = new Map<string, (inbox: Inbox) => void>()

/** Opens the inbox of a device, and holds it open from then on. Resolves when it is held. */
async function hold(device: string): Promise<void> {
  const first = await read(device)
  void follow(device, String(first.headers.etag))
}

async function follow(device: string, tag: string): Promise<void> {
  for (let etag = tag; ;) {
    const response = await read(device, { 'if-none-match': etag, prefer: `wait=${someWait()}` })
    etag = String(response.headers.etag)
    const body = await text(response)
    if (response.statusCode === 200) inboxes.get(device)?.(Inbox.parse(JSON.parse(body)))
  }
}

async function read(device: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const path = devicePaths.requests
  const authorization = `Device ${sign(device, path)}`
  const response = await new Promise<IncomingMessage | undefined>((resolve) => {
    const { hostname, port } = address
    const sending = get({ agent, hostname, port, path, headers: { ...headers, authorization } }, resolve)
    // The service had just closed the connection that was to be used again.
    sending.on('error', () => resolve(undefined))
  })
  if (!response) return read(device, headers)
  if (response.statusCode !== 200 && response.statusCode !== 304) {
    throw new Error(`the inbox was answered with ${response.statusCode} ${await text(response)}`)
  }
  if (headers.prefer === undefined) await text(response)
  return response
}

function sign(device: string, path: string): string {
  const iat = Math.floor(Date.now() / 1000)
  return signCall(signingKey, { aud: input.serviceId, sub: device, htm: 'GET', path, iat })
}

async function text(response: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of response.setEncoding('utf8')) body += chunk
  return body
}

const startTime = performance.now()
for (let from = 0; from < input.ids.length; from += together) {
  await Promise.all(input.ids.slice(from, from + together).map(({ device }) => hold(device)))
}
// The last calls are still on their way.
await new Promise((resolve) => setTimeout(resolve, 2_000))
process.send?.({ opened: performance.now() - startTime })

await once(process, 'message')
const client = createClient({ baseUrl: `${input.url}/api`, apiKey: input.apiKey })
const core = createDevice()
const toInbox: number[] = []
const toClient: number[] = []
for (let round = 0; round < input.sessions; round += 1) {
  const phone = input.ids[(round * 31) % input.ids.length]
  if (!phone) break
  const arrival = new Promise<Inbox>((resolve) => void inboxes.set(phone.device, resolve))
  const sentAt = performance.now()
  const session = await client.sessions.create(input.domainId, { user: { id: phone.user } })
  const [request] = (await arrival).requests
  toInbox.push(performance.now() - sentAt)
  inboxes.delete(phone.device)

  const waiting = client.sessions.wait(input.domainId, session.id)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const account = {
    id: phone.device,
    service: input.serviceId,
    serviceUrl: input.url,
    privateKey: key,
    clockOffset: 0,
    organization: { name: '' },
    domain: { id: input.domainId, name: '' },
    user: { username: '' },
  }
  const approved = performance.now()
  if (request) await core.answer(account, request, { decision: 'approve' })
  await waiting
  toClient.push(performance.now() - approved)
}
process.send?.({ toInbox, toClient })
