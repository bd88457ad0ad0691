import type { Endpoint, EndpointInput, EndpointOutput, Version } from '../contract/endpoint.ts'
import { answeredVersion } from '../contract/media-type.ts'
import { getOrganization } from '../contract/organization.ts'
import type { CallInput } from './describe-call.ts'
import { describeCall } from './describe-call.ts'
import { UnreachableError } from './errors.ts'
import type { ResolvedClientOptions } from './options.ts'
import type { Answer, Bytes } from './read-answer.ts'
import { parseEvents, readAnswer, readBytes } from './read-answer.ts'
import { createRefusedRetry } from './retry-refused.ts'
import type { CallOptions } from './send.ts'
import { exchange, send, timeOf } from './send.ts'

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
  const refused = createRefusedRetry(options)

  async function version(): Promise<Version> {
    if (known) return known
    asking ??= refused.run(() => askVersion(options)).finally(() => (asking = undefined))
    known = await asking
    return known
  }

  return {
    version,
    async call(endpoint, input, callOptions = {}) {
      const request = describeCall(endpoint, input as CallInput)
      const spoken = await version()
      const once = () =>
        within(options, callOptions, async (timeout) => {
          const response = await send(options, spoken, endpoint, request, { ...callOptions, timeout })
          return readAnswer(options, spoken, endpoint, response)
        })
      return refused.run(once, callOptions.signal)
    },
    async bytes(endpoint, input) {
      const spoken = await version()
      return within(options, {}, async (timeout) => {
        const response = await send(options, spoken, endpoint, describeCall(endpoint, input), { timeout })
        if (!response.ok) await readAnswer(options, spoken, endpoint, response)
        return readBytes(endpoint, response)
      })
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

/** A whole call, to the end of its answer. Its time starts when it is sent. */
async function within<T>(
  options: ResolvedClientOptions,
  callOptions: CallOptions,
  call: (timeout: AbortSignal) => Promise<T>,
): Promise<T> {
  // Not `AbortSignal.timeout`: its timer would hold what belongs to the call until the time is over, answered or not.
  const timers: NodeJS.Timeout[] = []
  const startTimeout = () => {
    const controller = new AbortController()
    const end = () => controller.abort(new DOMException('The call took too long.', 'TimeoutError'))
    timers.push(setTimeout(end, timeOf(options, callOptions)).unref())
    return controller.signal
  }
  try {
    if (!options.limit) return await call(startTimeout())
    const { signal, wait = 0, slow = false, patient = false } = callOptions
    return await options.limit.run(call, { startTimeout, signal, held: wait > 0, slow, patient })
  } finally {
    timers.forEach(clearTimeout)
  }
}

/** A service that refuses 1.4, or answers without saying 1.4, speaks 1.3. */
function askVersion(options: ResolvedClientOptions): Promise<Version> {
  return within(options, {}, async (timeout) => {
    const request = { path: getOrganization.path, body: undefined }
    const response = await send(options, '1.4', getOrganization, request, { timeout })
    if (response.status === 406) return '1.3'
    const spoken = answeredVersion(options.vendor, response.headers.get('content-type')) ?? '1.3'
    await readAnswer(options, spoken, getOrganization, response)
    return spoken
  })
}
