import type { Answered } from '../contract/device.ts'
import { DeviceError } from '../device/device-error.ts'
import type { Outcome } from './screens/outcome.tsx'

/** What an answer led to. */
export function outcomeOf(answered: Answered): Outcome {
  if (answered.state === 'approved') return 'approved'
  if (answered.state === 'expired') return 'expired'
  if (answered.state === 'cancelled') return 'gone'
  if (answered.reason === 'wrong_number') return 'wrongNumber'
  return answered.reason === 'reported' ? 'reported' : 'denied'
}

/** What became of a request that could not be answered; undefined when another try makes sense. */
export function outcomeOfError(error: unknown, withPin: boolean): Outcome | undefined {
  if (!(error instanceof DeviceError)) return undefined
  switch (error.code) {
    case 'api.error.conflict.state':
    case 'api.error.notfound.session':
      return 'gone'
    case 'api.error.device.moved':
      return 'moved'
    // The service says no more than that; with a PIN it was the last try.
    case 'api.error.device.revoked':
      return withPin ? 'locked' : 'removed'
    default:
      return undefined
  }
}
