import { z } from 'zod'

import { commonErrors, invalidField, notFoundByParam } from '../../../contract/errors.ts'
import { responseSchema } from '../../../contract/endpoint.ts'
import type { Endpoint, FileBody, FileMedia, Version } from '../../../contract/endpoint.ts'
import { validate } from '../../../contract/validate.ts'
import type { Mistake } from '../../../contract/validate.ts'
import type { Caller } from '../context/caller.ts'
import type { AnswerMemory } from '../idempotency/answer-once.ts'
import { ApiProblem } from '../base/problem.ts'
import type { EventSource } from '../waiting/follower.ts'
import type { HoldableRead } from './held-read.ts'
import type { NamedImage } from './image.ts'
import { nextTurn } from '../base/next-turn.ts'

/** One call of an operation, by a caller who is allowed to call it. */
export interface Call extends Caller {
  /** Absent at the command line, which calls operations in its own process. */
  readonly http?: HttpExchange
  /** Absent unless the caller sent an `Idempotency-Key`. */
  readonly memory?: AnswerMemory
}

/** The HTTP part of a call: headers, and a connection that can be held open or lost. */
export interface HttpExchange {
  /** Path of the operation as the caller sees it, for links. */
  readonly path: string
  /** The header `If-Match`, if the caller sent it. */
  readonly ifMatch: string | undefined
  /** Whether the caller has disconnected. */
  readonly disconnected: () => boolean
  readonly setHeader: (name: string, value: string) => void
  /**
   * Waits for another server, such as that of the mails. Meanwhile the request takes no capacity from others.
   * @throws {Error} if too many requests of this caller wait so already.
   */
  readonly outside: <T>(act: () => Promise<T>) => Promise<T>
  /** Reads at once, or holds the request as the caller prefers. */
  readonly hold: <T>(key: string, call: HeldCall<T>) => Promise<T>
}

/** A read that can be held. */
export interface HeldCall<T> extends Pick<HoldableRead<T>, 'read' | 'changesAt'> {
  /** The user it is about: the number of held reads per user is limited. */
  readonly userOf: (value: T) => string
}

/** Array bodies can be long, so they are parsed in batches. */
type ParsedBody<E> = E extends { readonly body: z.ZodArray<infer Row> }
  ? { readonly rows: readonly z.output<Row>[] }
  : Parsed<E, 'body'>

type Parsed<E, K extends keyof Endpoint> = E extends { readonly [key in K]: z.ZodType } ? z.output<E[K]> : unknown

/** A file that is not read yet: reading it rejects if it is too large, or if the caller is gone. */
type FileInput<E> = E extends { readonly file: FileBody } ? { readonly file: AsyncIterable<Uint8Array> } : unknown

/** Parameters, query, headers and body, validated, in one object. */
export type Input<E extends Endpoint> = Parsed<E, 'params'> &
  Parsed<E, 'query'> &
  Parsed<E, 'headers'> &
  ParsedBody<E> &
  FileInput<E>

/** The result of a handler, before it is filtered by the contract. */
export type Output<E extends Endpoint> = E extends { readonly media: 'image/png' }
  ? NamedImage
  : E extends { readonly media: 'text/event-stream'; readonly response: z.ZodType }
    ? EventSource<z.input<E['response']>>
    : E extends { readonly media: FileMedia }
      ? FileOutput
      : JsonOutput<E>

/** A file that is sent while it is read. */
export interface FileOutput {
  /** A file name such as `audit.csv`. */
  readonly name: string
  readonly content: AsyncIterable<string>
}

type JsonOutput<E extends Endpoint> = E extends { readonly response: z.ZodType } ? z.input<E['response']> : void

export type Handler<E extends Endpoint> = (input: Input<E>, call: Call) => Promise<Output<E>>

/** A handler with a preparation before the body is read. */
export type PreparedHandler<E extends Endpoint, P> = (input: Input<E>, call: Call, prepared: P) => Promise<Output<E>>

/** Runs when the head of a request has arrived and its body is not read yet. */
export type Prepare<E extends Endpoint, P> = (params: Parsed<E, 'params'>, call: Call) => Promise<P>

/** An endpoint and its implementation. */
export interface Route {
  readonly endpoint: Endpoint
  readonly run: (request: RouteInput, call: Call) => Promise<unknown>
}

/** The caller's input, not validated. */
export interface RouteInput {
  readonly params: unknown
  readonly query: unknown
  /** The headers of the endpoint, by their members. */
  readonly headers?: unknown
  /** Read only if the endpoint has a body. */
  readonly body: () => Promise<unknown>
  /** The elements of an array body, in batches; if absent, `body` is read in one piece. */
  readonly rows?: () => Promise<Iterable<readonly unknown[]>>
  /** Called with each body, or each row of one, that its schema accepted. */
  readonly accepted?: (schema: z.ZodType, value: unknown) => void
  /** The body of an endpoint with a file. */
  readonly file?: (file: FileBody) => AsyncIterable<Uint8Array>
  /** With an `Idempotency-Key`: runs the handler, unless the same input was answered before. */
  readonly once?: <T>(input: unknown, run: (memory: AnswerMemory) => Promise<T>) => Promise<T>
}

export function route<E extends Endpoint>(endpoint: E, handle: Handler<E>): Route {
  return preparedRoute(endpoint, () => Promise.resolve(undefined), handle)
}

/** A route with a preparation before the body is read. */
export function preparedRoute<E extends Endpoint, P>(
  endpoint: E,
  prepare: Prepare<E, P>,
  handle: PreparedHandler<E, P>,
): Route {
  return {
    endpoint,
    async run(request, call) {
      const head = parseHead(endpoint, request)
      try {
        const prepared = await prepare(head as Parsed<E, 'params'>, call)
        const input = { ...head, ...(await parseContent(endpoint, request, call.version)) } as Input<E>
        const answer = request.once
          ? await request.once(input, (memory) => handle(input, { ...call, memory }, prepared))
          : await handle(input, call, prepared)
        return filter(endpoint, answer, call.version)
      } catch (error) {
        throw declared(endpoint, error)
      }
    },
  }
}

function parseHead(endpoint: Endpoint, request: RouteInput): object {
  return {
    ...(endpoint.params && parse(endpoint.params, request.params, (issue) => notFound(issue))),
    ...(endpoint.query && parse(endpoint.query, request.query, (issue) => invalid(endpoint, issue))),
    ...(endpoint.headers && parse(endpoint.headers, request.headers, (issue) => invalid(endpoint, issue))),
    ...(endpoint.file && { file: request.file?.(endpoint.file) }),
  }
}

async function parseContent(endpoint: Endpoint, request: RouteInput, version: Version): Promise<object> {
  const body = version === '1.3' ? (endpoint.body13 ?? endpoint.body) : endpoint.body
  return body ? parseBody(endpoint, body, request) : {}
}

async function parseBody(endpoint: Endpoint, body: z.ZodType, request: RouteInput): Promise<object> {
  if (body instanceof z.ZodArray) return { rows: await parseRows(endpoint, body.element as z.ZodType, request) }
  return parseAccepted(body, await request.body(), request, (issue) => invalid(endpoint, issue)) as object
}

/** Lets other work run between batches. Error messages name the array by the last word of the path. */
async function parseRows(endpoint: Endpoint, schema: z.ZodType, request: RouteInput): Promise<unknown[]> {
  const name = endpoint.path.replace(/^.*\//, '')
  const rows: unknown[] = []
  for (const batch of request.rows ? await request.rows() : [(await request.body()) as unknown[]]) {
    for (const row of batch) {
      const position = `${name}[${rows.length}]`
      rows.push(parseAccepted(schema, row, request, (issue) => invalid(endpoint, issue, { name, position })))
    }
    await nextTurn()
  }
  return rows
}

function parseAccepted(
  schema: z.ZodType,
  value: unknown,
  { accepted }: RouteInput,
  problem: (mistake: Mistake) => ApiProblem,
): unknown {
  const parsed = parse(schema, value, problem)
  accepted?.(schema, value)
  return parsed
}

function parse<S extends z.ZodType>(schema: S, value: unknown, problem: (mistake: Mistake) => ApiProblem) {
  const validated = validate(schema, value)
  if (validated.success) return validated.data
  throw problem(validated.mistakes[0])
}

/** A malformed id matches nothing. */
function notFound(mistake: Mistake): ApiProblem {
  return new ApiProblem(notFoundByParam[String(mistake.path[0])] ?? 'api.error.malformed')
}

/** Names the field and what was expected. */
function invalid(
  endpoint: Endpoint,
  mistake: Mistake,
  row?: { readonly name: string; readonly position: string },
): ApiProblem {
  const code = invalidField(row?.name ?? String(mistake.path[0]))
  const place = [row?.position, ...mistake.path].filter((part) => part !== undefined).join('.')
  const message = [place, mistake.message].filter(Boolean).join(': ')
  return new ApiProblem(code && endpoint.errors.includes(code) ? code : 'api.error.malformed', message)
}

function filter(endpoint: Endpoint, output: unknown, version: Version): unknown {
  // Other media than JSON have no members to filter.
  if (endpoint.media !== undefined) return output
  return responseSchema(endpoint, version)?.parse(output)
}

/** An error code that the endpoint does not declare is an internal error. */
function declared(endpoint: Endpoint, error: unknown): unknown {
  if (!(error instanceof ApiProblem)) return error
  const codes: readonly string[] = [...endpoint.errors, ...commonErrors]
  if (codes.includes(error.code)) return error
  return new ApiProblem('api.error.internal', undefined, {
    cause: new Error(`${endpoint.method} ${endpoint.path} does not declare ${error.code}`, { cause: error }),
  })
}
