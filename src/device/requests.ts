import { base64url } from 'jose'

import {
  Answered,
  type AnswerRequest,
  type Decision,
  type DeviceRequest,
  type FactorNotice,
  devicePaths,
  Inbox,
} from '../contract/device.ts'
import { pause } from '../clock.ts'
import type { Account } from './account.ts'
import { isGone, isPassing } from './device-error.ts'
import type { DeviceContext } from './options.ts'
import { content } from './send.ts'
import { signedCall } from './signed-call.ts'

export interface RequestsOptions {
  /** What is known already: the call answers `unchanged` while it still holds. */
  readonly etag?: string | undefined
  /** How long the service may hold the call for a change, seconds. */
  readonly wait?: number
  readonly signal?: AbortSignal | undefined
}

export interface RequestList {
  /** All that is pending, newest first; undefined when it is still what `etag` named. */
  readonly requests: readonly DeviceRequest[] | undefined
  /** Changes of the user's factors that nobody acknowledged here, newest first; undefined together with `requests`. */
  readonly notices: readonly FactorNotice[] | undefined
  readonly etag: string | undefined
  /** Whether the service held the call, or would have. */
  readonly held: boolean
}

/** Reads what waits for an answer. */
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
  if (response.status === 304) return { requests: undefined, notices: undefined, etag, held }
  const inbox = await content(response, Inbox)
  const { notices = [] } = inbox
  return { requests: inbox.requests, notices, etag: response.headers.get('etag') ?? undefined, held }
}

export interface Answer {
  readonly decision: Decision
  /** What the person typed; approvals with number matching only. */
  readonly number?: string | undefined
  /** Approvals where `asksFor(account)` says so. */
  readonly pin?: string | undefined
}

/** How long to let pass before a lost answer is sent again, milliseconds. */
const answerPauses = [500, 1500]

/** Answers a request. A lost answer is sent again: the service takes the same one from the same device twice. */
export async function answer(
  context: DeviceContext,
  account: Account,
  request: Pick<DeviceRequest, 'id' | 'nonce'>,
  { decision, number, pin }: Answer,
): Promise<Answered> {
  const body: AnswerRequest = {
    nonce: request.nonce,
    decision,
    ...(number !== undefined && { number }),
    ...(pin !== undefined && { pin, attempt: base64url.encode(context.random(16)) }),
  }
  const call = { method: 'POST', path: devicePaths.answer(request.id), content: body } as const
  for (const milliseconds of answerPauses) {
    try {
      return await content(await signedCall(context, account, call), Answered)
    } catch (error) {
      if (!isPassing(error)) throw error
      await pause(context.clock, milliseconds)
    }
  }
  return content(await signedCall(context, account, call), Answered)
}

/** Removes a notice from the inbox of this device: the person has read it. */
export async function acknowledge(
  context: DeviceContext,
  account: Account,
  notice: Pick<FactorNotice, 'id'>,
): Promise<void> {
  await signedCall(context, account, { method: 'POST', path: devicePaths.acknowledge(notice.id) })
}

/** Takes the device's key off the service. An account that is gone already is as good as removed. */
export async function remove(context: DeviceContext, account: Account): Promise<void> {
  try {
    await signedCall(context, account, { method: 'POST', path: devicePaths.remove })
  } catch (error) {
    if (!isGone(error)) throw error
  }
}
