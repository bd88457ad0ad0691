import type { ErrorCode } from '../contract/errors.ts'

/** What the service said, or `network`, `timeout`, `bad_response` where it said nothing usable. */
export type DeviceErrorCode = ErrorCode | 'network' | 'timeout' | 'bad_response'

/** A call that did not succeed. Switch on `code`; the message is for logs. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError'
  readonly code: DeviceErrorCode
  /** Seconds to let pass before the next try, where the service named them. */
  readonly retryAfter: number | undefined
  /** Unix time, seconds, at the service as it answered. */
  readonly serviceTime: number | undefined
  /** With `api.error.invalid.pin`: how often another one may be tried. */
  readonly triesLeft: number | undefined

  constructor(code: DeviceErrorCode, message: string, details: DeviceErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.retryAfter = details.retryAfter
    this.serviceTime = details.serviceTime
    this.triesLeft = details.triesLeft
  }
}

export interface DeviceErrorDetails {
  readonly cause?: unknown
  readonly retryAfter?: number | undefined
  readonly serviceTime?: number | undefined
  readonly triesLeft?: number | undefined
}

/** The service no longer knows the device: the account is of no more use. */
export function isGone(error: unknown): boolean {
  return error instanceof DeviceError && gone.has(error.code)
}

const gone: ReadonlySet<DeviceErrorCode> = new Set([
  'api.error.device.revoked',
  'api.error.device.moved',
  'api.error.device.unknown',
])

/** Nothing usable came back; the same call may work in a moment. */
export function isPassing(error: unknown): boolean {
  return error instanceof DeviceError && passing.has(error.code)
}

const passing: ReadonlySet<DeviceErrorCode> = new Set([
  'network',
  'timeout',
  'bad_response',
  'api.error.internal',
  'api.error.unavailable',
  'api.error.toomanyrequests',
])
