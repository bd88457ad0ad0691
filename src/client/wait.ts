import type { Approval } from '../contract/approvals.ts'
import { getApproval } from '../contract/approvals.ts'
import type { Session } from '../contract/sessions.ts'
import { getSession } from '../contract/sessions.ts'
import type { ResolvedClientOptions } from './options.ts'
import type { ParsedResponse } from './read-response.ts'
import type { CallOptions } from './send.ts'
import type { SettledStreams } from './settled-stream.ts'
import type { Transport } from './transport.ts'

/** How long the service is asked to hold a read, seconds: common proxies cut a response after a silent minute. */
const heldRead = 25
/** The pause between reads where the service does not hold them, milliseconds. */
const pollInterval = 1_000
/** The pause between reads where the service holds enough of them already, milliseconds. */
const slowPollInterval = 25_000

export interface WaitOptions {
  /** How long to wait at most, ms; without it until the session, or the approval, settles. */
  readonly timeout?: number
  /** Ends the wait early: the call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

/** The functions that a client needs to wait for sessions, or for approvals. */
export interface WaitContext {
  readonly transport: Transport
  /** The streams that report what is waited for. */
  readonly streams: SettledStreams
  readonly options: ResolvedClientOptions
}

interface SessionParams {
  readonly domainId: string
  readonly sessionId: string
}

interface ApprovalParams {
  readonly domainId: string
  readonly approvalId: string
}

/** Waits until a session settles. @returns the session, which is still pending when `timeout` is over. */
export const waitForSession = (context: WaitContext, params: SessionParams, wait?: WaitOptions): Promise<Session> =>
  waitFor(context, sessionOf(context, params), wait)

/** Waits until a session has settled. The outcome is not read where the event stream reports that it has. */
export async function waitUntilSettled(
  context: WaitContext,
  params: SessionParams,
  { signal }: Pick<WaitOptions, 'signal'> = {},
): Promise<void> {
  await follow(context, sessionOf(context, params), { deadline: Number.POSITIVE_INFINITY, signal })
}

/** Waits until an approval settles. @returns the approval, which is still pending when `timeout` is over. */
export const waitForApproval = (context: WaitContext, params: ApprovalParams, wait?: WaitOptions): Promise<Approval> =>
  waitFor(
    context,
    {
      domainId: params.domainId,
      id: params.approvalId,
      read: (options) => context.transport.call(getApproval, { params }, options),
    },
    wait,
  )

/** What sessions and approvals have in common. */
interface Settling {
  readonly state: string
  readonly createdAt?: number | undefined
  readonly expiresAt?: number | undefined
}

/** What is waited for, and how it is read. */
interface Target<T extends Settling> {
  readonly domainId: string
  readonly id: string
  readonly read: (options: CallOptions) => Promise<ParsedResponse<T>>
}

const sessionOf = ({ transport }: WaitContext, params: SessionParams): Target<Session> => ({
  domainId: params.domainId,
  id: params.sessionId,
  read: (options) => transport.call(getSession, { params }, options),
})

async function waitFor<T extends Settling>(
  context: WaitContext,
  target: Target<T>,
  { timeout = Number.POSITIVE_INFINITY, signal }: WaitOptions = {},
): Promise<T> {
  const deadline = context.options.clock.now() + timeout / 1000
  const settled = await follow(context, target, { deadline, signal })
  return settled ?? (await target.read({ signal })).body
}

interface FollowOptions {
  /** Unix time, seconds. */
  readonly deadline: number
  readonly signal: AbortSignal | undefined
}

/** @returns the session, or the approval, as it was read last; undefined where the stream reported that it has settled since. */
async function follow<T extends Settling>(
  { streams, options }: WaitContext,
  { domainId, id, read }: Target<T>,
  { deadline, signal }: FollowOptions,
): Promise<T | undefined> {
  const { clock } = options
  const wait = streams.waitFor(domainId, id)
  try {
    for (let first = true; ; first = false) {
      // Both come before the read, so that no event and no loss of the stream is missed in between.
      const wake = wait.nextWake()
      const method = await orAborted(wait.chooseMethod(), signal)
      const hold = method === 'held' ? Math.max(0, Math.min(heldRead, Math.ceil(deadline - clock.now()))) : 0
      // A person looks at the first read. Later ones serve this wait alone, and may all be due at once.
      const readOptions = { signal, wait: hold, background: !first }
      const { body: current, held } = await read(readOptions)
      const remaining = (deadline - clock.now()) * 1000
      if (current.state !== 'pending' || remaining <= 0) return current
      if (method === 'stream') {
        const reread = untilExpiry(current, clock.now())
        if ((await pause(options, Math.min(reread, remaining), signal, wake)) === 'settled') return undefined
      } else if (method === 'polled') await pause(options, Math.min(slowPollInterval, remaining), signal, wake)
      else if (!held) await pause(options, pollInterval, signal)
    }
  } finally {
    wait.end()
  }
}

/**
 * When to read in spite of the stream, milliseconds: at its expiry, in case the stream lost an event. The clock
 * of the service may differ from ours, so never later than its whole lifetime, and again after a while if it is pending.
 */
function untilExpiry({ createdAt = 0, expiresAt = 0 }: Settling, now: number): number {
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
