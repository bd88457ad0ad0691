import type { IncomingMessage, ServerResponse } from 'node:http'

import { repeat } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { eventText, unbuffered } from '../../event-stream.ts'
import type { EventSource } from '../waiting/follower.ts'
import { startsWaiting } from './admission.ts'

/** More often than the half minute after which some proxies cut a silent answer, seconds. */
const heartbeatOfKey = 15
/** So that a key that was revoked does not listen for long, seconds. */
const longestByKey = 5 * 60
/** What may wait to be read: a reader that is this far behind is cut off, bytes. */
const mostUnread = 64 * 1024
/** After which readers come back, milliseconds. */
const retry = 1000

export interface EventStreamOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** After which the reader has to come back, seconds. */
  readonly longest?: number
  /** How often something is said though nothing happens, seconds. */
  readonly heartbeat?: number
}

/** Answers an event stream (WHATWG HTML section 9.2) until its reader leaves, the source ends, or it has lasted long enough. */
export function answerEvents<T>(
  clock: Clock,
  { req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse },
  source: EventSource<T>,
  { headers = {}, longest = longestByKey, heartbeat = heartbeatOfKey }: EventStreamOptions = {},
): void {
  if (res.headersSent || res.destroyed) return
  res.writeHead(200, {
    ...headers,
    'Content-Type': 'text/event-stream',
    ...unbuffered,
    'X-Content-Type-Options': 'nosniff',
  })
  if (req.method === 'HEAD') return void res.end()
  startsWaiting(res)
  stream(clock, { res, longest, heartbeat }, source)
}

function stream<T>(
  clock: Clock,
  { res, longest, heartbeat }: Required<Omit<EventStreamOptions, 'headers'>> & { readonly res: ServerResponse },
  source: EventSource<T>,
): void {
  const write = (text: string) => {
    res.write(text)
    if (res.writableLength > mostUnread) res.destroy()
  }
  const end = () => void res.end()
  const stopBeating = repeat(clock, heartbeat * 1000, () => write(':\n\n'))
  const stopTimer = clock.after(longest * 1000, end)
  // Before the first bytes go out: who has read them misses nothing that happens later.
  const leave = source({ event: (value) => write(eventText(JSON.stringify(value))), end })
  res.once('close', () => {
    stopBeating()
    stopTimer()
    leave()
  })
  if (!res.writableEnded) write(`retry: ${retry}\n\n`)
}
