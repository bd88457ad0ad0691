import type { MoveRequest, PushSubscription as Subscription } from '../contract/device.ts'
import type {
  Answered,
  DeviceApproval,
  DeviceRequest,
  Notice,
  History,
  Move,
  MoveClaim,
  Preview,
  PushState,
  PushTest,
  Scanned,
} from '../contract/device-answers.ts'
import type { ApprovalAnswered, RequesterBlock } from '../contract/approval-answers.ts'
import type { CallAnswered, PhoneCall } from '../contract/phone-calls.ts'
import type { Account } from './account.ts'
import { activate, type ActivateOptions, preview } from './activate.ts'
import type { ApprovalAnswer } from './approvals.ts'
import type { CallAnswer } from './calls.ts'
import { history, type HistoryOptions } from './history.ts'
import { DeviceOptions } from './options.ts'
import type { ClaimedAccount } from './move.ts'
import { push, pushState, testPush } from './push.ts'
import {
  acknowledge,
  type Answer,
  answer,
  remove,
  type RequestList,
  requests,
  type RequestsOptions,
  scan,
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
  /** Exchanges the secret of a scanned code (`parseScanCode`) for the number. Approves nothing; a wrong secret denies. */
  scan(account: Account, request: Pick<DeviceRequest, 'id' | 'nonce'>, secret: string): Promise<Scanned>
  /** Answers whether the person is on the phone with the help desk. The answer is no sign-in. */
  answerCall(account: Account, call: Pick<PhoneCall, 'id' | 'nonce'>, answer: CallAnswer): Promise<CallAnswered>
  /**
   * Signs the content of an approval with the decision, and sends both. The caller has to have shown all of `readContent(approval)`. The
   * answer is no sign-in.
   */
  answerApproval(
    account: Account,
    approval: Pick<DeviceApproval, 'id' | 'nonce' | 'content'>,
    answer: ApprovalAnswer,
  ): Promise<ApprovalAnswered>
  /** Reads which requesters the person has blocked by a report. */
  blocks(account: Account): Promise<readonly RequesterBlock[]>
  /** Allows a blocked requester to ask again. */
  liftBlock(account: Account, block: Pick<RequesterBlock, 'id'>): Promise<void>
  /** Dismisses a notice on this device. Succeeds, too, when the notice is gone already. */
  acknowledge(account: Account, notice: Pick<Notice, 'id'>): Promise<void>
  /** Reads a page of the answers that this device gave, newest first. */
  history(account: Account, options?: HistoryOptions): Promise<History>
  /** Sets or renews the push subscription; null removes it. */
  push(account: Account, subscription: Subscription | null): Promise<PushState>
  /** Reads the push subscription and key that the service has, as either can change without the device. */
  pushState(account: Account): Promise<PushState>
  /** Asks for one push message to this device; at most five an hour. */
  testPush(account: Account): Promise<PushTest>
  /** Begins a move to a new device, which scans the code. Called on the old device. */
  beginMove(account: Account, request?: MoveRequest): Promise<Move>
  /** Reads the claim of the new device, if it has used the code. Called on the old device. */
  moveClaim(account: Account): Promise<MoveClaim | undefined>
  /** Moves the account to the device that claims it. Called on the old device. */
  confirmMove(account: Account, claim: Pick<MoveClaim, 'device'>): Promise<void>
  cancelMove(account: Account): Promise<void>
  /** Uses the code of a move up. Called on the new device. */
  claimMove(serviceUrl: string | URL, code: string, name: string): Promise<ClaimedAccount>
  /** Asks for the account. Called on the new device. @returns undefined until the old device has confirmed. */
  collectMove(claimed: ClaimedAccount, options?: { readonly pin?: string | undefined }): Promise<Account | undefined>
  /** Gives the move up. Called on the new device. @returns the account if the old device has confirmed before: no other device has it. */
  abandonMove(claimed: ClaimedAccount, options?: { readonly pin?: string | undefined }): Promise<Account | undefined>
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
  const device: Device = {
    preview: preview.bind(undefined, context),
    activate: activate.bind(undefined, context),
    requests: requests.bind(undefined, context),
    answer: answer.bind(undefined, context),
    scan: scan.bind(undefined, context),
    // Loaded when first used: few people need them, and the authenticator has to open fast.
    answerCall: async (...call) => (await import('./calls.ts')).answerCall(context, ...call),
    answerApproval: async (...call) => (await import('./approvals.ts')).answerApproval(context, ...call),
    blocks: async (account) => (await import('./approvals.ts')).blocks(context, account),
    liftBlock: async (...call) => (await import('./approvals.ts')).liftBlock(context, ...call),
    acknowledge: acknowledge.bind(undefined, context),
    history: history.bind(undefined, context),
    push: push.bind(undefined, context),
    pushState: pushState.bind(undefined, context),
    testPush: testPush.bind(undefined, context),
    beginMove: async (...call) => (await import('./move.ts')).beginMove(context, ...call),
    moveClaim: async (...call) => (await import('./move.ts')).moveClaim(context, ...call),
    confirmMove: async (...call) => (await import('./move.ts')).confirmMove(context, ...call),
    cancelMove: async (...call) => (await import('./move.ts')).cancelMove(context, ...call),
    claimMove: async (...call) => (await import('./move.ts')).claimMove(context, ...call),
    collectMove: async (...call) => (await import('./move.ts')).collectMove(context, ...call),
    abandonMove: async (...call) => (await import('./move.ts')).abandonMove(context, ...call),
    remove: remove.bind(undefined, context),
    watch: watchRequests.bind(undefined, context),
  }
  return Object.freeze(device)
}
