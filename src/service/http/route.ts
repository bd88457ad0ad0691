import { z } from 'zod'

import { commonErrors, isErrorCode, notFoundByParam } from '../../contract/errors.ts'
import type { Endpoint, Version } from '../../contract/endpoint.ts'
import type { ServiceContext } from '../context.ts'
import { ApiProblem } from '../problem.ts'
import type { EventSource } from './event-stream.ts'
import type { NamedImage } from '../rules/image.ts'

/** The service, as one call of one caller sees it. */
export interface Call extends ServiceContext {
  /** Whose API key the call carries: nothing of anybody else exists for it. */
  readonly organizationId: string
  /** What the key may do; `rest.ts` has seen to it that it may call this operation. */
  readonly role: 'admin' | 'auth'
  /** The only domain the key is good for; null: all of the organization. */
  readonly limitedTo: string | null
  readonly version: Version
  /** Path of the operation as the caller sees it, for links. */
  readonly path: string
  readonly setHeader: (name: string, value: string) => void
  /** Reads at once, or is held as the caller prefers. */
  readonly hold: <T>(key: string, read: () => Promise<T>, changesAt: (value: T) => number | undefined) => Promise<T>
}

/** A body that is an array is read some rows at a time, as it may be long. */
type ParsedBody<E> = E extends { readonly body: z.ZodArray<infer Row> }
  ? { readonly rows: readonly z.output<Row>[] }
  : Parsed<E, 'body'>

type Parsed<E, K extends keyof Endpoint> = E extends { readonly [key in K]: z.ZodType } ? z.output<E[K]> : unknown

/** Parameters, query and body, checked, in one object. */
export type Input<E extends Endpoint> = Parsed<E, 'params'> & Parsed<E, 'query'> & ParsedBody<E>

/** What the handler answers, before the contract has filtered it. */
export type Output<E extends Endpoint> = E extends { readonly media: 'image/png' }
  ? NamedImage
  : E extends { readonly media: 'text/event-stream'; readonly response: z.ZodType }
    ? EventSource<z.input<E['response']>>
    : JsonOutput<E>

type JsonOutput<E extends Endpoint> = E extends { readonly response: z.ZodType } ? z.input<E['response']> : void

export type Handler<E extends Endpoint> = (input: Input<E>, call: Call) => Promise<Output<E>>

/** An endpoint with what it does. */
export interface Route {
  readonly endpoint: Endpoint
  readonly run: (given: Given, call: Call) => Promise<unknown>
}

/** What the caller sent, unchecked. */
export interface Given {
  readonly params: unknown
  readonly query: unknown
  /** Read only where the endpoint wants one. */
  readonly body: () => Promise<unknown>
  /** The same where it is an array, some elements at a time; without it, in one piece. */
  readonly rows?: () => Promise<Iterable<readonly unknown[]>>
}

export function route<E extends Endpoint>(endpoint: E, handle: Handler<E>): Route {
  return {
    endpoint,
    async run(given, call) {
      const input = (await parseInput(endpoint, given, call.version)) as Input<E>
      try {
        return filter(endpoint, await handle(input, call), call.version)
      } catch (error) {
        throw declared(endpoint, error)
      }
    },
  }
}

async function parseInput(endpoint: Endpoint, given: Given, version: Version): Promise<object> {
  const body = version === '1.3' ? (endpoint.body13 ?? endpoint.body) : endpoint.body
  return {
    ...(endpoint.params && parse(endpoint.params, given.params, (issue) => notFound(issue))),
    ...(endpoint.query && parse(endpoint.query, given.query, (issue) => invalid(endpoint, issue))),
    ...(body && (await parseBody(endpoint, body, given))),
  }
}

async function parseBody(endpoint: Endpoint, body: z.ZodType, given: Given): Promise<object> {
  if (body instanceof z.ZodArray) return { rows: await parseRows(endpoint, body.element as z.ZodType, given) }
  return parse(body, await given.body(), (issue) => invalid(endpoint, issue)) as object
}

/** Whoever else wants something has a turn in between. Named by the thing they are: the last word of the path. */
async function parseRows(endpoint: Endpoint, schema: z.ZodType, given: Given): Promise<unknown[]> {
  const name = endpoint.path.replace(/^.*\//, '')
  const rows: unknown[] = []
  for (const some of given.rows ? await given.rows() : [(await given.body()) as unknown[]]) {
    for (const row of some) {
      const position = `${name}[${rows.length}]`
      rows.push(parse(schema, row, (issue) => invalid(endpoint, issue, { name, position })))
    }
    await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  return rows
}

function parse<S extends z.ZodType>(schema: S, value: unknown, problem: (issue: z.core.$ZodIssue) => ApiProblem) {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw issue ? problem(issue) : new ApiProblem('api.error.malformed')
}

/** What is not even an id names nothing. */
function notFound(issue: z.core.$ZodIssue): ApiProblem {
  return new ApiProblem(notFoundByParam[String(issue.path[0])] ?? 'api.error.malformed')
}

/** Says which field, and what is expected there; Zod's messages do not quote what was given. */
function invalid(
  endpoint: Endpoint,
  issue: z.core.$ZodIssue,
  row?: { readonly name: string; readonly position: string },
): ApiProblem {
  const code = `api.error.invalid.${row?.name ?? String(issue.path[0]).toLowerCase()}`
  const place = [row?.position, ...issue.path].filter((part) => part !== undefined).join('.')
  const message = [place, issue.message].filter(Boolean).join(': ')
  const known = isErrorCode(code) && endpoint.errors.includes(code)
  return new ApiProblem(known ? code : 'api.error.malformed', message)
}

function filter(endpoint: Endpoint, output: unknown, version: Version): unknown {
  // What is no JSON has no members that could be too many.
  if (endpoint.media !== undefined) return output
  const schema = version === '1.3' ? (endpoint.response13 ?? endpoint.response) : endpoint.response
  return schema?.parse(output)
}

/** A code that the endpoint does not declare is a mistake of ours, and none of the caller's business. */
function declared(endpoint: Endpoint, error: unknown): unknown {
  if (!(error instanceof ApiProblem)) return error
  const codes: readonly string[] = [...endpoint.errors, ...commonErrors]
  if (codes.includes(error.code)) return error
  return new ApiProblem('api.error.internal', undefined, {
    cause: new Error(`${endpoint.method} ${endpoint.path} does not declare ${error.code}`, { cause: error }),
  })
}
