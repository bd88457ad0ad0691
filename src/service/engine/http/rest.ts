import { isFile } from '../../../contract/endpoint.ts'
import type { Endpoint, Version } from '../../../contract/endpoint.ts'
import { acceptsType } from '../../../contract/media-type.ts'
import type { Vendor } from '../../../contract/media-type.ts'
import { operationTitle } from '../../../contract/operations.ts'
import type { Operation } from '../../../contract/operations.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { observe } from './observe.ts'
import { ApiProblem, tooManyRequests } from '../base/problem.ts'
import type { Reader } from '../base/reader.ts'
import type { NamedImage } from './image.ts'
import type { Access, AdmittedCaller } from './access.ts'
import { jsonAnswer, labelOf } from './answer.ts'
import type { Answer } from './answer.ts'
import { readFile, readJson, readRows } from './body.ts'
import { errorAnswer } from './errors.ts'
import { startsWaiting } from './admission.ts'
import { eventHeaders } from './event-stream.ts'
import type { EventSource } from '../waiting/follower.ts'
import { fileAnswer } from './file.ts'
import { heldRead, preferredWait } from './held-read.ts'
import { imageAnswer } from './image.ts'
import { createIgnoredMembers } from './ignored-members.ts'
import type { NoteIgnoredMembers } from './ignored-members.ts'
import { readIdempotencyKey } from '../idempotency/keyed-call.ts'
import { createRememberedAnswers } from '../idempotency/remembered-answers.ts'
import type { AnswerKeyed } from '../idempotency/remembered-answers.ts'
import { createPathTable } from './path-table.ts'
import type { Match } from './path-table.ts'
import { leaveAfter, takeAll } from '../waiting/places.ts'
import { parseQuery } from './query-string.ts'
import { contextOfRequest } from './request-id.ts'
import type { Call, FileOutput, RouteInput, HttpExchange, Route } from './route.ts'
import type { RestRequest } from './rest-request.ts'
import { eventsWhileUnchanged, whileUnchanged } from './while-unchanged.ts'

export interface RestOptions {
  readonly vendor: Vendor
  readonly access: Access
  readonly routes: readonly Route[]
  /** Names the endpoints of the routes. */
  readonly operations: readonly Operation[]
}

/** The `Retry-After` of a caller with too many event streams, seconds. */
const streamRetry = 30

/** The default limit of a body, bytes. */
const bodyLimit = 1024 * 1024

/** A response; `events` or `file` is sent instead of a body. */
export type RestAnswer = Answer & {
  readonly events?: EventSource<unknown>
  readonly file?: FileOutput['content']
}

/** Answers a request of the REST interface. Never rejects. */
export type Rest = (request: RestRequest) => Promise<RestAnswer>

/** The REST interface, without its transport. */
export function createRest(ctx: ServiceContext, options: RestOptions): Rest {
  const find = createPathTable([...Map.groupBy(options.routes, (route) => route.endpoint.path)])
  const answerKeyed = createRememberedAnswers(ctx)
  const noteIgnored = createIgnoredMembers(ctx.clock)
  const names = new Map(options.operations.map(({ endpoint, name }) => [endpoint, name]))
  return (request) => {
    const place = find(request.url.replace(/[?#].*$/s, '')) ?? nowhere
    const matchedRoute = findRoute(place.value, request.method)
    observe(ctx, request, (matchedRoute && names.get(matchedRoute.endpoint)) ?? 'none')
    return serve(ctx, { ...options, answerKeyed, noteIgnored }, place, request)
  }
}

/** The routes of a path. */
type Place = Match<readonly Route[]>

const nowhere: Place = { value: [], params: {} }

/** Serves one request: authenticates the caller, selects operation and version, and runs the operation. */
async function serve(
  ctx: ServiceContext,
  options: RestOptions & { readonly answerKeyed: AnswerKeyed; readonly noteIgnored: NoteIgnoredMembers },
  { value: routes, params: encoded }: Place,
  request: RestRequest,
): Promise<RestAnswer> {
  const { method, requestId } = request
  const { accept } = request.headers
  const format = options.access.formatOf(request.headers)
  const accepted = format?.version
  const label = labelOf(options.vendor, format ?? { version: '1.3', plain: false })
  const limits: Record<string, string> = {}
  const respond = async (): Promise<RestAnswer> => {
    const since = ctx.clock.now()
    const admission = await options.access.admit(request, limits)
    const params = decodeParams(encoded)
    const visible = visibleTo(accepted, routes)
    if (method === 'OPTIONS') return jsonAnswer(200, undefined, { Allow: allowedOn(visible) })
    const { endpoint, run } = select(visible, method)
    await admission.authorize(endpoint, params)
    const version = accepted ?? mediaVersion(endpoint, accept)
    if (version === undefined) throw new ApiProblem('api.error.notacceptable')
    const headers: Record<string, string> = {}
    const call = createCall(ctx, { admission, version, headers, request })
    if (endpoint.media === 'text/event-stream' || isFile(endpoint.media)) takeStream(ctx, admission, request.reader)
    // Callers could otherwise hold a body back until their access has ended.
    const received = async () => {
      if (ctx.clock.now() !== since) await admission.requireUnchanged()
    }
    const once = onceFor(options.answerKeyed, { admission, endpoint, params, request })
    const noting = noteFor(options.noteIgnored, { admission, endpoint, call })
    const output = await run({ ...givenBy(request, { params, endpoint, received }, call), ...noting, ...once }, call)
    if (endpoint.media === 'image/png')
      return imageAnswer(request.headers['if-none-match'], output as NamedImage, headers)
    if (isFile(endpoint.media)) return fileAnswer(endpoint.media, output as FileOutput, headers)
    if (endpoint.media !== undefined) {
      const events = eventsWhileUnchanged(ctx.clock, admission, output as EventSource<unknown>)
      return { status: 200, headers: eventHeaders(headers), body: '', events }
    }
    return jsonAnswer(200, output, { ...label, ...headers })
  }
  const answer = await respond().catch((error: unknown) =>
    errorAnswer(error, { label, failures: ctx.failures, requestId }),
  )
  return { ...answer, headers: { ...limits, ...answer.headers } }
}

function decodeParams(params: Place['params']): Place['params'] {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    throw new ApiProblem('api.error.malformed')
  }
}

/** @throws {ApiProblem} if the service is closing, or the key has the maximum number of streams. */
function takeStream({ waiters, places, limits, clock }: ServiceContext, { id }: AdmittedCaller, reader: Reader): void {
  // The stream would end at once, and its caller would open the next one.
  if (waiters.closed()) throw new ApiProblem('api.error.unavailable')
  const leave = places.streamsOfKey.take(id)
  const limit = `at most ${limits.streamsPerKey} event streams at once for each API key`
  if (!leave) throw tooManyRequests({ limit, wait: streamRetry, now: clock.now() })
  leaveAfter(reader, leave)
}

/** A client that was generated from the document sends no Accept, and a GET has no type of its own that could say the version. */
const later = 'Version 1.3 has no such operation: ask for version 1.4 in the header Accept.'

/** The operations of a path that exist in the caller's version: 1.3 does not have the later ones. */
function visibleTo(version: Version | undefined, routes: readonly Route[]): readonly Route[] {
  const visible = routes.filter(({ endpoint }) => version !== '1.3' || endpoint.since === undefined)
  if (visible.length === 0) throw new ApiProblem('api.error.notfound.operation', routes.length > 0 ? later : undefined)
  return visible
}

/** HEAD is a GET without a response body. */
function findRoute(routes: readonly Route[], method: string): Route | undefined {
  return routes.find(({ endpoint }) => endpoint.method === (method === 'HEAD' ? 'GET' : method))
}

function select(routes: readonly Route[], method: string): Route {
  const match = findRoute(routes, method)
  if (match) return match
  throw new ApiProblem('api.error.methodnotallowed', undefined, { headers: { Allow: allowedOn(routes) } })
}

function allowedOn(routes: readonly Route[]): string {
  const methods = routes.map(({ endpoint }) => endpoint.method)
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}

/** A request for the media type of an image or a stream names no version: the first version with the operation applies. */
function mediaVersion({ media, since }: Endpoint, accept: string | undefined): Version | undefined {
  return media !== undefined && acceptsType(accept, media) ? (since ?? '1.3') : undefined
}

interface Giving {
  readonly params: Place['params']
  readonly endpoint: Endpoint
  /** Runs once the whole body has been received. */
  readonly received: () => Promise<void>
}

function givenBy(request: RestRequest, { params, endpoint, received }: Giving, { version, logger }: Call): RouteInput {
  const onLatin1 = () =>
    logger.warn({ path: endpoint.path }, 'body is not valid UTF-8: read as ISO-8859-1; have the client send UTF-8')
  const options = { limit: endpoint.bodyLimit ?? bodyLimit, onLatin1: version === '1.3' ? onLatin1 : undefined }
  const whenReceived = async <T>(reading: Promise<T>): Promise<T> => {
    const content = await reading
    await received()
    return content
  }
  return {
    params,
    query: parseQuery(request.url),
    headers: headersOf(endpoint, request),
    body: () => whenReceived(readJson(request, options)),
    rows: () => whenReceived(readRows(request, options)),
    async *file(file) {
      yield* readFile(request, file)
      await received()
    },
  }
}

const headersOf = ({ headers }: Endpoint, request: RestRequest) =>
  headers && Object.fromEntries(Object.keys(headers.shape).map((name) => [name, request.headers[`x-${name}`]]))

interface NotedParts {
  readonly admission: AdmittedCaller
  readonly endpoint: Endpoint
  readonly call: Call
}

/** Version 1.4 has no callers that cannot be changed. */
function noteFor(
  noteIgnored: NoteIgnoredMembers,
  { admission: { id }, endpoint, call: { version, logger } }: NotedParts,
): Pick<RouteInput, 'accepted'> {
  if (version !== '1.3') return {}
  const caller = { id, operation: operationTitle(endpoint), logger }
  return { accepted: (schema, value) => noteIgnored(caller, schema, value) }
}

interface KeyedParts extends Pick<Giving, 'params' | 'endpoint'> {
  readonly admission: AdmittedCaller
  readonly request: RestRequest
}

/** How the handler of an operation that creates something is run, if the caller sent an `Idempotency-Key`. */
function onceFor(
  answerKeyed: AnswerKeyed,
  { admission, endpoint, params, request }: KeyedParts,
): Pick<RouteInput, 'once'> {
  const key = endpoint.repeatable ? readIdempotencyKey(request.headers['idempotency-key']) : undefined
  if (key === undefined) return {}
  const keyedCall = {
    key,
    organizationId: admission.caller.organizationId,
    apiKeyId: admission.id,
    domainId: params.domainId ?? null,
    operation: `${endpoint.method} ${endpoint.path}`,
    requireUnchanged: () => admission.requireUnchanged(),
  }
  return { once: (input, run) => answerKeyed(keyedCall, input, run) }
}

interface CallParts {
  readonly admission: AdmittedCaller
  readonly version: Version
  readonly headers: Record<string, string>
  readonly request: RestRequest
}

function createCall(ctx: ServiceContext, parts: CallParts): Call {
  const { admission, version, request } = parts
  return {
    ...contextOfRequest(ctx, request.requestId),
    ...admission.caller,
    address: request.address ?? null,
    version,
    http: createExchange(ctx, parts),
  }
}

function createExchange(ctx: ServiceContext, { admission, headers, request }: CallParts): HttpExchange {
  return {
    path: request.path,
    ifMatch: request.headers['if-match'],
    disconnected: request.disconnected,
    setHeader: (name, value) => void (headers[name] = value),
    async outside(act) {
      const leave = ctx.places.outsideOfKey.take(admission.id)
      if (!leave) throw new Error('Too many requests of this caller wait for another server.')
      try {
        startsWaiting(request.reader)
        return await act()
      } finally {
        leave()
      }
    },
    hold(key, { read, changesAt, userOf }) {
      const wait = preferredWait(request.headers.prefer?.toString())
      // The caller of a read that was held repeats it at once, which would keep a closing service busy.
      if (wait === undefined || ctx.waiters.closed()) return read()
      headers['Preference-Applied'] = `wait=${wait}`
      const { readsOfKey, readsOfUser } = ctx.places
      return heldRead(ctx, {
        key,
        wait,
        reader: request.reader,
        read: whileUnchanged(admission, read),
        changesAt,
        takePlace(value) {
          const leave = takeAll([
            [readsOfKey, admission.id],
            [readsOfUser, userOf(value)],
          ])
          if (!leave) delete headers['Preference-Applied']
          return leave
        },
      })
    },
  }
}
