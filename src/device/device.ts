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

/** The person's side of the device protocol. Every call throws {DeviceError} when it does not succeed. */
export interface Device {
  /** What an activation code would join. */
  preview(serviceUrl: string | URL, code: string): Promise<Preview>
  /** Joins. @returns the account, to be kept: its key exists nowhere else. */
  activate(serviceUrl: string | URL, code: string, options: ActivateOptions): Promise<Account>
  /** What waits for an answer now; with `wait` and `etag`, held until that changes. */
  requests(account: Account, options?: RequestsOptions): Promise<RequestList>
  answer(account: Account, request: Pick<DeviceRequest, 'id' | 'nonce'>, answer: Answer): Promise<Answered>
  /** Dismisses a notice on this device; a notice that is gone already is dismissed. */
  acknowledge(account: Account, notice: Pick<FactorNotice, 'id'>): Promise<void>
  /** What this device answered, newest first, a page at a time. */
  history(account: Account, options?: HistoryOptions): Promise<History>
  /** Sets or renews where requests are pushed to; null forgets it. */
  push(account: Account, subscription: Subscription | null): Promise<PushState>
  /** Where requests are pushed to, and with which key: the push service, or the service, may have forgotten it. */
  pushState(account: Account): Promise<PushState>
  /** Makes the service forget this device. */
  remove(account: Account): Promise<void>
  /** Follows what waits for an answer, through lost connections, until it is aborted. */
  watch(account: Account, options: WatchOptions): Promise<void>
}

/**
 * Makes the device core; it runs in a browser and in Node.
 * @throws {TypeError} for options that are none.
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
