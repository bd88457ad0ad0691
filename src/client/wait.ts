import type { Session } from '../contract/sessions.ts'
import { getSession } from '../contract/sessions.ts'
import type { ResolvedClientOptions } from './options.ts'
import type { SettledStreams } from './settled-stream.ts'
import type { Transport } from './transport.ts'

/** Held reads shorter than the minute after which common proxies cut a silent answer, seconds. */
const heldRead = 25
/** Where the service does not hold reads, milliseconds. */
const pollInterval = 1_000
/** Where it holds enough of them already, milliseconds. */
const slowPollInterval = 25_000

export interface WaitOptions {
  /** How long to wait at most, ms; without it until the session settles. */
  readonly timeout?: number
  /** Ends the wait early: the call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** With what a client waits. */
export interface Waiting {
  readonly transport: Transport
  readonly streams: SettledStreams
  readonly options: ResolvedClientOptions
}

interface SessionParams {
  readonly domainId: string
  readonly sessionId: string
}

/** Follows a session until it settles; answers it as it is when the time is over. */
export async function waitForSession(
  waiting: Waiting,
  params: SessionParams,
  { timeout = Number.POSITIVE_INFINITY, signal }: WaitOptions = {},
): Promise<Session> {
  const deadline = waiting.options.clock.now() + timeout / 1000
  const session = await follow(waiting, params, { deadline, signal })
  if (session) return session
  return (await waiting.transport.call(getSession, { params }, { signal })).body
}

/** Follows a session until it has settled. What became of it is not read where the event stream tells that it has. */
export async function waitUntilSettled(
  waiting: Waiting,
  params: SessionParams,
  { signal }: Pick<WaitOptions, 'signal'> = {},
): Promise<void> {
  await follow(waiting, params, { deadline: Number.POSITIVE_INFINITY, signal })
}

interface Follow {
  /** Unix time, seconds. */
  readonly deadline: number
  readonly signal: AbortSignal | undefined
}

/** @returns the session as it was read last; undefined where the stream told that it has settled since. */
async function follow(
  { transport, streams, options }: Waiting,
  params: SessionParams,
  { deadline, signal }: Follow,
): Promise<Session | undefined> {
  const { clock } = options
  const following = streams.follow(params.domainId, params.sessionId)
  try {
    for (let first = true; ; first = false) {
      // Both before the reading, so that neither news nor the loss of the stream is missed in between.
      const rung = following.rung()
      const way = await orAborted(following.way(), signal)
      const wait = way === 'held' ? Math.max(0, Math.min(heldRead, Math.ceil(deadline - clock.now()))) : 0
      // A person looks at the first reading; the others are nobody's but this wait's, and may come all at once.
      const reading = { signal, wait, patient: !first }
      const { body: session, held } = await transport.call(getSession, { params }, reading)
      const left = (deadline - clock.now()) * 1000
      if (session.state !== 'pending' || left <= 0) return session
      if (way === 'stream') {
        if ((await pause(options, left, signal, rung)) === 'settled') return undefined
      } else if (way === 'polled') await pause(options, Math.min(slowPollInterval, left), signal, rung)
      else if (!held) await pause(options, pollInterval, signal)
    }
  } finally {
    following.end()
  }
}

/**
 * @param until Ends it sooner.
 * @returns what it ended with; undefined where the time was over.
 */
function pause<T>(
  { clock }: ResolvedClientOptions,
  milliseconds: number,
  signal: AbortSignal | undefined,
  until?: Promise<T>,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const cancel = Number.isFinite(milliseconds) ? clock.after(milliseconds, () => end()) : () => {}
    signal?.addEventListener('abort', abort, { once: true })
    void until?.then(end)

    function end(result?: T) {
      cancel()
      signal?.removeEventListener('abort', abort)
      resolve(result)
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
