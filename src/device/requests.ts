import { base64url } from 'jose'

import { type AnswerRequest, type Decision, devicePaths, type ScanRequest } from '../contract/device.ts'
import {
  Answered,
  type DeviceApproval,
  type DeviceRequest,
  Inbox,
  type Notice,
  Scanned,
} from '../contract/device-answers.ts'
import type { PhoneCall } from '../contract/phone-calls.ts'
import { pause } from '../ground/clock.ts'
import type { Account } from './account.ts'
import { isGone, isTransient } from './device-error.ts'
import { noticesOf } from './notices-of.ts'
import type { DeviceContext } from './options.ts'
import { parseContent } from './send.ts'
import { signedCall } from './signed-call.ts'

export interface RequestsOptions {
  /** The ETag of the last list: if it is unchanged, the result has no `requests`. */
  readonly etag?: string | undefined
  /** How long the service may hold the call until there is a change, seconds. */
  readonly wait?: number
  readonly signal?: AbortSignal | undefined
}

export interface RequestList {
  /** All pending requests, newest first; undefined when they are unchanged since `etag`. */
  readonly requests: readonly DeviceRequest[] | undefined
  /** Changes of the user's factors and access that were not dismissed here, newest first; undefined together with `requests`. */
  readonly notices: readonly Notice[] | undefined
  /** Calls to the help desk that the person is asked to confirm, newest first; undefined together with `requests`. */
  readonly calls: readonly PhoneCall[] | undefined
  /** Actions to approve, newest first; undefined together with `requests`. */
  readonly approvals: readonly DeviceApproval[] | undefined
  readonly etag: string | undefined
  /** Whether the service held the call, or would have. */
  readonly held: boolean
}

/** Reads the pending requests. */
export async function requests(
  context: DeviceContext,
  account: Account,
  { etag, wait = 0, signal }: RequestsOptions = {},
): Promise<RequestList> {
  const response = await signedCall(context, account, {
    method: 'GET',
    path: devicePaths.requests,
    headers: { ...(etag !== undefined && { 'if-none-match': etag }), ...(wait > 0 && { prefer: `wait=${wait}` }) },
    held: wait * 1000,
    signal,
  })
  const held = response.headers.has('preference-applied')
  if (response.status === 304) {
    return { requests: undefined, notices: undefined, calls: undefined, approvals: undefined, etag, held }
  }
  const inbox = await parseContent(response, Inbox)
  const { requests: pending, calls = [], approvals = [] } = inbox
  const newEtag = response.headers.get('etag') ?? undefined
  return { requests: pending, notices: noticesOf(inbox), calls, approvals, etag: newEtag, held }
}

export interface Answer {
  readonly decision: Decision
  /** The number that the person typed; only for approvals with number matching. */
  readonly number?: string | undefined
  /** Needed only for approvals where `requiredSecret(account)` says so. */
  readonly pin?: string | undefined
  /** Allowed only for approvals of a request with `newBrowser`. */
  readonly keepBrowser?: boolean | undefined
}

/** The pause before each retry of a lost answer, milliseconds. */
const retryPauses = [500, 1500]

/** Answers a request. Retries a lost answer: the service accepts the same answer of the same device again. */
export async function answer(
  context: DeviceContext,
  account: Account,
  request: Pick<DeviceRequest, 'id' | 'nonce'>,
  { decision, number, pin, keepBrowser }: Answer,
): Promise<Answered> {
  const body: AnswerRequest = {
    nonce: request.nonce,
    decision,
    ...(number !== undefined && { number }),
    ...(keepBrowser && { keepBrowser }),
    ...(pin !== undefined && { pin, attempt: base64url.encode(context.random(16)) }),
  }
  const path = devicePaths.answer(request.id)
  return persistently(context, async () =>
    parseContent(await signedCall(context, account, { method: 'POST', path, content: body }), Answered),
  )
}

/**
 * Exchanges the secret of the code on the web page for the number. A wrong secret settles the request as a wrong number does.
 */
export async function scan(
  context: DeviceContext,
  account: Account,
  request: Pick<DeviceRequest, 'id' | 'nonce'>,
  secret: string,
): Promise<Scanned> {
  const content: ScanRequest = { nonce: request.nonce, secret }
  const path = devicePaths.scan(request.id)
  return persistently(context, async () =>
    parseContent(await signedCall(context, account, { method: 'POST', path, content }), Scanned),
  )
}

/** Repeats a call whose response is lost. */
export async function persistently<T>({ clock }: DeviceContext, call: () => Promise<T>): Promise<T> {
  for (const milliseconds of retryPauses) {
    try {
      return await call()
    } catch (error) {
      if (!isTransient(error)) throw error
      await pause(clock, milliseconds)
    }
  }
  return call()
}

/** Removes a notice that the person has read from the inbox of this device. */
export async function acknowledge(context: DeviceContext, account: Account, notice: Pick<Notice, 'id'>): Promise<void> {
  await signedCall(context, account, { method: 'POST', path: devicePaths.acknowledge(notice.id) })
}

/** Removes the device from the service. Succeeds, too, when it is removed already. */
export async function remove(context: DeviceContext, account: Account): Promise<void> {
  try {
    await signedCall(context, account, { method: 'POST', path: devicePaths.remove })
  } catch (error) {
    if (!isGone(error)) throw error
  }
}
