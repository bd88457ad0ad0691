import { DeviceError, type DeviceErrorCode } from '../../device/device-error.ts'
import { explain as explainFailure, exitCode, Failure, withErrorHandling } from '../terminal/failure.ts'

/** Wraps the action of a device command: an error of the service becomes one line on stderr. */
export const deviceAction = <A extends unknown[]>(action: (...args: A) => Promise<void>) =>
  withErrorHandling((...args: A) =>
    action(...args).catch((error: unknown) => {
      throw asFailure(error)
    }),
  )

/** One line, without secrets and without a stack. */
export const explain = (error: unknown): string => explainFailure(asFailure(error))

function asFailure(error: unknown): unknown {
  return error instanceof DeviceError ? new Failure(sentenceFor(error), exitCode.failed, { cause: error }) : error
}

function sentenceFor({ code, triesLeft }: DeviceError): string {
  if (triesLeft === undefined) return sentences[code] ?? `The service returned an error: ${code}. Try again.`
  const triesText = triesLeft === 1 ? 'One try is' : `${triesLeft} tries are`
  return `Wrong PIN or passcode. ${triesText} left before the account is removed.`
}

const unreachable = "The service isn't responding. Check the address and the connection, then try again."

const sentences: Partial<Record<DeviceErrorCode, string>> = {
  network: unreachable,
  timeout: unreachable,
  bad_response:
    "The server at this address isn't a second-factor service. Check the address. That of an app ends with /mfa.",
  'api.error.unavailable': "The service isn't ready. Try again in a moment.",
  'api.error.internal': 'The service reported an internal error. Try again in a moment.',
  'api.error.invalid.code': 'Invalid activation code: expected 10 letters and digits. Check the code.',
  'api.error.invalid.pin': "This PIN or passcode can't be used. Choose another one.",
  'api.error.notfound.activationcode':
    'Unknown activation code: it may be mistyped, used or expired. Check it, or get a new one on the web page.',
  'api.error.toomanyrequests': 'Too many attempts. Wait a few minutes, then try again.',
  'api.error.device.clock': 'The clock of this machine is wrong. Set it, then try again.',
  'api.error.device.revoked': 'Your organization removed this account. To add it again, activate a new code.',
  'api.error.device.moved': 'This account was moved to another device. Remove it here: second-factor device remove',
  'api.error.device.unknown': "The service doesn't know this account. To add it again, activate a new code.",
  'api.error.conflict.state': 'The request was already answered or has expired. Start again on the web page.',
  'api.error.notfound.approval': 'The action no longer waits for your answer.',
  'api.error.notfound.session': 'The request no longer exists. Start again on the web page.',
}
