import type { z } from 'zod'

import type { Endpoint, EndpointInput, EndpointOutput, Version } from '../contract/endpoint.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { ErrorBody, isErrorCode } from '../contract/errors.ts'
import { answeredVersion, authorization, mediaType } from '../contract/media-type.ts'
import { getOrganization } from '../contract/organization.ts'
import { ApiError, UnreachableError } from './errors.ts'
import { readEvents } from './event-stream.ts'
import type { ResolvedClientOptions } from './options.ts'

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Asks the service to hold the answer, seconds (RFC 7240 section 4.3). */
  readonly wait?: number
  /** What the service may take on top of the time of any call, ms. */
  readonly work?: number
}

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

type CallInput = { params?: unknown; query?: unknown; body?: unknown }

export interface Transport {
  call<E extends Endpoint>(
    endpoint: E,
    input: EndpointInput<E>,
    options?: CallOptions,
  ): Promise<Answer<EndpointOutput<E>>>
  /** Reads an answer of bytes, such as an image. */
  bytes(endpoint: Endpoint & { readonly media: 'image/png' }, input: CallInput): Promise<Bytes>
  /** Opens an event stream. Answers, with each piece that arrives, the events in it. */
  stream<E extends Endpoint>(
    endpoint: E,
    input: EndpointInput<E>,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<readonly EndpointOutput<E>[]>>
  /** The version this service speaks; asked once, then known. */
  version(signal?: AbortSignal): Promise<Version>
}

/** Speaks the endpoints of the contract over HTTP. */
export function createTransport(options: ResolvedClientOptions): Transport {
  let known: Version | undefined = options.version === 'auto' ? undefined : options.version
  let asking: Promise<Version> | undefined

  async function version(): Promise<Version> {
    if (known) return known
    asking ??= askVersion(options).finally(() => (asking = undefined))
    known = await asking
    return known
  }

  return {
    version,
    async call(endpoint, input, callOptions = {}) {
      const request = describeCall(endpoint, input as CallInput)
      const response = await send(options, await version(), endpoint, request, callOptions)
      return readAnswer(options, await version(), endpoint, response)
    },
    async bytes(endpoint, input) {
      const response = await send(options, await version(), endpoint, describeCall(endpoint, input), {})
      if (!response.ok) await readAnswer(options, await version(), endpoint, response)
      return readBytes(endpoint, response)
    },
    async stream(endpoint, input, signal) {
      const request = describeCall(endpoint, input as CallInput)
      const response = await exchange(options, await version(), endpoint, request, { signal })
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      if (response.ok && isStream && response.body) return parseEvents(endpoint, response.body)
      await readAnswer(options, await version(), endpoint, response)
      throw new UnreachableError('bad_response', 'The answer was no event stream.')
    },
  }
}

async function readBytes({ media }: Endpoint, response: Response): Promise<Bytes> {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== media) throw new UnreachableError('bad_response', `The answer was no ${media}.`)
  const buffer = await response.arrayBuffer().catch((cause: unknown) => {
    throw new UnreachableError('network', 'The answer broke off.', { cause })
  })
  return { type: media, bytes: new Uint8Array(buffer) }
}

async function* parseEvents<E extends Endpoint>(
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

/** A service that refuses 1.4, or answers without saying 1.4, speaks 1.3. */
async function askVersion(options: ResolvedClientOptions): Promise<Version> {
  const response = await send(options, '1.4', getOrganization, { path: getOrganization.path, body: undefined }, {})
  if (response.status === 406) return '1.3'
  const spoken = answeredVersion(options.vendor, response.headers.get('content-type')) ?? '1.3'
  await readAnswer(options, spoken, getOrganization, response)
  return spoken
}

interface DescribedCall {
  readonly path: string
  readonly body: unknown
}

/** @throws {TypeError} when the input is not what the operation takes. */
function describeCall(endpoint: Endpoint, input: CallInput): DescribedCall {
  const params = check(endpoint, endpoint.params, input.params)
  const query = check(endpoint, endpoint.query, input.query)
  check(endpoint, endpoint.body, input.body)
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  return { path: path + queryString(query), body: input.body }
}

function check(endpoint: Endpoint, schema: z.ZodType | undefined, value: unknown): Record<string, unknown> {
  if (!schema) return {}
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data as Record<string, unknown>
  const issue = parsed.error.issues[0]
  // Names the place and the rule, never the value: it may be a code.
  throw new TypeError(
    `${endpoint.method} ${endpoint.path}: ${issue?.path.join('.') || 'input'} ${issue?.message ?? ''}`,
  )
}

function queryString(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  return pairs.length === 0
    ? ''
    : `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`
}

async function send(
  options: ResolvedClientOptions,
  version: Version,
  endpoint: Endpoint,
  request: DescribedCall,
  { signal, wait, work = 0 }: CallOptions,
): Promise<Response> {
  const timeout = AbortSignal.timeout(options.timeout + (wait ?? 0) * 1000 + work)
  try {
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout
    return await exchange(options, version, endpoint, request, { signal: either, ...(wait !== undefined && { wait }) })
  } catch (cause) {
    signal?.throwIfAborted()
    throw unreachable(timeout, cause)
  }
}

function exchange(
  options: ResolvedClientOptions,
  version: Version,
  endpoint: Endpoint,
  request: DescribedCall,
  { signal, wait }: { signal: AbortSignal; wait?: number },
): Promise<Response> {
  const body = requestBody(endpoint, version, request.body)
  const type = mediaType(options.vendor, version)
  return (options.fetch ?? fetch)(options.baseUrl + request.path, {
    method: endpoint.method,
    headers: {
      accept: endpoint.media === undefined ? type : `${endpoint.media}, ${type}`,
      authorization: authorization(options.vendor, options.apiKey),
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(wait === undefined ? {} : { prefer: `wait=${wait}` }),
    },
    // A redirect would carry the API key to wherever it points.
    redirect: 'error',
    signal,
    ...(body === undefined ? {} : { body }),
  })
}

/** A 1.3 service may refuse members it does not know. */
function requestBody(endpoint: Endpoint, version: Version, body: unknown): string | undefined {
  if (!endpoint.body) return undefined
  const known = version === '1.3' && endpoint.body13 ? endpoint.body13.parse(body) : body
  return JSON.stringify(known)
}

function unreachable(timeout: AbortSignal, cause: unknown): UnreachableError {
  return timeout.aborted
    ? new UnreachableError('timeout', 'The service did not answer in time.', { cause })
    : new UnreachableError('network', 'The service could not be reached.', { cause })
}

async function readAnswer<E extends Endpoint>(
  options: ResolvedClientOptions,
  version: Version,
  endpoint: E,
  response: Response,
): Promise<Answer<EndpointOutput<E>>> {
  const text = await response.text().catch((cause: unknown) => {
    throw new UnreachableError('network', 'The answer broke off.', { cause })
  })
  if (!response.ok) throw readError(response, text)
  const held = /\bwait\b/i.test(response.headers.get('preference-applied') ?? '')
  if (!endpoint.response) return { body: undefined as EndpointOutput<E>, held }
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

function readError(response: Response, text: string): ApiError | UnreachableError {
  const parsed = ErrorBody.safeParse(parseJson(text))
  const first = parsed.data?.errors[0]
  const code = first && isErrorCode(first.code) ? first.code : codeByStatus[response.status]
  if (!code)
    return new UnreachableError('bad_response', `The service answered ${response.status} without an error code.`)
  return new ApiError({
    code,
    status: response.status,
    message: first?.message ?? `The service answered ${response.status}.`,
    retryAfter: retryAfter(response.headers.get('retry-after')),
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

function retryAfter(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON is not an answer; the schema refuses undefined.
    return undefined
  }
}
