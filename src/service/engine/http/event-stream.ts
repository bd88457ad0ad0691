import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'

import { repeat } from '../../../ground/clock.ts'
import type { Clock } from '../../../ground/clock.ts'
import { eventText, unbuffered } from '../../../ground/event-stream.ts'
import type { EventSource } from '../waiting/follower.ts'
import { startsWaiting } from './admission.ts'

/** More often than every half minute, after which some proxies close an idle response, seconds. */
const heartbeatOfKey = 15
/** So that readers spread over nodes that were added later, seconds. */
const maxStreamDuration = 5 * 60
/** Unread bytes after which a slow reader is disconnected. */
const maxUnread = 64 * 1024
/** How soon readers reconnect, milliseconds. */
const retry = 1000

export interface EventStreamOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** The time after which the reader has to reconnect, seconds. */
  readonly maxDuration?: number
  /** How often a comment is sent to keep the connection open, seconds. */
  readonly heartbeat?: number
}

/** Sends an event stream (WHATWG HTML section 9.2) until the reader disconnects, the source ends, or its time is up. */
export function answerEvents<T>(
  clock: Clock,
  { req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse },
  source: EventSource<T>,
  { headers = {}, ...timing }: EventStreamOptions = {},
): void {
  if (res.headersSent || res.destroyed) return
  res.writeHead(200, eventHeaders(headers))
  if (req.method === 'HEAD') return void res.end()
  startsWaiting(res)
  sendEvents(clock, res, source, timing)
}

export const eventHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...headers,
  'Content-Type': 'text/event-stream',
  ...unbuffered,
  'X-Content-Type-Options': 'nosniff',
})

/** Writes the events until the stream is closed. */
export function sendEvents<T>(
  clock: Clock,
  res: Writable,
  source: EventSource<T>,
  { maxDuration = maxStreamDuration, heartbeat = heartbeatOfKey }: EventStreamOptions = {},
): void {
  const write = (text: string) => {
    // A slow reader takes the end later. A write after it would be an error that nothing handles, and end the process.
    if (res.writableEnded) return
    res.write(text)
    if (res.writableLength > maxUnread) res.destroy()
  }
  const end = () => void res.end()
  const stopBeating = repeat(clock, heartbeat * 1000, () => write(':\n\n'))
  const stopTimer = clock.after(maxDuration * 1000, end)
  // Subscribes before the first bytes are sent, so that a reader who has received them misses no later event.
  const leave = source({ event: (value) => write(eventText(JSON.stringify(value))), end })
  res.once('close', () => {
    stopBeating()
    stopTimer()
    leave()
  })
  write(`retry: ${retry}\n\n`)
}
