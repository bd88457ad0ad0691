import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Agent } from 'node:https'

import { readRetryAfter } from '../../../ground/clock.ts'
import type { Clock } from '../../../ground/clock.ts'

/** A message to a server of somebody else, such as a push service. */
export interface OutgoingMessage {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer
}

/** The response of that server. */
export interface Reply {
  readonly status: number
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined
}

/** Timeout of the whole exchange, milliseconds. */
const timeout = 5_000
/** The body of a response is ignored. A longer one closes the connection, bytes. */
const maxIgnored = 16 * 1024

/** Posts a message to that address and no other. @throws if there was no response in time. */
export function postMessage(
  { clock, agent, signal }: { clock: Clock; agent: Agent; signal: AbortSignal },
  { endpoint, headers, body }: OutgoingMessage,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const posting = request(endpoint, { method: 'POST', headers: { ...headers }, agent, signal })
    const stop = clock.after(timeout, () => posting.destroy(new Error('Timed out waiting for the response.')))
    posting.once('error', reject)
    posting.once('close', () => {
      stop()
      // A server that speaks another protocol closes the connection without an error. After a response this has no effect.
      reject(new Error('The server closed the connection without a response.'))
    })
    posting.once('response', (response) => {
      ignoreBody(response)
      resolve({
        status: response.statusCode ?? 0,
        retryAfter: readRetryAfter(response.headers['retry-after'], clock.now()),
      })
    })
    posting.end(body)
  })
}

function ignoreBody(response: IncomingMessage): void {
  let length = 0
  response.on('error', () => {}) // the response has been returned
  response.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > maxIgnored) response.destroy()
  })
}
