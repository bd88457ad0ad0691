import type { Session } from '../contract/sessions.ts'
import { getSession } from '../contract/sessions.ts'
import type { ResolvedClientOptions } from './options.ts'
import type { SettledStreams } from './settled-stream.ts'
import type { Transport } from './transport.ts'

/** Held reads shorter than the minute after which common proxies cut a silent answer, seconds. */
const heldRead = 25
/** Where a stream tells, a look now and then in spite of it, in case that it lost something; milliseconds. */
const distrust = 25_000
const pollInterval = 1000

export interface WaitOptions {
  /** How long to wait at most, ms; without it until the session settles. */
  readonly timeout?: number
  readonly signal?: AbortSignal | undefined
}

/** With what a client waits. */
export interface Waiting {
  readonly transport: Transport
  readonly streams: SettledStreams
  readonly options: ResolvedClientOptions
}

/** Follows a session until it settles; answers it as it is when the time is over. */
export async function waitForSession(
  { transport, streams, options }: Waiting,
  params: { domainId: string; sessionId: string },
  { timeout = Number.POSITIVE_INFINITY, signal }: WaitOptions = {},
): Promise<Session> {
  const { clock } = options
  const deadline = clock.now() + timeout / 1000
  const following = streams.follow(params.domainId, params.sessionId)
  try {
    for (;;) {
      // Both before the reading, so that neither news nor the loss of the stream is missed in between.
      const rung = following.rung()
      const streaming = await orAborted(following.streaming(), signal)
      const wait = streaming ? 0 : Math.max(0, Math.min(heldRead, Math.ceil(deadline - clock.now())))
      const { body: session, held } = await transport.call(getSession, { params }, { signal, wait })
      const left = (deadline - clock.now()) * 1000
      if (session.state !== 'pending' || left <= 0) return session
      if (streaming) await pause(options, Math.min(distrust, left), signal, rung)
      else if (!held) await pause(options, pollInterval, signal)
    }
  } finally {
    following.end()
  }
}

/** @param until Ends it sooner. */
function pause(
  { clock }: ResolvedClientOptions,
  milliseconds: number,
  signal: AbortSignal | undefined,
  until?: Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const cancel = clock.after(milliseconds, end)
    signal?.addEventListener('abort', abort, { once: true })
    void until?.then(end)

    function end() {
      cancel()
      signal?.removeEventListener('abort', abort)
      resolve()
    }
    function abort() {
      cancel()
      reject(signal?.reason as Error)
    }
  })
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort, { once: true })
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
