import type { z } from 'zod'

import { readRetryAfter } from '../clock.ts'
import { DeviceErrorBody } from '../contract/device.ts'
import { isErrorCode } from '../contract/errors.ts'
import { DeviceError } from './device-error.ts'
import type { DeviceContext } from './options.ts'

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Milliseconds on top of the usual timeout, for calls that the service holds. */
  readonly held?: number
  /** Whether the answer is read piece by piece, as it comes, for as long as it lasts. */
  readonly stream?: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes one call and answers what came back, 304 included.
 * @throws {DeviceError} for any other answer; the caller's own abort is thrown as it is.
 */
export async function send(context: DeviceContext, call: Call): Promise<Response> {
  const response = await attempt(context, call)
  if (response.ok || response.status === 304) return response
  throw await refusal(context, response)
}

/** Reads the content of an answer. @throws {DeviceError} `bad_response` when it is not what was agreed. */
export async function content<S extends z.ZodType>(response: Response, schema: S): Promise<z.output<S>> {
  const parsed = schema.safeParse(await json(response))
  if (parsed.success) return parsed.data
  throw new DeviceError('bad_response', `unexpected content of a ${response.status} answer`, { cause: parsed.error })
}

async function attempt(context: DeviceContext, call: Call): Promise<Response> {
  const tooLong = new AbortController()
  const stop = context.clock.after(context.timeout + (call.held ?? 0), () => tooLong.abort())
  try {
    const response = await fetchAnswer(context, call, tooLong.signal)
    return call.stream && response.ok ? response : await buffered(response)
  } catch (cause) {
    call.signal?.throwIfAborted()
    if (tooLong.signal.aborted) throw new DeviceError('timeout', 'the service did not answer in time', { cause })
    throw new DeviceError('network', 'the service cannot be reached', { cause })
  } finally {
    stop()
  }
}

function fetchAnswer(context: DeviceContext, call: Call, tooLong: AbortSignal): Promise<Response> {
  return context.fetch(call.url, {
    method: call.method,
    headers: call.headers,
    ...(call.body === undefined ? {} : { body: call.body }),
    signal: call.signal ? AbortSignal.any([call.signal, tooLong]) : tooLong,
    // A device is known by its signature alone, and speaks to no other address than its own.
    credentials: 'omit',
    redirect: 'error',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
  })
}

/** Reads the body too, so that a connection that breaks half-way is told from an answer that makes no sense. */
async function buffered(response: Response): Promise<Response> {
  const body = await response.arrayBuffer()
  const { status, headers } = response
  return new Response(status === 304 || status === 204 ? null : body, { status, headers })
}

async function refusal(context: DeviceContext, response: Response): Promise<DeviceError> {
  const body = DeviceErrorBody.safeParse(await json(response))
  const { code = '', triesLeft } = body.data?.errors[0] ?? {}
  return new DeviceError(isErrorCode(code) ? code : 'bad_response', `the service answered ${response.status}`, {
    retryAfter: readRetryAfter(response.headers.get('retry-after'), context.clock.now()),
    serviceTime: unixTime(response.headers.get('date')),
    triesLeft,
  })
}

function unixTime(date: string | null): number | undefined {
  const milliseconds = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000)
}

async function json(response: Response): Promise<unknown> {
  // No JSON is read as no content: whatever is expected, the schema then says no.
  return response.json().catch(() => undefined)
}
