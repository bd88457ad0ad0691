import { errorStatus } from '../../../contract/errors.ts'
import type { ErrorCode } from '../../../contract/errors.ts'

/** An error for the caller. Every other error that is thrown becomes `internal`. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly code: ErrorCode
  readonly status: number
  /** Response headers, such as Retry-After. */
  readonly headers: Readonly<Record<string, string>>
  /** PIN attempts left, for the response. */
  readonly triesLeft: number | undefined
  /** Whether the change may have been made nevertheless. */
  readonly outcome: 'unknown' | undefined

  /** @param message Says what was expected, and never repeats the value, which may be a secret. */
  constructor(
    code: ErrorCode,
    message: string = messageOf(code),
    options: { headers?: Record<string, string>; cause?: unknown; triesLeft?: number; outcome?: 'unknown' } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = errorStatus[code]
    this.headers = options.headers ?? {}
    this.triesLeft = options.triesLeft
    this.outcome = options.outcome
  }
}

/** A limit that a caller has reached, and until when. */
export interface Reached {
  /** A limit such as `at most 100 event streams for each API key`. */
  readonly limit: string
  /** Seconds until it ends. */
  readonly wait: number
  /** Unix time, seconds. */
  readonly now: number
}

/** A problem that says when to try again. */
export function tooManyRequests({ limit, wait, now }: Reached, headers: Record<string, string> = {}): ApiProblem {
  const message = `Too many requests: ${limit}. Try again ${timeText(now + wait)}.`
  return new ApiProblem('api.error.toomanyrequests', message, { headers: { ...headers, 'Retry-After': String(wait) } })
}

/** Returns a time such as `at 2026-11-22T06:30:00Z`. @param seconds Unix time. */
export const timeText = (seconds: number): string =>
  `at ${new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')}`

/** The default message of an error code. */
export function messageOf(code: ErrorCode): string {
  const field = /^api\.error\.invalid\.(\w+)$/.exec(code)?.[1]
  return messages[code] ?? (field ? `${field}: invalid value` : code)
}

type Invalid = Extract<ErrorCode, `api.error.invalid.${string}`>

const messages: Readonly<Record<Exclude<ErrorCode, Invalid>, string> & Partial<Record<Invalid, string>>> = {
  'api.error.malformed': 'The request is malformed.',
  'api.error.invalid.page': 'page: expected a number from 1.',
  'api.error.invalid.idempotencykey': 'Idempotency-Key: expected 1 to 255 visible ASCII characters.',
  'api.error.unauthorized': 'A valid API key is required.',
  'api.error.device.unknown': 'No such device.',
  'api.error.device.clock': "The device's clock is wrong.",
  'api.error.device.replayed': 'This call has already been used.',
  'api.error.device.revoked': 'The device was removed.',
  'api.error.device.moved': 'The device was replaced by another one.',
  'api.error.forbidden': 'This is not allowed.',
  'api.error.forbidden.fresh': 'Use your passkey again to make changes.',
  'api.error.forbidden.guarded': 'Verify the caller, or ask another administrator to consent to this first.',
  'api.error.forbidden.elsewhere':
    'This counts in every domain of the person, and you do not manage all of them. Ask an administrator who does.',
  'api.error.forbidden.sameaddress':
    'This person has your e-mail address. Ask another administrator to consent to this first, or an owner to say whose record it is.',
  'api.error.forbidden.own': 'You cannot do this to your own record. Ask another administrator.',
  'api.error.forbidden.requester':
    'The person has blocked this requester for a day, because they did not ask for what it asked. They can lift that on their device.',
  'api.error.forbidden.blocked':
    'The person answered No to the help desk within 24 hours. Ask an administrator of role admin or owner.',
  'api.error.notfound.operation': 'No such operation.',
  'api.error.notfound.user': 'No such user.',
  'api.error.notfound.domain': 'No such domain.',
  'api.error.notfound.token': 'No such token.',
  'api.error.notfound.session': 'No such session.',
  'api.error.notfound.approval': 'No such approval.',
  'api.error.notfound.oidcclient': 'No such OpenID client.',
  'api.error.notfound.hardware': 'No such hardware token.',
  'api.error.notfound.bypasscode': 'No such bypass code.',
  'api.error.notfound.browser': 'No such browser, or it has been forgotten.',
  'api.error.notfound.passkey': 'No such passkey.',
  'api.error.notfound.activationcode': 'No such activation code.',
  'api.error.notfound.administrator': 'No such administrator.',
  'api.error.notfound.bulkjob': 'No such job, or it was deleted after 30 days.',
  'api.error.conflict.people': 'The number of people is not the one of the preview.',
  'api.error.limit.people': 'Too many people at once. Narrow the selection.',
  'api.error.notfound.consent': 'No such request for consent, or it has expired.',
  'api.error.notfound.callerverification': 'No such verification, or its outcome no longer stands.',
  'api.error.notfound.apikey': 'No such API key.',
  'api.error.notfound.invitation': 'No such invitation: it was used, withdrawn or has expired.',
  'api.error.methodnotallowed': 'The operation does not support this method.',
  'api.error.notacceptable': 'The requested media type or version is not available.',
  'api.error.timeout': 'The request took too long to arrive.',
  'api.error.conflict.username': 'The username is taken.',
  'api.error.conflict.similarusername': 'The username could be mistaken for another one.',
  'api.error.conflict.serialnumber': 'The serial number is taken.',
  'api.error.conflict.hardware': 'The token belongs to another user, or the user has a different one.',
  'api.error.conflict.emailotpenabled': 'The domain does not allow e-mailed codes.',
  'api.error.conflict.passkey': 'The passkey is registered already.',
  'api.error.conflict.email': 'The person has no e-mail address. Enter one first.',
  'api.error.conflict.device':
    'The person has a device in this domain, and no mail replaces one. Revoke a lost device first, or show a link.',
  'api.error.conflict.idempotencykey':
    'Idempotency-Key: the first request with this key is still being processed. Repeat this one in a moment.',
  'api.error.mismatch.idempotencykey':
    'Idempotency-Key: this key was used for a different request. Use a new key for each request that is not a repetition.',
  'api.error.limit.bypasscodes': 'The user already has the maximum of 5 bypass codes.',
  'api.error.limit.passkeys': 'The user already has the maximum of 10 passkeys.',
  'api.error.conflict.enrolled': 'The user already had a factor.',
  'api.error.precondition': "If-Match: the version of the domain's users has changed.",
  'api.error.conflict.pass': 'The session does not allow this change. The user must pass the second step for it again.',
  'api.error.conflict.state': 'Not allowed in the current state.',
  'api.error.toolarge': 'The body is too large.',
  'api.error.unsupportedmediatype': 'The body must be JSON.',
  'api.error.toomanyrequests': 'Too many requests.',
  'api.error.locked': 'Codes are temporarily locked.',
  'api.error.limit.codes': 'This challenge accepts no more codes after 5 wrong ones. Start a new one.',
  'api.error.internal': 'Unexpected error.',
  'api.error.unavailable': 'The service is not available right now.',
  'api.error.unavailable.mail': 'The mail server did not accept the e-mail.',
  'api.error.unavailable.authenticator':
    'The address of the authenticator is not set: --authenticator-url, or the option authenticatorUrl.',
  'api.error.unavailable.pskc': 'Importing PSKC needs the package sax, which is not installed.',
  'api.error.unavailable.passkeys': 'Passkeys need the package @simplewebauthn/server, which is not installed.',
}
