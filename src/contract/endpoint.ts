import { z } from 'zod'

import type { AdminAccess } from './roles.ts'
import { invalidField, notFoundByParam } from './errors.ts'
import type { ErrorCode } from './errors.ts'
import { Id } from './text.ts'

/** The versions of the interface that a caller can request; see `media-type.ts`. */
export type Version = '1.3' | '1.4'

/** The types of files that are sent while they are read: CSV (RFC 4180), and JSON lines. */
export type FileMedia = 'text/csv' | 'application/jsonl'

export const isFile = (media: Endpoint['media']): media is FileMedia =>
  media === 'text/csv' || media === 'application/jsonl'

/**
 * One operation of the REST interface, as plain data. The client method, the route, the OpenAPI document and the contract
 * tests are derived from it. Schemas describe version 1.4; members that end in `13` describe 1.3 where it differs.
 */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path below the base path, with a `:name` for each of `params`. */
  readonly path: `/${string}`
  /** One line for the reference page. */
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  /** Members of the request that are secret, so that no address contains them: `key` is the header `X-Key`. */
  readonly headers?: z.ZodObject
  readonly body?: z.ZodType
  /** The body is a file, which is read while it arrives. */
  readonly file?: FileBody
  /** The body that 1.3 accepts, where 1.4 accepts more. */
  readonly body13?: z.ZodType
  /** Absent: the response is 200 without content. */
  readonly response?: z.ZodType
  /** The filter for 1.3 responses: undeclared members are removed. `none`: in 1.3, the response has no content. */
  readonly response13?: z.ZodType | 'none'
  /**
   * The type of a response that is not JSON: bytes, an event stream (WHATWG HTML section 9.2) of `response` values, or a file
   * that is sent while it is read.
   */
  readonly media?: 'image/png' | 'text/event-stream' | FileMedia
  /** The largest body, bytes; 1 MiB by default. */
  readonly bodyLimit?: number
  /** Keys of this role may call it, too; without it only keys of administrators. */
  readonly role?: 'auth'
  /** An operation of the console: which administrators may call it. API keys never can. */
  readonly admin?: AdminAccess
  /** It creates something: with an `Idempotency-Key`, a caller can repeat it and gets the first answer again. */
  readonly repeatable?: true
  /** Waits for a change when the caller sends `Prefer: wait=N` (RFC 7240 section 4.3). */
  readonly held?: true
  /** Error codes besides those of every operation (`commonErrors`). */
  readonly errors: readonly ErrorCode[]
  /** The operation does not exist for 1.3 callers. */
  readonly since?: '1.4'
}

export interface FileBody {
  /** Its types. No form of another site can declare one of them: `text/plain` is not one. */
  readonly media: readonly [string, ...string[]]
  /** Bytes. */
  readonly limit: number
}

/** As it is written down: without the parameters in its path, the errors for unknown ones and for wrong fields of its body. */
type Declaration = Omit<Endpoint, 'errors'> & Partial<Pick<Endpoint, 'errors'>>

type Declared<E extends Declaration> = Omit<E, 'errors'> & Pick<Endpoint, 'errors'> & PathParams<E['path']>

/** Declares an operation with the exact types of its schemas. Each `:name` of its path is an id. */
export function endpoint<const E extends Declaration>(declaration: E): Declared<E> {
  const names = [...declaration.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const params = names.length > 0 && { params: z.object(Object.fromEntries(names.map((name) => [name, Id]))) }
  const notFound = names.flatMap((name) => notFoundByParam[name] ?? [])
  const { body, headers } = declaration
  const parts = [...(body instanceof z.ZodObject ? [body] : []), ...(headers ? [headers] : [])]
  const fields = parts.flatMap(({ shape }) => Object.keys(shape))
  const invalid = fields.flatMap((name) => invalidField(name) ?? [])
  const errors = [
    ...new Set([
      ...notFound,
      ...invalid,
      ...adminErrors(declaration, names),
      ...(declaration.errors ?? []),
      ...(declaration.repeatable ? idempotencyErrors : []),
    ]),
  ]
  return Object.freeze({ ...declaration, ...params, errors }) as unknown as Declared<E>
}

const idempotencyErrors = [
  'api.error.invalid.idempotencykey',
  'api.error.conflict.idempotencykey',
  'api.error.mismatch.idempotencykey',
] as const satisfies readonly ErrorCode[]

/** The errors for administrators who are rejected for other reasons than their role. */
function adminErrors({ method, admin }: Declaration, params: readonly string[]): ErrorCode[] {
  if (!admin) return []
  const isAboutPerson = params.some((name) => name === 'userId' || name === 'administratorId')
  const isForHelpDesk = admin.role === 'helpdesk' && params.includes('userId')
  return [
    ...(admin.fresh ? (['api.error.forbidden.fresh'] as const) : []),
    ...(admin.guarded ? (['api.error.forbidden.guarded'] as const) : []),
    ...(admin.everywhere ? (['api.error.forbidden.elsewhere'] as const) : []),
    ...(isForHelpDesk && method !== 'GET' ? (['api.error.forbidden.blocked'] as const) : []),
    ...(isAboutPerson && method !== 'GET' ? (['api.error.forbidden.own'] as const) : []),
    ...(params.includes('userId') && method !== 'GET' && !admin.asks
      ? (['api.error.forbidden.sameaddress'] as const)
      : []),
  ]
}

type PathParams<P extends string> = [NameIn<P>] extends [never]
  ? unknown
  : { readonly params: z.ZodObject<Record<NameIn<P>, typeof Id>> }

type NameIn<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NameIn<Rest>
  : P extends `${string}:${infer Name}`
    ? Name
    : never

/** The response of a version; undefined for a response without content. */
export function responseSchema({ response, response13 }: Endpoint, version: Version): z.ZodType | undefined {
  if (version === '1.4') return response
  return response13 === 'none' ? undefined : (response13 ?? response)
}

type Part<E, K extends keyof Endpoint> = E extends { readonly [key in K]: z.ZodType }
  ? { [key in K]: z.input<E[K]> }
  : unknown

/** The input of an operation. */
export type EndpointInput<E extends Endpoint> = Part<E, 'params'> &
  Part<E, 'query'> &
  Part<E, 'headers'> &
  Part<E, 'body'>

/** The output of an operation. */
export type EndpointOutput<E extends Endpoint> = E extends { readonly response: z.ZodType }
  ? z.output<E['response']>
  : undefined
