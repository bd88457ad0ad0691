/** The devices of a crowd, in a process of its own: each holds its inbox open, and approves when it is told to. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createPrivateKey } from 'node:crypto'
import type { JsonWebKeyInput } from 'node:crypto'

import { devicePaths } from '../../../src/contract/device.ts'
import type { Claims } from '../../../src/contract/device.ts'
import { createHttpClient, forEachOf, textOf } from './http-client.ts'
import { signCall } from './sign-call.ts'

export interface PhonesGiven {
  readonly url: string
  readonly localAddress: string
  readonly serviceId: string
  readonly privateKey: JsonWebKey
  readonly people: readonly { readonly username: string; readonly device: string }[]
  /** Whether the devices hold their inboxes open; others look when they are told to approve, as after a push message. */
  readonly held: boolean
}

/** What is approved: by username the number on the page. */
export interface Approval {
  readonly numbers: Readonly<Record<string, string>>
  /** Answers under way at once. */
  readonly atOnce: number
}

interface Pending {
  readonly id: string
  readonly nonce: string
}

/** Devices that open their inbox at the same time. */
const together = 32
// The process that started this one may be killed.
process.once('disconnect', () => process.exit())
const [input] = (await once(process, 'message')) as [PhonesGiven]
const client = createHttpClient(input.url, input.localAddress)
const key = createPrivateKey({ key: input.privateKey as JsonWebKeyInput['key'], format: 'jwk' })
const inboxes = new Map<string, readonly Pending[]>()
const problems: string[] = []

const sign = (claims: Readonly<Record<string, unknown>> & Pick<Claims, 'sub' | 'htm' | 'path'>) =>
  signCall(key, { aud: input.serviceId, iat: Math.floor(Date.now() / 1000), ...claims })

function readInbox(device: string, more: Record<string, string> = {}) {
  const path = devicePaths.requests
  const authorization = `Device ${sign({ sub: device, htm: 'GET', path })}`
  return client.open({ method: 'GET', path, headers: { ...more, authorization } })
}

/** Follows the inbox of a device. Resolves when it was read once. */
async function hold(device: string): Promise<void> {
  const firstRead = Promise.withResolvers<void>()
  void follow(device, firstRead.resolve).catch(firstRead.reject)
  await firstRead.promise
}

async function look(device: string): Promise<void> {
  const response = (await readInbox(device)) ?? (await readInbox(device))
  if (response?.statusCode !== 200) throw new Error(`the inbox answered ${response?.statusCode}`)
  keep(device, await textOf(response))
}

/** By its event stream, which is opened again whenever it ends. */
async function follow(device: string, wasRead: () => void): Promise<void> {
  for (;;) {
    const response = await readInbox(device, { accept: 'text/event-stream' })
    if (response) await readStream(device, response, wasRead).catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

async function readStream(device: string, response: IncomingMessage, wasRead: () => void): Promise<void> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = (text + String(chunk)).split('\n')
    text = lines.pop() ?? ''
    for (const line of lines.filter((candidate) => candidate.startsWith('data: '))) {
      keep(device, line.slice('data: '.length))
      wasRead()
    }
  }
}

const keep = (device: string, inbox: string): void =>
  void inboxes.set(device, (JSON.parse(inbox) as { requests: Pending[] }).requests)

async function approve({ username, device }: PhonesGiven['people'][number], number: string): Promise<void> {
  if (!input.held) await look(device)
  const [request] = inboxes.get(device) ?? []
  if (!request) return void problems.push(`${username}: nothing is pending`)
  const path = devicePaths.answer(request.id)
  const body = sign({ sub: device, htm: 'POST', path, nonce: request.nonce, decision: 'approve', number })
  const headers = { 'content-type': 'application/jose', 'content-length': String(body.length) }
  const { status, text } = await client.send({ method: 'POST', path, headers, body })
  if (status !== 200) problems.push(`${username}: approve answered ${status} ${text.slice(0, 300)}`)
}

const failed =
  ({ username }: { username: string }) =>
  (error: Error) =>
    void problems.push(`${username}: ${error.message}`)

if (input.held) await forEachOf(input.people, together, (person) => hold(person.device).catch(failed(person)))
process.send?.({ problems })

process.on('message', ({ numbers, atOnce }: Approval) => {
  void forEachOf(input.people, atOnce, (person) =>
    approve(person, numbers[person.username] ?? '').catch(failed(person)),
  ).then(() => process.send?.({ problems }))
})
