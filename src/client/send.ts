import { longestTimer } from '../clock.ts'
import type { Endpoint, Version } from '../contract/endpoint.ts'
import { authorization, mediaType } from '../contract/media-type.ts'
import { readRequestId, requestIdHeader } from '../contract/request-id.ts'
import type { DescribedCall } from './describe-call.ts'
import { UnreachableError } from './errors.ts'
import type { ResolvedClientOptions } from './options.ts'

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Asks the service to hold the answer, seconds (RFC 7240 section 4.3). */
  readonly wait?: number
  /** What the service may take on top of the time of any call, ms. */
  readonly work?: number
  /** Waits for somebody else than the service, such as a mail server: few such calls may be under way at once. */
  readonly slow?: boolean
  /** Nobody acts: it waits for a slot as long as its caller does, and leaves most slots to those who act. */
  readonly patient?: boolean
}

/** How long a call may take, milliseconds. */
export const timeOf = ({ timeout }: ResolvedClientOptions, { wait = 0, work = 0 }: CallOptions): number =>
  Math.min(longestTimer, timeout + wait * 1000 + work)

/** Sends a call, within its time. @throws {UnreachableError} when there is no answer. */
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
    return await exchange(options, version, endpoint, request, { signal: either, wait, requestId })
  } catch (cause) {
    signal?.throwIfAborted()
    throw unreachable(timeout, cause)
  }
}

interface ExchangeOptions {
  readonly signal: AbortSignal
  readonly wait?: number | undefined
  readonly requestId?: string | undefined
}

/** Sends a call that lasts until its signal ends it. */
export function exchange(
  options: ResolvedClientOptions,
  version: Version,
  endpoint: Endpoint,
  request: DescribedCall,
  { signal, wait, requestId }: ExchangeOptions,
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
      ...(requestId === undefined ? {} : { [requestIdHeader]: requestId }),
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
