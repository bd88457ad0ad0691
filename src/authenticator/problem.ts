import { DeviceError } from '../device/device-error.ts'
import { problems } from './messages.ts'

/** The sentence for a call that did not succeed. */
export function problemOf(error: unknown): string {
  if (!(error instanceof DeviceError)) return problems.unexpected
  switch (error.code) {
    case 'api.error.invalid.code':
    case 'api.error.notfound.activationcode':
      return problems.badCode
    case 'api.error.toomanyrequests':
      return problems.tooMany(error.retryAfter)
    case 'api.error.device.clock':
      return problems.clock
    case 'api.error.device.revoked':
    case 'api.error.device.unknown':
      return problems.removed
    case 'network':
      return navigator.onLine ? problems.unreachable : problems.offline
    case 'timeout':
    case 'bad_response':
    case 'api.error.internal':
    case 'api.error.unavailable':
      return problems.unreachable
    default:
      return problems.unexpected
  }
}
