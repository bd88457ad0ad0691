import { pause } from '../clock.ts'
import type { DeviceRequest } from '../contract/device.ts'
import type { Account } from './account.ts'
import { DeviceError, isPassing } from './device-error.ts'
import type { DeviceContext } from './options.ts'
import { requests } from './requests.ts'

export interface WatchOptions {
  /** All that is pending, newest first: at the start and whenever it changes. */
  readonly onChange: (requests: readonly DeviceRequest[]) => void
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
 * How long one call is held, seconds; below the 60 s after which proxies cut a silent answer. Not always the same: those
 * who begin together, as after a restart of the service, would come back together, for ever.
 */
const longestWait = 25
const shortestWait = 20
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
  while (!signal.aborted) {
    const every = options.every?.()
    try {
      const list = await requests(context, account, { etag, wait: every === undefined ? someWait(context) : 0, signal })
      if (failures > 0) options.onReached?.()
      failures = 0
      if (list.requests) options.onChange(list.requests)
      const news = list.etag !== undefined && list.etag !== etag
      etag = list.etag
      if (!list.held && !news) await pause(context.clock, every ?? unheldPause, signal)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof DeviceError) || !isPassing(error)) throw error
      options.onTrouble?.(error)
      await pause(context.clock, pauseAfter(failures++, error), signal)
    }
  }
}

function someWait({ random }: DeviceContext): number {
  const [byte = 0] = random(1)
  return longestWait - (byte % (longestWait - shortestWait + 1))
}

function pauseAfter(failures: number, error: DeviceError): number {
  const usual = Math.min(longestPause, firstPause * 2 ** failures)
  return Math.max(usual, (error.retryAfter ?? 0) * 1000)
}
