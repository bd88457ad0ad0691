import type { ErrorCode } from '../contract/errors.ts'
import type { Unprocessed } from '../contract/unprocessed.ts'

/** The service returned an error. Switch on `code`; the message is for people and may change. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ErrorCode
  /** HTTP status of the response. */
  readonly status: number
  /** Seconds until a retry makes sense, where the service named them. */
  readonly retryAfter: number | undefined
  /** Why the service did not process the call at all, where it said so: it was closing, or overloaded. */
  readonly unprocessed: Unprocessed | undefined
  /** `unknown`: the service does not know whether the call has changed something. */
  readonly outcome: 'unknown' | undefined

  constructor(answer: {
    code: ErrorCode
    status: number
    message: string
    retryAfter?: number | undefined
    unprocessed?: Unprocessed | undefined
    outcome?: 'unknown' | undefined
  }) {
    super(answer.message)
    this.unprocessed = answer.unprocessed
    this.outcome = answer.outcome
    this.code = answer.code
    this.status = answer.status
    this.retryAfter = answer.retryAfter
  }
}

/** There was no usable response: no connection, a timeout, or a response that does not follow the interface. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  /** `no_room`: the call was not sent, as too many others were in flight. */
  readonly reason: 'network' | 'timeout' | 'bad_response' | 'no_room'
  /** Seconds until a retry makes sense, where that is known. */
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
