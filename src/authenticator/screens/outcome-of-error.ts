import { DeviceError } from '../../device/device-error.ts'
import type { Outcome } from './outcome.tsx'

/** The outcome of a failed answer; undefined when a retry makes sense. */
export function outcomeOfError(error: unknown, withPin: boolean): Outcome | undefined {
  if (!(error instanceof DeviceError)) return undefined
  switch (error.code) {
    case 'api.error.conflict.state':
    case 'api.error.notfound.session':
    case 'api.error.notfound.callerverification':
    case 'api.error.notfound.approval':
      return 'gone'
    case 'api.error.device.moved':
      return 'moved'
    // The service does not say why. With a PIN, it was the last attempt.
    case 'api.error.device.revoked':
      return withPin ? 'locked' : 'removed'
    default:
      return undefined
  }
}
