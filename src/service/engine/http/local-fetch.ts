import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { PassThrough, Readable } from 'node:stream'

import { maxTimer } from '../../../ground/clock.ts'
import type { Clock } from '../../../ground/clock.ts'
import { readRequestId, requestIdHeader } from '../../../contract/request-id.ts'
import { ApiProblem } from '../base/problem.ts'
import { sendEvents } from './event-stream.ts'
import type { InFlight } from './in-flight.ts'
import type { Rest, RestAnswer } from './rest.ts'
import type { RestRequest } from './rest-request.ts'

interface LocalService {
  readonly rest: Rest
  readonly inFlight: InFlight
  readonly clock: Clock
}

/**
 * Calls the REST interface from the same process, as `fetch` does over HTTP.
 *
 * @param baseUrl The address of the interface. It is never resolved.
 */
export function createLocalFetch({ rest, inFlight, clock }: LocalService, baseUrl: string): typeof fetch {
  return async (input, init) => {
    const requestInit = input instanceof Request ? new Request(input, init) : init
    const request = readRequest(input instanceof Request ? input.url : input, requestInit, baseUrl)
    requestInit?.signal?.throwIfAborted()
    const reader = createReader(requestInit?.signal)
    const answer = async () => {
      const answered = await run({ rest, inFlight }, request, reader)
      const headers = { ...answered.headers, [requestIdHeader]: request.requestId }
      if (answered.events && request.method !== 'HEAD') {
        return new Response(streamTo(reader, clock, answered.events), { headers })
      }
      reader.finish(answered.status)
      const body = request.method === 'HEAD' || answered.body.length === 0 ? null : (answered.body as BodyInit)
      return new Response(body, { status: answered.status, headers })
    }
    return new Promise((resolve, reject) => {
      reader.once('close', () => requestInit?.signal?.aborted && reject(requestInit.signal.reason as Error))
      // In a later turn of the event loop, as over HTTP: callers that never pause must not block other requests.
      setImmediate(() => {
        if (reader.closed) return
        answer().then(resolve, (error: Error) => {
          reader.close()
          reject(error)
        })
      })
    })
  }
}

/** A call of the REST interface in the same process. */
export interface LocalCall {
  readonly method: 'POST' | 'PUT'
  /** Below the base path. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Calls the REST interface without the classes of `fetch`, which take 13 MB. */
export function createLocalCall({ rest, inFlight }: Omit<LocalService, 'clock'>) {
  return async ({ body, path, ...call }: LocalCall): Promise<RestAnswer> => {
    const reader = createReader(undefined)
    const request = {
      ...call,
      url: path,
      path,
      address: undefined,
      requestId: randomUUID(),
      read: (limit: number) => readContent(body, limit),
      async *stream() {
        yield Buffer.from(body)
      },
    }
    const answered = await run({ rest, inFlight }, request, reader)
    reader.finish(answered.status)
    return answered
  }
}

type LocalRequest = Omit<RestRequest, 'reader' | 'disconnected'>

const run = (
  { rest, inFlight }: Pick<LocalService, 'rest' | 'inFlight'>,
  request: LocalRequest,
  reader: ReturnType<typeof createReader>,
): Promise<RestAnswer> =>
  inFlight.run(request, reader, () => rest({ ...request, reader, disconnected: () => reader.destroyed }))

/** @throws {TypeError} for an address outside of the interface. */
function readRequest(url: string | URL, init: RequestInit | Request | undefined, baseUrl: string) {
  const { href, pathname } = new URL(url)
  if (!href.startsWith(`${baseUrl}/`)) throw new TypeError(`Only addresses below ${baseUrl} can be called.`)
  const headers: Readonly<Record<string, string>> = Object.fromEntries(new Headers(init?.headers))
  return {
    method: init?.method?.toUpperCase() ?? 'GET',
    url: href.slice(baseUrl.length),
    path: pathname,
    headers,
    address: undefined,
    requestId: readRequestId(headers['x-request-id']) ?? randomUUID(),
    read: (limit: number) => readContent(init?.body, limit),
    async *stream(limit: number) {
      const content = await readContent(init?.body, limit)
      if (content !== undefined) yield Buffer.from(content)
    },
  }
}

/** Text as it is, because most bodies are texts. */
async function readContent(body: BodyInit | null | undefined, limit: number): Promise<string | Buffer | undefined> {
  if (body === null || body === undefined) return undefined
  const content = typeof body === 'string' ? body : Buffer.from(await new Response(body).arrayBuffer())
  if (Buffer.byteLength(content) > limit) throw new ApiProblem('api.error.toolarge')
  return content
}

/** Keeps the process alive until it is closed, as a socket does. @param signal Closes it. */
function createReader(signal: AbortSignal | null | undefined) {
  const alive = setInterval(() => {}, maxTimer)
  const state = { closed: false, destroyed: false, writableFinished: false, statusCode: 200 }
  const close = () => {
    if (reader.closed) return
    reader.closed = reader.destroyed = true
    clearInterval(alive)
    signal?.removeEventListener('abort', close)
    reader.emit('close')
  }
  const finish = (statusCode: number) => {
    Object.assign(reader, { statusCode, writableFinished: true })
    close()
  }
  const reader = Object.assign(new EventEmitter(), state, { close, finish })
  signal?.addEventListener('abort', close)
  return reader
}

function streamTo(reader: ReturnType<typeof createReader>, clock: Clock, events: NonNullable<RestAnswer['events']>) {
  const stream = new PassThrough()
  stream.once('close', () => reader.finish(200))
  reader.once('close', () => stream.destroy())
  if (reader.closed) stream.destroy()
  sendEvents(clock, stream, events)
  return Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>
}
