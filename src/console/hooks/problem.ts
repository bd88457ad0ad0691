import { ApiError, PasskeyError, UnreachableError } from '../client/errors.ts'
import { ToldError } from './told-error.ts'
import type { Words } from '../texts/en.ts'
import { useWords } from '../words/speech.tsx'

/** The message for a failed call; undefined where another screen says it. */
function problemOf(error: unknown, words: Words): string | undefined {
  if (error instanceof ToldError) return error.text
  if (error instanceof UnreachableError) return navigator.onLine ? words.unreachable : words.offline
  if (error instanceof PasskeyError) return error.reason === 'present' ? words.passkeyPresent : words.passkeyCanceled
  if (!(error instanceof ApiError)) return words.unexpected
  switch (error.code) {
    case 'api.error.unauthorized':
      return undefined
    case 'api.error.forbidden':
      return words.notAllowed
    case 'api.error.forbidden.own':
      return words.ownRecord
    case 'api.error.forbidden.sameaddress':
      return words.sameAddress
    case 'api.error.forbidden.guarded':
      return words.consentOver
    case 'api.error.forbidden.blocked':
      return words.caller.blockedNow
    case 'api.error.forbidden.elsewhere':
      return words.elsewhereProblem
    case 'api.error.notfound.hardware':
    case 'api.error.conflict.hardware':
      return words.noSuchHardware
    case 'api.error.invalid.serialnumber':
      return words.enterSerial
    case 'api.error.invalid.otp':
      return words.stock.wrongCodes
    case 'api.error.limit.people':
      return words.bulk.tooMany
    case 'api.error.conflict.people':
      return words.tooLate
    case 'api.error.limit.bypasscodes':
      return words.tooManyCodes
    case 'api.error.notfound.user':
    case 'api.error.notfound.token':
    case 'api.error.notfound.passkey':
    case 'api.error.notfound.administrator':
    case 'api.error.notfound.domain':
    case 'api.error.notfound.apikey':
    case 'api.error.notfound.bulkjob':
    case 'api.error.notfound.oidcclient':
      return words.goneNow
    case 'api.error.notfound.invitation':
      return words.invitationOver
    case 'api.error.invalid.name':
      return words.badName
    case 'api.error.invalid.email':
      return words.badEmail
    case 'api.error.conflict.state':
      return words.tooLate
    case 'api.error.conflict.email':
      return words.mail.noAddress
    case 'api.error.conflict.device':
      return words.mail.hasDevice
    case 'api.error.unavailable.mail':
      return words.mail.notSent
    case 'api.error.unavailable.authenticator':
      return words.mail.noAuthenticator
    case 'api.error.conflict.passkey':
      return words.passkeyPresent
    case 'api.error.limit.passkeys':
      return words.tooManyPasskeys
    case 'api.error.invalid.response':
      return words.passkeyUnknown
    case 'api.error.toomanyrequests':
      return words.tooMany(Math.max(1, Math.ceil((error.retryAfter ?? 60) / 60)))
    case 'api.error.unavailable.passkeys':
      return words.passkeysMissing
    case 'api.error.internal':
    case 'api.error.unavailable':
      return words.unreachable
    default:
      return words.unexpected
  }
}

export function useProblem(): (error: unknown) => string | undefined {
  const words = useWords()
  return (error) => problemOf(error, words)
}
