import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { Agent } from 'node:https'

import { readRetryAfter } from '../../clock.ts'
import type { Clock } from '../../clock.ts'

/** A message on its way to a push service. */
export interface OutgoingMessage {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer
}

/** What the push service said to it. */
export interface PushReply {
  readonly status: number
  /** Seconds it wants to be left alone. */
  readonly retryAfter: number | undefined
}

/** Of the whole exchange, milliseconds. */
const timeout = 5_000
/** What a push service has to say is not read; more than this it need not even send, bytes. */
const mostIgnored = 16 * 1024

/** Hands a message in, at that address and nowhere else. @throws where there was no answer in time. */
export function postMessage(
  { clock, agent, signal }: { clock: Clock; agent: Agent; signal: AbortSignal },
  { endpoint, headers, body }: OutgoingMessage,
): Promise<PushReply> {
  return new Promise((resolve, reject) => {
    const posting = request(endpoint, { method: 'POST', headers: { ...headers }, agent, signal })
    const stop = clock.after(timeout, () => posting.destroy(new Error('The push service took too long.')))
    posting.once('error', reject)
    posting.once('close', () => {
      stop()
      // Who answers by another protocol is hung up on without an error; where there was an answer this says nothing.
      reject(new Error('The push service did not answer.'))
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
  response.on('error', () => {}) // the answer has been given
  response.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length > mostIgnored) response.destroy()
  })
}
