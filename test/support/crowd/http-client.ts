import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'

export interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Got {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** Talks HTTP with as little work as it can: those who measure share the processor with what they measure. */
export interface HttpClient {
  /** Undefined where the connection broke. */
  open(message: Sent): Promise<IncomingMessage | undefined>
  send(message: Sent): Promise<Got>
}

/** @param localAddress From where: a pair of addresses has some 28,000 ports. */
export function createHttpClient(url: string, localAddress: string): HttpClient {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: Infinity })

  const open: HttpClient['open'] = ({ method, path, headers = {}, body }) =>
    new Promise((resolve) => {
      const sending = request({ agent, hostname, port, localAddress, method, path, headers }, resolve)
      sending.on('error', () => resolve(undefined))
      sending.end(body)
    })

  return {
    open,
    async send(message) {
      // A kept connection may have been closed just when it was used again.
      const response = (await open(message)) ?? (await open(message))
      if (!response) throw new Error(`${message.method} ${message.path}: no answer`)
      return { status: response.statusCode ?? 0, headers: response.headers, text: await textOf(response) }
    },
  }
}

export async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
  return text
}

/** Does something for each, so many at a time. */
export async function forEachOf<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const remaining = items[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of remaining) await act(item)
    }),
  )
}
