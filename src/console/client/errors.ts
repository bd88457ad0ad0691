import type { ErrorCode } from '../../contract/errors.ts'

/** The service refused a call. */
export class ApiError extends Error {
  readonly code: ErrorCode | undefined
  readonly status: number
  /** Seconds to wait before the next try, if the service says so. */
  readonly retryAfter: number | undefined
  /** What the service says about it, in English. */
  readonly detail: string | undefined

  constructor(status: number, { code, message }: { code?: ErrorCode; message?: string } = {}, retryAfter?: number) {
    super(code ?? `status ${status}`)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.detail = message
    this.retryAfter = retryAfter
  }
}

/** There was no usable answer: no connection, or the service is down. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super('no usable answer', { cause })
    this.name = 'UnreachableError'
  }
}

/** The browser did not complete a passkey ceremony. */
export class PasskeyError extends Error {
  /** `canceled`: the person, or a timeout. `present`: the device has a passkey of this account already. */
  readonly reason: 'canceled' | 'present'

  constructor(reason: 'canceled' | 'present', cause: unknown) {
    super(reason, { cause })
    this.name = 'PasskeyError'
    this.reason = reason
  }
}

export const hasCode = (error: unknown, code: ErrorCode): boolean => error instanceof ApiError && error.code === code

/** Seconds to wait before the next try, if the service said so. */
export const retryAfterOf = (error: unknown): number | undefined =>
  error instanceof ApiError ? error.retryAfter : undefined
