import type { Endpoint, EndpointInput, EndpointOutput, Version } from '../contract/endpoint.ts'
import { responseVersion } from '../contract/media-type.ts'
import { getOrganization } from '../contract/organization.ts'
import type { CallInput } from './describe-call.ts'
import { describeCall } from './describe-call.ts'
import { UnreachableError } from './errors.ts'
import type { ResolvedClientOptions } from './options.ts'
import type { Bytes, ParsedResponse } from './read-response.ts'
import { parseEvents, readBytes, readResponse } from './read-response.ts'
import { createUnprocessedRetry } from './retry-unprocessed.ts'
import type { CallOptions } from './send.ts'
import { callTimeout, fetchEndpoint, readInTime, send } from './send.ts'

export interface Transport {
  call<E extends Endpoint>(
    endpoint: E,
    input: EndpointInput<E>,
    options?: CallOptions,
  ): Promise<ParsedResponse<EndpointOutput<E>>>
  /** Reads a response of bytes, such as an image. */
  bytes(endpoint: Endpoint & { readonly media: 'image/png' }, input: CallInput): Promise<Bytes>
  /** Opens an event stream. Yields the events of each piece that arrives; a heartbeat has none. */
  stream<E extends Endpoint>(
    endpoint: E,
    input: EndpointInput<E>,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<readonly EndpointOutput<E>[]>>
  /** The version of the interface that this service speaks; detected once. */
  version(): Promise<Version>
}

/** Calls the endpoints of the contract over HTTP. */
export function createTransport(options: ResolvedClientOptions): Transport {
  let serviceVersion: Version | undefined = options.version === 'auto' ? undefined : options.version
  let detecting: Promise<Version> | undefined
  const retry = createUnprocessedRetry(options)

  async function version(): Promise<Version> {
    if (serviceVersion) return serviceVersion
    detecting ??= retry.run(() => detectVersion(options)).finally(() => (detecting = undefined))
    serviceVersion = await detecting
    return serviceVersion
  }

  return {
    version,
    async call(endpoint, input, callOptions = {}) {
      const request = describeCall(endpoint, input as CallInput)
      const currentVersion = await version()
      const once = () =>
        withTimeout(options, callOptions, async (timeout) => {
          const limits = { ...callOptions, timeout }
          const response = await send(options, currentVersion, endpoint, request, limits)
          return readInTime(limits, readResponse(options, currentVersion, endpoint, response))
        })
      return retry.run(once, callOptions.signal, request.idempotencyKey !== undefined)
    },
    async bytes(endpoint, input) {
      const currentVersion = await version()
      return withTimeout(options, {}, async (timeout) => {
        const response = await send(options, currentVersion, endpoint, describeCall(endpoint, input), { timeout })
        if (!response.ok) await readInTime({ timeout }, readResponse(options, currentVersion, endpoint, response))
        return readInTime({ timeout }, readBytes(endpoint, response))
      })
    },
    async stream(endpoint, input, signal) {
      const request = describeCall(endpoint, input as CallInput)
      const response = await fetchEndpoint(options, await version(), endpoint, request, { signal })
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      if (response.ok && isStream && response.body) return parseEvents(endpoint, response.body)
      await readResponse(options, await version(), endpoint, response)
      throw new UnreachableError('bad_response', 'The response is not an event stream.')
    },
  }
}

/** Runs a whole call, to the end of its response. Its time starts when it is sent. */
async function withTimeout<T>(
  options: ResolvedClientOptions,
  callOptions: CallOptions,
  call: (timeout: AbortSignal) => Promise<T>,
): Promise<T> {
  // Not `AbortSignal.timeout`: its timer would keep the call in memory until the time is over, answered or not.
  const timers: NodeJS.Timeout[] = []
  const startTimeout = () => {
    const controller = new AbortController()
    const end = () => controller.abort(new DOMException('The call took too long.', 'TimeoutError'))
    timers.push(setTimeout(end, callTimeout(options, callOptions)).unref())
    return controller.signal
  }
  try {
    if (!options.limit) return await call(startTimeout())
    const { signal, wait = 0, slow = false, background = false } = callOptions
    return await options.limit.run(call, { startTimeout, signal, held: wait > 0, slow, background })
  } finally {
    timers.forEach(clearTimeout)
  }
}

/** A service that rejects 1.4, or responds without naming 1.4, speaks 1.3. */
function detectVersion(options: ResolvedClientOptions): Promise<Version> {
  return withTimeout(options, {}, async (timeout) => {
    const request = { path: getOrganization.path, body: undefined }
    const response = await send(options, '1.4', getOrganization, request, { timeout })
    if (response.status === 406) return '1.3'
    const currentVersion = responseVersion(options.vendor, response.headers.get('content-type')) ?? '1.3'
    await readInTime({ timeout }, readResponse(options, currentVersion, getOrganization, response))
    return currentVersion
  })
}
