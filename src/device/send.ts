import type { z } from 'zod'

import { readRetryAfter } from '../ground/clock.ts'
import { DeviceErrorBody } from '../contract/device-answers.ts'
import { isErrorCode } from '../contract/errors.ts'
import { DeviceError } from './device-error.ts'
import type { DeviceContext } from './options.ts'

export interface Call {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** How long the service may hold the call, on top of the timeout, milliseconds. */
  readonly held?: number
  /** Whether the response is a stream, which is read as it arrives. */
  readonly stream?: boolean
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes one call. @returns the response, also a 304.
 * @throws {DeviceError} for any other status. An abort by the caller is rethrown.
 */
export async function send(context: DeviceContext, call: Call): Promise<Response> {
  const response = await attempt(context, call)
  if (response.ok || response.status === 304) return response
  throw await readError(context, response)
}

/** Parses the content of a response. @throws {DeviceError} `bad_response` when it does not match the schema. */
export async function parseContent<S extends z.ZodType>(response: Response, schema: S): Promise<z.output<S>> {
  const parsed = schema.safeParse(await json(response))
  if (parsed.success) return parsed.data
  throw new DeviceError('bad_response', `The response with status ${response.status} has an unexpected format.`, {
    cause: parsed.error,
  })
}

async function attempt(context: DeviceContext, call: Call): Promise<Response> {
  const timeout = new AbortController()
  const cancelTimeout = context.clock.after(context.timeout + (call.held ?? 0), () => timeout.abort())
  try {
    const response = await fetchResponse(context, call, timeout.signal)
    return call.stream && response.ok ? response : await buffered(response)
  } catch (cause) {
    call.signal?.throwIfAborted()
    if (timeout.signal.aborted) throw new DeviceError('timeout', 'The service did not respond in time.', { cause })
    throw new DeviceError('network', 'The service cannot be reached.', { cause })
  } finally {
    cancelTimeout()
  }
}

function fetchResponse(context: DeviceContext, call: Call, timeout: AbortSignal): Promise<Response> {
  return context.fetch(call.url, {
    method: call.method,
    headers: call.headers,
    ...(call.body === undefined ? {} : { body: call.body }),
    signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
    // The signature alone identifies a device, and it talks only to its own service.
    credentials: 'omit',
    redirect: 'error',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
  })
}

/** Reads the whole body, so that a broken connection is not mistaken for an invalid response. */
async function buffered(response: Response): Promise<Response> {
  const body = await response.arrayBuffer()
  const { status, headers } = response
  return new Response(status === 304 || status === 204 ? null : body, { status, headers })
}

async function readError(context: DeviceContext, response: Response): Promise<DeviceError> {
  const body = DeviceErrorBody.safeParse(await json(response))
  const { code = '', triesLeft } = body.data?.errors[0] ?? {}
  return new DeviceError(isErrorCode(code) ? code : 'bad_response', `The service returned status ${response.status}.`, {
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
  // Every schema rejects undefined.
  return response.json().catch(() => undefined)
}
