import type { z } from 'zod'

import type { ErrorCode } from './errors.ts'

/** The interface versions a caller can ask for; see `media-type.ts`. */
export type Version = '1.3' | '1.4'

/**
 * One operation of the REST interface, as plain data. Client method, route, OpenAPI and contract
 * tests are derived from it. Schemas describe version 1.4; where 1.3 differs, a sibling says so.
 */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the base path, with `:names` that `params` declares. */
  readonly path: `/${string}`
  /** One line for the reference page. */
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** What 1.3 accepts, where 1.4 accepts more. */
  readonly body13?: z.ZodType
  /** Absent: the operation answers 200 without content. */
  readonly response?: z.ZodType
  /** The filter a 1.3 answer passes through: what is not declared here does not leave. */
  readonly response13?: z.ZodType
  /** Answers this instead of JSON: bytes, or an event stream (WHATWG HTML section 9.2) of `response` values. */
  readonly media?: 'image/png' | 'text/event-stream'
  /** The largest body, bytes; 1 MiB where nothing else is said. */
  readonly bodyLimit?: number
  /** Who may call it beside administrators: keys of role `auth`. */
  readonly role?: 'auth'
  /** Waits for news where the caller asks for it by `Prefer: wait=N` (RFC 7240 section 4.3). */
  readonly held?: true
  /** What can go wrong beyond what can go wrong anywhere (`commonErrors`). */
  readonly errors: readonly ErrorCode[]
  /** Operations that 1.3 callers do not see. */
  readonly since?: '1.4'
}

/** Declares an operation, keeping the exact types of its schemas. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return Object.freeze(declaration)
}

type Part<E, K extends keyof Endpoint> = E extends { readonly [key in K]: z.ZodType }
  ? { [key in K]: z.input<E[K]> }
  : unknown

/** What a caller of the operation gives. */
export type EndpointInput<E extends Endpoint> = Part<E, 'params'> & Part<E, 'query'> & Part<E, 'body'>

/** What a caller of the operation gets. */
export type EndpointOutput<E extends Endpoint> = E extends { readonly response: z.ZodType }
  ? z.output<E['response']>
  : undefined
