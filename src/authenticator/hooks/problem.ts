import { passcodeLength, type PinProblem } from '../../contract/pin.ts'
import { DeviceError } from '../../device/device-error.ts'
import type { Words } from '../texts/en.ts'

/** The message for a failed call. */
export function problemOf(error: unknown, words: Words): string {
  if (error instanceof DOMException && error.name === 'QuotaExceededError') return words.noSpace
  if (!(error instanceof DeviceError)) return words.unexpected
  switch (error.code) {
    case 'api.error.invalid.code':
    case 'api.error.notfound.activationcode':
      return words.badCode
    case 'api.error.invalid.pin':
      return error.triesLeft === undefined ? words.wrongPin : words.triesLeft(error.triesLeft)
    case 'api.error.toomanyrequests':
      return words.tooMany(Math.max(1, Math.ceil((error.retryAfter ?? 60) / 60)))
    case 'api.error.device.clock':
      return words.clock
    case 'api.error.device.moved':
      return words.movedAway
    case 'api.error.device.revoked':
    case 'api.error.device.unknown':
      return words.removed
    case 'network':
      return navigator.onLine ? words.unreachableNow : words.offlineNow
    case 'timeout':
    case 'bad_response':
    case 'api.error.internal':
    case 'api.error.unavailable':
      return words.unreachableNow
    default:
      return words.unexpected
  }
}

/** The message for a new PIN or passcode that is not allowed. */
export function pinProblemOf(problem: PinProblem, keyType: 'PIN' | 'PASSCODE', words: Words): string {
  if (problem === 'guessable') return words.guessable
  return keyType === 'PIN' ? words.pinForm : words.passcodeForm(passcodeLength.min, passcodeLength.max)
}
