import { queryString } from '../contract/query-string.ts'
import type { z } from 'zod'

import type { Endpoint } from '../contract/endpoint.ts'
import { newIdempotencyKey } from './keyed-calls.ts'

/** The input of an operation, whichever it is. */
export type CallInput = { params?: unknown; query?: unknown; body?: unknown }

/** An operation with its input, as it is sent. */
export interface DescribedCall {
  readonly path: string
  readonly body: unknown
  /** The same each time that the call is sent. */
  readonly idempotencyKey?: string | undefined
}

/** @throws {TypeError} when the input does not match the schema of the operation. */
export function describeCall(endpoint: Endpoint, input: CallInput): DescribedCall {
  const params = check(endpoint, endpoint.params, input.params)
  const query = check(endpoint, endpoint.query, input.query)
  check(endpoint, endpoint.body, input.body)
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  return { path: path + queryString(query), body: input.body, idempotencyKey: newIdempotencyKey(endpoint) }
}

function check(endpoint: Endpoint, schema: z.ZodType | undefined, value: unknown): Record<string, unknown> {
  if (!schema) return {}
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data as Record<string, unknown>
  const issue = parsed.error.issues[0]
  // Names the field and the rule, never the value, which may be a code.
  throw new TypeError(
    `${endpoint.method} ${endpoint.path}: ${issue?.path.join('.') || 'input'} ${issue?.message ?? ''}`,
  )
}
