import type { Session } from '../contract/sessions.ts'
import { getSession } from '../contract/sessions.ts'
import type { ResolvedClientOptions } from './options.ts'
import type { SettledStreams } from './settled-stream.ts'
import type { Transport } from './transport.ts'

/** How long the service is asked to hold a read, seconds: common proxies cut a response after a silent minute. */
const heldRead = 25
/** The pause between reads where the service does not hold them, milliseconds. */
const pollInterval = 1_000
/** The pause between reads where the service holds enough of them already, milliseconds. */
const slowPollInterval = 25_000

export interface WaitOptions {
  /** How long to wait at most, ms; without it until the session settles. */
  readonly timeout?: number
  /** Ends the wait early: the call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** The functions that a client needs to wait for sessions. */
export interface WaitContext {
  readonly transport: Transport
  readonly streams: SettledStreams
  readonly options: ResolvedClientOptions
}

interface SessionParams {
  readonly domainId: string
  readonly sessionId: string
}

/** Waits until a session settles. @returns the session, which is still pending when `timeout` is over. */
export async function waitForSession(
  context: WaitContext,
  params: SessionParams,
  { timeout = Number.POSITIVE_INFINITY, signal }: WaitOptions = {},
): Promise<Session> {
  const deadline = context.options.clock.now() + timeout / 1000
  const session = await follow(context, params, { deadline, signal })
  if (session) return session
  return (await context.transport.call(getSession, { params }, { signal })).body
}

/** Waits until a session has settled. The outcome is not read where the event stream reports that it has. */
export async function waitUntilSettled(
  context: WaitContext,
  params: SessionParams,
  { signal }: Pick<WaitOptions, 'signal'> = {},
): Promise<void> {
  await follow(context, params, { deadline: Number.POSITIVE_INFINITY, signal })
}

interface FollowOptions {
  /** Unix time, seconds. */
  readonly deadline: number
  readonly signal: AbortSignal | undefined
}

/** @returns the session as it was read last; undefined where the stream reported that it has settled since. */
async function follow(
  { transport, streams, options }: WaitContext,
  params: SessionParams,
  { deadline, signal }: FollowOptions,
): Promise<Session | undefined> {
  const { clock } = options
  const wait = streams.waitFor(params.domainId, params.sessionId)
  try {
    for (let first = true; ; first = false) {
      // Both come before the read, so that no event and no loss of the stream is missed in between.
      const wake = wait.nextWake()
      const method = await orAborted(wait.chooseMethod(), signal)
      const hold = method === 'held' ? Math.max(0, Math.min(heldRead, Math.ceil(deadline - clock.now()))) : 0
      // A person looks at the first read. Later ones serve this wait alone, and may all be due at once.
      const readOptions = { signal, wait: hold, background: !first }
      const { body: session, held } = await transport.call(getSession, { params }, readOptions)
      const remaining = (deadline - clock.now()) * 1000
      if (session.state !== 'pending' || remaining <= 0) return session
      if (method === 'stream') {
        const reread = untilExpiry(session, clock.now())
        if ((await pause(options, Math.min(reread, remaining), signal, wake)) === 'settled') return undefined
      } else if (method === 'polled') await pause(options, Math.min(slowPollInterval, remaining), signal, wake)
      else if (!held) await pause(options, pollInterval, signal)
    }
  } finally {
    wait.end()
  }
}

/**
 * When to read a session in spite of the stream, milliseconds: at its expiry, in case the stream lost an event. The clock
 * of the service may differ from ours, so never later than its whole lifetime, and again after a while if it is pending.
 */
function untilExpiry({ createdAt = 0, expiresAt = 0 }: Session, now: number): number {
  const seconds = Math.min(expiresAt - now, expiresAt - createdAt)
  // The stream reports the expiry, too: a second later there is usually nothing left to read.
  return seconds >= 0 ? (seconds + 1) * 1000 : slowPollInterval
}

/** @returns the result of `until`, which ends the pause early; undefined when the time is over. */
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
