import { hash } from 'node:crypto'

import { isIdempotencyKey } from '../../../contract/idempotency-key.ts'
import { ApiProblem } from '../base/problem.ts'

/** A call of a creating operation with an `Idempotency-Key`. */
export interface KeyedCall {
  readonly key: string
  readonly organizationId: string
  readonly apiKeyId: string
  /** The domain of the operation, if it has one. */
  readonly domainId: string | null
  /** The method and path of the operation. */
  readonly operation: string
  /** @throws {ApiProblem} if the API key was revoked, or may no longer call the operation. */
  readonly requireUnchanged: () => Promise<void>
}

/** @throws {ApiProblem} if it is no valid key. @returns undefined if there is none. */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && isIdempotencyKey(header)) return header
  throw new ApiProblem('api.error.invalid.idempotencykey')
}

/** The id of the answer. Equal keys of two callers, two operations or two domains are not the same key. */
export const answerId = ({ organizationId, apiKeyId, domainId, operation, key }: KeyedCall): string =>
  hash('sha256', JSON.stringify([organizationId, apiKeyId, domainId, operation, key]), 'base64url')

/** The digest of the parsed parameters and body. It is stored with the answer and sealed like it, because it is made of codes, too. */
export const inputDigest = (input: unknown): string => hash('sha256', JSON.stringify(input), 'base64url')

/** @throws {ApiProblem} for another request with the same key. */
export function requireSameInput(first: string, digest: string): void {
  if (first !== digest) throw new ApiProblem('api.error.mismatch.idempotencykey')
}

/** The draft demands 409 for a repetition while the first request is still processed (section 2.6). */
export const stillProcessed = () =>
  new ApiProblem('api.error.conflict.idempotencykey', undefined, { headers: { 'Retry-After': '1' } })
