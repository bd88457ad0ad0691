import type { ErrorCode } from '../contract/errors.ts'
import type { Unprocessed } from '../contract/unprocessed.ts'

/** The service said no. Switch on `code`; the message is for people and may change. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  /** HTTP status of the answer. */
  readonly status: number
  /** Seconds until another try makes sense, where the service said so. */
  readonly retryAfter: number | undefined

  /** Why the service did nothing for the call, where it said so: it was about to end, or had too many requests. */
  readonly unprocessed: Unprocessed | undefined

  constructor(answer: {
    code: ErrorCode
    status: number
    message: string
    retryAfter?: number | undefined
    unprocessed?: Unprocessed | undefined
  }) {
    super(answer.message)
    this.unprocessed = answer.unprocessed
    this.code = answer.code
    this.status = answer.status
    this.retryAfter = answer.retryAfter
  }
}

/** There was no usable answer: no connection, none in time, or one that does not speak the interface. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  /** `no_room`: so many calls were under way already that the service was not even asked. */
  readonly reason: 'network' | 'timeout' | 'bad_response' | 'no_room'
  /** Seconds until another try makes sense, where that is known. */
  readonly retryAfter: number | undefined

  constructor(
    reason: UnreachableError['reason'],
    message: string,
    options: ErrorOptions & { readonly retryAfter?: number } = {},
  ) {
    super(message, options)
    this.reason = reason
    this.retryAfter = options.retryAfter
  }
}
