import { maxTimer } from '../ground/clock.ts'
import type { Endpoint, Version } from '../contract/endpoint.ts'
import { authorization, mediaType } from '../contract/media-type.ts'
import { idempotencyKeyHeader } from '../contract/idempotency-key.ts'
import { readRequestId, requestIdHeader } from '../contract/request-id.ts'
import type { DescribedCall } from './describe-call.ts'
import { UnreachableError } from './errors.ts'
import type { ResolvedClientOptions } from './options.ts'

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Asks the service to hold the response, seconds (RFC 7240 section 4.3). */
  readonly wait?: number
  /** How long the service may take beyond the timeout of any call, ms. */
  readonly extraTime?: number
  /** Depends on another system, such as a mail server: few of these calls run at once. */
  readonly slow?: boolean
  /** No person waits for this call: it waits for one of a few slots as long as its caller does. */
  readonly background?: boolean
}

/** How long a call may take, milliseconds. */
export const callTimeout = ({ timeout }: ResolvedClientOptions, { wait = 0, extraTime = 0 }: CallOptions): number =>
  Math.min(maxTimer, timeout + wait * 1000 + extraTime)

/** Sends a call. @throws {UnreachableError} when there is no response in time. */
export async function send(
  options: ResolvedClientOptions,
  version: Version,
  endpoint: Endpoint,
  request: DescribedCall,
  { signal, wait, timeout }: CallOptions & { readonly timeout: AbortSignal },
): Promise<Response> {
  try {
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout
    const requestId = readRequestId(options.requestId?.())
    return await fetchEndpoint(options, version, endpoint, request, { signal: either, wait, requestId })
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof UnreachableError) throw cause
    throw unreachable(timeout, cause)
  }
}

interface FetchOptions {
  readonly signal: AbortSignal
  readonly wait?: number | undefined
  readonly requestId?: string | undefined
}

/**
 * Sends a call, for as long as its signal allows.
 * @throws {UnreachableError} where the address redirects.
 */
export async function fetchEndpoint(
  options: ResolvedClientOptions,
  version: Version,
  endpoint: Endpoint,
  request: DescribedCall,
  { signal, wait, requestId }: FetchOptions,
): Promise<Response> {
  const body = requestBody(endpoint, version, request.body)
  const type = mediaType(options.vendor, version)
  const response = await (options.fetch ?? fetch)(options.baseUrl + request.path, {
    method: endpoint.method,
    headers: {
      accept: endpoint.media === undefined ? type : `${endpoint.media}, ${type}`,
      authorization: authorization(options.vendor, options.apiKey),
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(wait === undefined ? {} : { prefer: `wait=${wait}` }),
      ...(requestId === undefined ? {} : { [requestIdHeader]: requestId }),
      ...(request.idempotencyKey === undefined ? {} : { [idempotencyKeyHeader]: request.idempotencyKey }),
    },
    // A redirect that is followed would send the API key to another address.
    redirect: 'manual',
    signal,
    ...(body === undefined ? {} : { body }),
  })
  if (!isRedirect(response)) return response
  response.body?.cancel().catch(() => {})
  throw new UnreachableError('bad_response', redirected(response, options))
}

/** Browsers hide the status and the address of a redirect. */
const isRedirect = ({ status, type, headers }: Response): boolean =>
  type === 'opaqueredirect' || (status >= 300 && status <= 399 && headers.has('location'))

/** Without the query, which may contain what a login page passes on. */
function redirected({ headers }: Response, { baseUrl }: ResolvedClientOptions): string {
  const target = URL.parse(headers.get('location') ?? '', baseUrl)
  const where = target ? `to ${target.origin}${target.pathname}` : 'elsewhere'
  return `${baseUrl} redirects ${where}. Set baseUrl to the address of the service itself: the API key is sent to no other address.`
}

/** A 1.3 service may reject members that it does not know. */
function requestBody(endpoint: Endpoint, version: Version, body: unknown): string | undefined {
  if (!endpoint.body) return undefined
  const content = version === '1.3' && endpoint.body13 ? endpoint.body13.parse(body) : body
  return JSON.stringify(content)
}

/** Reads a response that has begun. @throws as `send()` where the call was ended meanwhile, because that breaks the connection. */
export async function readInTime<T>(
  { signal, timeout }: CallOptions & { readonly timeout: AbortSignal },
  read: Promise<T>,
): Promise<T> {
  try {
    return await read
  } catch (error) {
    if (!(error instanceof UnreachableError) || error.reason !== 'network') throw error
    signal?.throwIfAborted()
    throw timeout.aborted ? unreachable(timeout, error.cause) : error
  }
}

function unreachable(timeout: AbortSignal, cause: unknown): UnreachableError {
  return timeout.aborted
    ? new UnreachableError('timeout', 'The service did not respond in time.', { cause })
    : new UnreachableError('network', 'The service could not be reached.', { cause })
}
