import { pause } from '../clock.ts'
import type { DeviceRequest, FactorNotice, Inbox } from '../contract/device.ts'
import type { Account } from './account.ts'
import { DeviceError, isPassing } from './device-error.ts'
import type { DeviceContext } from './options.ts'
import { followInbox } from './follow-inbox.ts'
import { requests } from './requests.ts'

export interface WatchOptions {
  /** All that is pending, newest first: at the start and whenever it changes. */
  readonly onChange: (requests: readonly DeviceRequest[]) => void
  /** Changes of the user's factors that are not acknowledged, newest first: at the start and whenever the inbox changes. */
  readonly onNotices?: (notices: readonly FactorNotice[]) => void
  /** The service cannot be reached; it is tried again. The next success calls `onReached`. */
  readonly onTrouble?: (error: DeviceError) => void
  readonly onReached?: () => void
  /**
   * Asked before each call: the pace to ask at, milliseconds, or nothing to let the service hold the call. A browser has
   * few connections to give.
   */
  readonly every?: (() => number | undefined) | undefined
  readonly signal: AbortSignal
}

/**
 * Where event streams do not come through: how long one call is held at most, seconds. At first below the 30 s after which
 * some proxies cut a silent answer, then longer and longer, below the 60 s of most others.
 */
const waits = [25, 40, 55] as const
/** Not always the same: devices that begin together, as after a restart of the service, would come back together, for ever. */
const spread = 0.2
/** How long no stream is opened after one that said nothing, seconds: something on the way may collect answers. */
const noStreams = 5 * 60
/** Where the service does not hold calls, it is asked each second. */
const unheldPause = 1000
/** Milliseconds between tries; doubled from the first to the last. */
const firstPause = 1000
const longestPause = 30_000

/**
 * Follows an account's requests until `signal` aborts.
 * @throws {DeviceError} when going on makes no sense, such as `api.error.device.revoked`.
 */
export async function watchRequests(context: DeviceContext, account: Account, options: WatchOptions): Promise<void> {
  const { signal } = options
  let etag: string | undefined
  let failures = 0
  let patience = 0
  let maxPatience = waits.length - 1
  let streamsFrom = 0
  const reached = () => {
    if (failures > 0) options.onReached?.()
    failures = 0
  }
  const onInbox = (inbox: Inbox) => {
    reached()
    options.onChange(inbox.requests)
    options.onNotices?.(inbox.notices ?? [])
  }
  while (!signal.aborted) {
    const every = options.every?.()
    try {
      // What is there is read first: whatever is on the way, that is shown at once.
      if (every === undefined && etag !== undefined && context.clock.now() >= streamsFrom) {
        if (!(await followInbox(context, account, { onInbox, signal }))) streamsFrom = context.clock.now() + noStreams
        else await pause(context.clock, somePause(context), signal)
        continue
      }
      const wait = every === undefined ? someWait(context, patience) : 0
      const list = await requests(context, account, { etag, wait, signal })
      reached()
      if (list.requests) options.onChange(list.requests)
      if (list.notices) options.onNotices?.(list.notices)
      const news = list.etag !== undefined && list.etag !== etag
      etag = list.etag
      // Nothing on the way has cut it.
      if (list.held && !news) patience = Math.min(patience + 1, maxPatience)
      if (!list.held && !news) await pause(context.clock, every ?? unheldPause, signal)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof DeviceError) || !isPassing(error)) throw error
      if (patience > 0) {
        // Perhaps something on the way cuts what is silent for so long. If it is the service, the next call tells.
        patience = 0
        maxPatience = 0
        continue
      }
      options.onTrouble?.(error)
      await pause(context.clock, pauseAfter(failures++, error), signal)
    }
  }
}

function someWait({ random }: DeviceContext, patience: number): number {
  const [byte = 0] = random(1)
  const longest = waits[patience] ?? waits[0]
  return longest - (byte % (Math.round(longest * spread) + 1))
}

/** Before a stream that has ended is opened again, milliseconds: after a restart of the service those of all devices have. */
const somePause = ({ random }: DeviceContext): number => firstPause + ((random(1)[0] ?? 0) / 256) * firstPause

function pauseAfter(failures: number, error: DeviceError): number {
  const usual = Math.min(longestPause, firstPause * 2 ** failures)
  return Math.max(usual, (error.retryAfter ?? 0) * 1000)
}
