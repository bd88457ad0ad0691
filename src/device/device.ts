import type {
  Answered,
  DeviceRequest,
  FactorNotice,
  History,
  Preview,
  PushState,
  PushSubscription as Subscription,
} from '../contract/device.ts'
import type { Account } from './account.ts'
import { activate, type ActivateOptions, preview } from './activate.ts'
import { history, type HistoryOptions } from './history.ts'
import { DeviceOptions } from './options.ts'
import { push, pushState } from './push.ts'
import {
  acknowledge,
  type Answer,
  answer,
  remove,
  type RequestList,
  requests,
  type RequestsOptions,
} from './requests.ts'
import { watchRequests, type WatchOptions } from './watch-requests.ts'

/** The device protocol. Every call rejects with a {DeviceError} when it fails. */
export interface Device {
  /** Reads which account an activation code would add. */
  preview(serviceUrl: string | URL, code: string): Promise<Preview>
  /** Activates a token. @returns the account, to be stored: its key exists nowhere else. */
  activate(serviceUrl: string | URL, code: string, options: ActivateOptions): Promise<Account>
  /** Reads the pending requests; with `wait` and `etag`, waits for a change. */
  requests(account: Account, options?: RequestsOptions): Promise<RequestList>
  answer(account: Account, request: Pick<DeviceRequest, 'id' | 'nonce'>, answer: Answer): Promise<Answered>
  /** Dismisses a notice on this device. Succeeds, too, when the notice is gone already. */
  acknowledge(account: Account, notice: Pick<FactorNotice, 'id'>): Promise<void>
  /** Reads a page of the answers that this device gave, newest first. */
  history(account: Account, options?: HistoryOptions): Promise<History>
  /** Sets or renews the push subscription; null removes it. */
  push(account: Account, subscription: Subscription | null): Promise<PushState>
  /** Reads the push subscription and key that the service has, as either can change without the device. */
  pushState(account: Account): Promise<PushState>
  /** Removes this device from the service. */
  remove(account: Account): Promise<void>
  /** Watches the pending requests, through lost connections, until the signal aborts. */
  watch(account: Account, options: WatchOptions): Promise<void>
}

/**
 * Creates the device core, which runs in browsers and in Node.
 * @throws {TypeError} for invalid options.
 */
export function createDevice(options: DeviceOptions = {}): Device {
  const parsed = DeviceOptions.safeParse(options)
  if (!parsed.success) throw new TypeError(`createDevice: ${parsed.error.issues[0]?.message}`, { cause: parsed.error })
  const context = parsed.data
  return Object.freeze({
    preview: preview.bind(undefined, context),
    activate: activate.bind(undefined, context),
    requests: requests.bind(undefined, context),
    answer: answer.bind(undefined, context),
    acknowledge: acknowledge.bind(undefined, context),
    history: history.bind(undefined, context),
    push: push.bind(undefined, context),
    pushState: pushState.bind(undefined, context),
    remove: remove.bind(undefined, context),
    watch: watchRequests.bind(undefined, context),
  })
}
