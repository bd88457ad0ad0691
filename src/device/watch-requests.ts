import { pause } from '../ground/clock.ts'
import type { DeviceApproval, DeviceRequest, Inbox, Notice } from '../contract/device-answers.ts'
import type { PhoneCall } from '../contract/phone-calls.ts'
import type { Account } from './account.ts'
import { DeviceError, isTransient } from './device-error.ts'
import type { DeviceContext } from './options.ts'
import { followInbox } from './follow-inbox.ts'
import { noticesOf } from './notices-of.ts'
import { requests } from './requests.ts'

export interface WatchOptions {
  /** Receives all pending requests, newest first: at the start and at each change. */
  readonly onChange: (requests: readonly DeviceRequest[]) => void
  /** Receives the notices that were not dismissed, newest first: at the start and at each change of the inbox. */
  readonly onNotices?: (notices: readonly Notice[]) => void
  /** Receives the calls to the help desk that the person is asked to confirm, like `onNotices`. */
  readonly onCalls?: (calls: readonly PhoneCall[]) => void
  /** Receives the actions to approve, like `onNotices`. */
  readonly onApprovals?: (approvals: readonly DeviceApproval[]) => void
  /** The service cannot be reached; calls are retried. The next success calls `onReconnect`. */
  readonly onDisconnect?: (error: DeviceError) => void
  readonly onReconnect?: () => void
  /**
   * Returns the time between two calls, milliseconds, or undefined to have the service hold the call. A browser has only a
   * few connections. Called before each call.
   */
  readonly pollInterval?: (() => number | undefined) | undefined
  readonly signal: AbortSignal
}

/**
 * How long one call is held where event streams do not work, seconds. At first below the 30 s after which some proxies cut a
 * silent response, then step by step up to the 60 s of most others.
 */
const holdTimes = [25, 40, 55] as const
/** The random part of a hold time: devices that connect together, as after a restart, would stay in step otherwise. */
const jitter = 0.2
/** How long no stream is opened after one without events, seconds: a proxy may buffer streams. */
const streamRetryPause = 5 * 60
/** The pause between calls where the service does not hold them, milliseconds. */
const defaultPollInterval = 1000
/** The pause between retries, milliseconds; doubled each time. */
const minRetryPause = 1000
const maxRetryPause = 30_000

/**
 * Watches an account's requests until `signal` aborts.
 * @throws {DeviceError} when retrying makes no sense, such as `api.error.device.revoked`.
 */
export async function watchRequests(context: DeviceContext, account: Account, options: WatchOptions): Promise<void> {
  const { signal } = options
  let etag: string | undefined
  let hasRead = false
  let failures = 0
  let holdStep = 0
  let maxHoldStep = holdTimes.length - 1
  let streamsFrom = 0
  const onSuccess = () => {
    if (failures > 0) options.onReconnect?.()
    failures = 0
  }
  const onInbox = (inbox: Inbox) => {
    onSuccess()
    // The list before may come back: with its tag, the service would say that nothing has changed.
    etag = undefined
    options.onChange(inbox.requests)
    options.onNotices?.(noticesOf(inbox))
    options.onCalls?.(inbox.calls ?? [])
    options.onApprovals?.(inbox.approvals ?? [])
  }
  while (!signal.aborted) {
    const pollInterval = options.pollInterval?.()
    try {
      // The first call reads the inbox, which works through every proxy, so that requests appear at once.
      if (pollInterval === undefined && hasRead && context.clock.now() >= streamsFrom) {
        if (await followInbox(context, account, { onInbox, signal }))
          await pause(context.clock, reconnectPause(context), signal)
        else streamsFrom = context.clock.now() + streamRetryPause
        continue
      }
      const wait = pollInterval === undefined ? holdTime(context, holdStep) : 0
      const list = await requests(context, account, { etag, wait, signal })
      onSuccess()
      if (list.requests) options.onChange(list.requests)
      if (list.notices) options.onNotices?.(list.notices)
      if (list.calls) options.onCalls?.(list.calls)
      if (list.approvals) options.onApprovals?.(list.approvals)
      const changed = list.etag !== undefined && list.etag !== etag
      etag = list.etag
      hasRead = etag !== undefined
      // No proxy cut the held call, so the next one may be longer.
      if (list.held && !changed) holdStep = Math.min(holdStep + 1, maxHoldStep)
      if (!list.held && !changed) await pause(context.clock, pollInterval ?? defaultPollInterval, signal)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof DeviceError) || !isTransient(error)) throw error
      if (holdStep > 0) {
        // A proxy may have cut the long silence. If the service is down instead, the next call fails as well.
        holdStep = 0
        maxHoldStep = 0
        continue
      }
      options.onDisconnect?.(error)
      await pause(context.clock, retryPause(failures++, error), signal)
    }
  }
}

function holdTime({ random }: DeviceContext, step: number): number {
  const [byte = 0] = random(1)
  const max = holdTimes[step] ?? holdTimes[0]
  return max - (byte % (Math.round(max * jitter) + 1))
}

/** The pause before an ended stream is opened again, milliseconds. Random, as a restart of the service ends the streams of all devices. */
const reconnectPause = ({ random }: DeviceContext): number =>
  minRetryPause + ((random(1)[0] ?? 0) / 256) * minRetryPause

function retryPause(failures: number, error: DeviceError): number {
  const backoff = Math.min(maxRetryPause, minRetryPause * 2 ** failures)
  return Math.max(backoff, (error.retryAfter ?? 0) * 1000)
}
