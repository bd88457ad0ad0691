import { readRetryAfter } from '../clock.ts'
import type { Endpoint, EndpointOutput, Version } from '../contract/endpoint.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { ErrorBody, isErrorCode } from '../contract/errors.ts'
import { answeredVersion } from '../contract/media-type.ts'
import { readUnprocessed, unprocessedHeader } from '../contract/unprocessed.ts'
import { ApiError, UnreachableError } from './errors.ts'
import { readEvents } from '../contract/read-events.ts'
import type { ResolvedClientOptions } from './options.ts'

export interface Answer<T> {
  readonly body: T
  /** Whether the service held the answer as it was asked to. */
  readonly held: boolean
}

/** An answer that is no JSON. */
export interface Bytes {
  /** Its media type. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** @throws {ApiError} for a no of the service; {UnreachableError} for what is no answer. */
export async function readAnswer<E extends Endpoint>(
  options: ResolvedClientOptions,
  version: Version,
  endpoint: E,
  response: Response,
): Promise<Answer<EndpointOutput<E>>> {
  const text = await response.text().catch((cause: unknown) => {
    throw new UnreachableError('network', 'The answer broke off.', { cause })
  })
  if (!response.ok) throw readError(response, text, options.clock.now())
  const held = /\bwait\b/i.test(response.headers.get('preference-applied') ?? '')
  if (!endpoint.response) {
    // A page of whatever stands in between says nothing was done, whatever its status.
    if (text !== '' && !isJson(response)) throw new UnreachableError('bad_response', 'The answer is no answer.')
    return { body: undefined as EndpointOutput<E>, held }
  }
  // A stray answer of another version means that something else stands in between: it is no answer.
  if (version === '1.4' && answeredVersion(options.vendor, response.headers.get('content-type')) !== '1.4') {
    throw new UnreachableError('bad_response', 'The answer was not in version 1.4.')
  }
  const parsed = endpoint.response.safeParse(parseJson(text))
  if (!parsed.success) {
    throw new UnreachableError('bad_response', `The answer to ${endpoint.method} ${endpoint.path} has another shape.`)
  }
  return { body: parsed.data as EndpointOutput<E>, held }
}

export async function readBytes({ media }: Endpoint, response: Response): Promise<Bytes> {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== media) throw new UnreachableError('bad_response', `The answer was no ${media}.`)
  const buffer = await response.arrayBuffer().catch((cause: unknown) => {
    throw new UnreachableError('network', 'The answer broke off.', { cause })
  })
  return { type: media, bytes: new Uint8Array(buffer) }
}

/** The events of a stream, piece by piece. */
export async function* parseEvents<E extends Endpoint>(
  endpoint: E,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<readonly EndpointOutput<E>[]> {
  for await (const events of readEvents(body)) {
    yield events.map((data) => {
      const parsed = endpoint.response?.safeParse(parseJson(data))
      if (!parsed?.success) throw new UnreachableError('bad_response', 'The event has another shape.')
      return parsed.data as EndpointOutput<E>
    })
  }
}

function readError(response: Response, text: string, now: number): ApiError | UnreachableError {
  const parsed = ErrorBody.safeParse(parseJson(text))
  const first = parsed.data?.errors[0]
  const code = first && isErrorCode(first.code) ? first.code : codeByStatus[response.status]
  if (!code)
    return new UnreachableError('bad_response', `The service answered ${response.status} without an error code.`)
  return new ApiError({
    code,
    status: response.status,
    message: first?.message ?? `The service answered ${response.status}.`,
    retryAfter: readRetryAfter(response.headers.get('retry-after'), now),
    unprocessed: response.status === 503 ? readUnprocessed(response.headers.get(unprocessedHeader)) : undefined,
  })
}

/** For services that answer with a status alone, or with codes of their own. */
const codeByStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'api.error.malformed',
  401: 'api.error.unauthorized',
  403: 'api.error.forbidden',
  404: 'api.error.notfound.operation',
  405: 'api.error.methodnotallowed',
  406: 'api.error.notacceptable',
  409: 'api.error.conflict.state',
  429: 'api.error.toomanyrequests',
  503: 'api.error.unavailable',
}

function isJson(response: Response): boolean {
  return /[/+]json\b|^application\/vnd\./i.test(response.headers.get('content-type') ?? '')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON is not an answer; the schema refuses undefined.
    return undefined
  }
}
