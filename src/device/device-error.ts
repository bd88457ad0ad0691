import type { ErrorCode } from '../contract/errors.ts'

/** The error code of the service, or `network`, `timeout`, `bad_response` where there was no usable response. */
export type DeviceErrorCode = ErrorCode | 'network' | 'timeout' | 'bad_response'

/** A failed call. Switch on `code`; the message is for logs. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError'
  readonly code: DeviceErrorCode
  /** Seconds to wait before a retry, where the service named them. */
  readonly retryAfter: number | undefined
  /** The service's time of the response, Unix time, seconds. */
  readonly serviceTime: number | undefined
  /** How many attempts are left after `api.error.invalid.pin`. */
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

/** Whether the service no longer accepts the device, so that the account is useless. */
export function isGone(error: unknown): boolean {
  return error instanceof DeviceError && goneCodes.has(error.code)
}

const goneCodes: ReadonlySet<DeviceErrorCode> = new Set([
  'api.error.device.revoked',
  'api.error.device.moved',
  'api.error.device.unknown',
])

/** Whether the same call may succeed in a moment. */
export function isTransient(error: unknown): boolean {
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
