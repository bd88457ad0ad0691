import { z } from 'zod'

import { readRetryAfter } from '../ground/clock.ts'
import type { Endpoint, EndpointOutput, Version } from '../contract/endpoint.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { ErrorBody, isErrorCode } from '../contract/errors.ts'
import { responseVersion } from '../contract/media-type.ts'
import { readUnprocessed, unprocessedHeader } from '../contract/unprocessed.ts'
import { ApiError, UnreachableError } from './errors.ts'
import { readEvents } from '../contract/read-events.ts'
import type { ResolvedClientOptions } from './options.ts'

export interface ParsedResponse<T> {
  readonly body: T
  /** Whether the service held the response as requested. */
  readonly held: boolean
  /** The header `Link`, if the response is a page of a list. */
  readonly link?: string | undefined
}

/** A response that is not JSON. */
export interface Bytes {
  /** The media type of the body. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** @throws {ApiError} for an error of the service; {UnreachableError} for an unusable response. */
export async function readResponse<E extends Endpoint>(
  options: ResolvedClientOptions,
  version: Version,
  endpoint: E,
  response: Response,
): Promise<ParsedResponse<EndpointOutput<E>>> {
  const text = await response.text().catch(throwInterrupted)
  if (!response.ok) throw readError(response, text, options.clock.now())
  const held = /\bwait\b/i.test(response.headers.get('preference-applied') ?? '')
  const schema = version === '1.3' && endpoint.response13 === 'none' ? undefined : endpoint.response
  if (!schema || (text === '' && schema instanceof z.ZodOptional)) {
    // A page of a proxy does not mean success, whatever its status.
    if (text !== '' && !isJson(response)) throw new UnreachableError('bad_response', 'The response is not JSON.')
    return { body: undefined as EndpointOutput<E>, held }
  }
  // A response in another version comes from something in between, not from the service.
  if (version === '1.4' && responseVersion(options.vendor, response.headers.get('content-type')) !== '1.4') {
    throw new UnreachableError('bad_response', 'The response is not in version 1.4.')
  }
  const parsed = schema.safeParse(parseJson(text))
  if (!parsed.success) {
    throw new UnreachableError(
      'bad_response',
      `The response to ${endpoint.method} ${endpoint.path} has an unexpected format.`,
    )
  }
  return { body: parsed.data as EndpointOutput<E>, held, link: response.headers.get('link') ?? undefined }
}

export async function readBytes({ media }: Endpoint, response: Response): Promise<Bytes> {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== media)
    throw new UnreachableError('bad_response', `The response is not of type ${media}.`)
  const buffer = await response.arrayBuffer().catch(throwInterrupted)
  return { type: media, bytes: new Uint8Array(buffer) }
}

function throwInterrupted(cause: unknown): never {
  throw new UnreachableError('network', 'The connection broke while the response was read.', { cause })
}

/** Yields the events of each piece of a stream. */
export async function* parseEvents<E extends Endpoint>(
  endpoint: E,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<readonly EndpointOutput<E>[]> {
  for await (const events of readEvents(body)) {
    yield events.map((data) => {
      const parsed = endpoint.response?.safeParse(parseJson(data))
      if (!parsed?.success)
        throw new UnreachableError('bad_response', 'An event of the stream has an unexpected format.')
      return parsed.data as EndpointOutput<E>
    })
  }
}

function readError(response: Response, text: string, now: number): ApiError | UnreachableError {
  const parsed = ErrorBody.safeParse(parseJson(text))
  const first = parsed.data?.errors[0]
  const code = first && isErrorCode(first.code) ? first.code : codeByStatus[response.status]
  if (!code)
    return new UnreachableError('bad_response', `The service returned status ${response.status} without an error code.`)
  return new ApiError({
    code,
    status: response.status,
    message: first?.message ?? `The service returned status ${response.status}.`,
    retryAfter: readRetryAfter(response.headers.get('retry-after'), now),
    unprocessed: response.status === 503 ? readUnprocessed(response.headers.get(unprocessedHeader)) : undefined,
    outcome: UnknownOutcome.safeParse(parseJson(text)).success ? 'unknown' : undefined,
  })
}

/** A member of the body or of its first error; other services have none. */
const UnknownOutcome = z.union([
  z.object({ outcome: z.literal('unknown') }),
  z.object({ errors: z.tuple([z.object({ outcome: z.literal('unknown') })]).rest(z.unknown()) }),
])

/** Codes for services that return a status without a code, or with an unknown code. */
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
    // Every schema rejects undefined.
    return undefined
  }
}
