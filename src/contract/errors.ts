import { z } from 'zod'

import type { SentFactor } from './factor-descriptions.ts'

/** Every error code that the service can return, with its HTTP status. The list is closed. */
export const errorStatus = Object.freeze({
  'api.error.malformed': 400,
  'api.error.invalid.user': 400,
  'api.error.invalid.username': 400,
  'api.error.invalid.name': 400,
  'api.error.invalid.email': 400,
  'api.error.invalid.users': 400,
  'api.error.invalid.attributes': 400,
  'api.error.invalid.otp': 400,
  'api.error.invalid.bypasscode': 400,
  'api.error.invalid.ipaddress': 400,
  'api.error.invalid.challenge': 400,
  'api.error.invalid.purpose': 400,
  'api.error.invalid.redeem': 400,
  'api.error.invalid.pass': 400,
  'api.error.invalid.numbermatching': 400,
  'api.error.invalid.page': 400,
  'api.error.invalid.alias': 400,
  'api.error.invalid.serialnumber': 400,
  'api.error.invalid.type': 400,
  'api.error.invalid.timestep': 400,
  'api.error.invalid.encoding': 400,
  'api.error.invalid.password': 400,
  'api.error.invalid.algorithm': 400,
  'api.error.invalid.digits': 400,
  'api.error.invalid.period': 400,
  'api.error.invalid.counter': 400,
  'api.error.invalid.seed': 400,
  'api.error.invalid.usesallowed': 400,
  'api.error.invalid.expirationtime': 400,
  'api.error.invalid.deliverableotptype': 400,
  'api.error.invalid.code': 400,
  'api.error.invalid.nonce': 400,
  'api.error.invalid.decision': 400,
  'api.error.invalid.number': 400,
  'api.error.invalid.pin': 400,
  'api.error.invalid.push': 400,
  'api.error.invalid.rp': 400,
  'api.error.invalid.rpid': 400,
  'api.error.invalid.response': 400,
  'api.error.invalid.passkey': 400,
  'api.error.invalid.factors': 400,
  'api.error.invalid.role': 400,
  'api.error.invalid.domains': 400,
  'api.error.invalid.token': 400,
  'api.error.invalid.q': 400,
  'api.error.invalid.filter': 400,
  'api.error.invalid.because': 400,
  'api.error.invalid.operation': 400,
  'api.error.invalid.parameters': 400,
  'api.error.invalid.file': 400,
  'api.error.invalid.key': 400,
  'api.error.invalid.title': 400,
  'api.error.invalid.details': 400,
  'api.error.invalid.approvers': 400,
  'api.error.invalid.needed': 400,
  'api.error.invalid.expiresin': 400,
  'api.error.invalid.requestedby': 400,
  /** The signature of an answer, or the content in it, is not that of the approval. */
  'api.error.invalid.proof': 400,
  'api.error.invalid.after': 400,
  'api.error.invalid.days': 400,
  /** `Idempotency-Key`: not 1 to 255 visible ASCII characters. */
  'api.error.invalid.idempotencykey': 400,
  'api.error.unauthorized': 401,
  'api.error.device.unknown': 401,
  'api.error.device.clock': 401,
  'api.error.device.replayed': 401,
  'api.error.forbidden': 403,
  /** The administrator has to use the passkey again. */
  'api.error.forbidden.fresh': 403,
  /** The help desk needs the consent of another administrator. */
  'api.error.forbidden.guarded': 403,
  /** The person also belongs to domains that the administrator does not manage. */
  'api.error.forbidden.elsewhere': 403,
  /** Administrators do not act on their own record. */
  'api.error.forbidden.own': 403,
  /** The person has the administrator's e-mail address, and no owner has said whose record it is. */
  'api.error.forbidden.sameaddress': 403,
  /** The person answered No to a question of the help desk. */
  'api.error.forbidden.blocked': 403,
  /** The person said "I didn't ask for this" of an earlier request of this requester. */
  'api.error.forbidden.requester': 403,
  'api.error.device.revoked': 403,
  'api.error.device.moved': 403,
  'api.error.notfound.operation': 404,
  'api.error.notfound.user': 404,
  'api.error.notfound.domain': 404,
  'api.error.notfound.token': 404,
  'api.error.notfound.session': 404,
  'api.error.notfound.hardware': 404,
  'api.error.notfound.bypasscode': 404,
  'api.error.notfound.browser': 404,
  'api.error.notfound.passkey': 404,
  'api.error.notfound.administrator': 404,
  'api.error.notfound.invitation': 404,
  'api.error.notfound.consent': 404,
  'api.error.notfound.callerverification': 404,
  'api.error.notfound.bulkjob': 404,
  'api.error.notfound.apikey': 404,
  'api.error.notfound.approval': 404,
  'api.error.notfound.oidcclient': 404,
  'api.error.notfound.activationcode': 404,
  'api.error.methodnotallowed': 405,
  'api.error.notacceptable': 406,
  'api.error.timeout': 408,
  'api.error.conflict.username': 409,
  'api.error.conflict.similarusername': 409,
  'api.error.conflict.serialnumber': 409,
  'api.error.conflict.hardware': 409,
  'api.error.conflict.enrolled': 409,
  'api.error.conflict.pass': 409,
  'api.error.conflict.emailotpenabled': 409,
  /** The credential is registered already. */
  'api.error.conflict.passkey': 409,
  /** The person has no e-mail address. */
  'api.error.conflict.email': 409,
  /** The person has a device in the domain. */
  'api.error.conflict.device': 409,
  'api.error.conflict.state': 409,
  /** The number that a job is started with is not the one of its preview. */
  'api.error.conflict.people': 409,
  /** The first request with this `Idempotency-Key` is still processed. */
  'api.error.conflict.idempotencykey': 409,
  'api.error.limit.bypasscodes': 409,
  'api.error.limit.passkeys': 409,
  'api.error.limit.people': 409,
  /** The version that `If-Match` names is outdated (RFC 9110 section 13.1.1). */
  'api.error.precondition': 412,
  'api.error.toolarge': 413,
  'api.error.unsupportedmediatype': 415,
  /** Another request had this `Idempotency-Key`. */
  'api.error.mismatch.idempotencykey': 422,
  'api.error.toomanyrequests': 429,
  'api.error.locked': 429,
  'api.error.limit.codes': 429,
  'api.error.internal': 500,
  'api.error.unavailable': 503,
  'api.error.unavailable.mail': 503,
  /** The service does not know the address of the authenticator. */
  'api.error.unavailable.authenticator': 503,
  /** `@simplewebauthn/server` is not installed. */
  'api.error.unavailable.passkeys': 503,
  /** `sax` is not installed. */
  'api.error.unavailable.pskc': 503,
} as const)

export type ErrorCode = keyof typeof errorStatus

/** Why no code of a factor is sent: the domain does not allow it, or the server that delivers it did not accept it. */
export const sendingErrors = {
  email: { disabled: 'api.error.conflict.emailotpenabled', failed: 'api.error.unavailable.mail' },
} as const satisfies Readonly<Record<SentFactor, Readonly<Record<'disabled' | 'failed', ErrorCode>>>>

/** Errors that every operation can return; not repeated in each declaration. */
export const commonErrors = [
  'api.error.malformed',
  'api.error.unauthorized',
  'api.error.forbidden',
  'api.error.methodnotallowed',
  'api.error.notacceptable',
  'api.error.timeout',
  'api.error.toolarge',
  'api.error.unsupportedmediatype',
  'api.error.toomanyrequests',
  'api.error.internal',
  'api.error.unavailable',
] as const satisfies readonly ErrorCode[]

/** The error for a path parameter that is unknown or not an id. */
export const notFoundByParam: Readonly<Record<string, ErrorCode>> = Object.freeze({
  domainId: 'api.error.notfound.domain',
  userId: 'api.error.notfound.user',
  sessionId: 'api.error.notfound.session',
  hardwareTokenId: 'api.error.notfound.hardware',
  bypassCodeId: 'api.error.notfound.bypasscode',
  browserId: 'api.error.notfound.browser',
  passkeyId: 'api.error.notfound.passkey',
  administratorId: 'api.error.notfound.administrator',
  invitationId: 'api.error.notfound.invitation',
  consentId: 'api.error.notfound.consent',
  callerVerificationId: 'api.error.notfound.callerverification',
  apiKeyId: 'api.error.notfound.apikey',
  bulkJobId: 'api.error.notfound.bulkjob',
  approvalId: 'api.error.notfound.approval',
  oidcClientId: 'api.error.notfound.oidcclient',
})

/** The error for a wrong field of a body or a query, if it has one of its own. */
export function invalidField(name: string): ErrorCode | undefined {
  const code = `api.error.invalid.${name.toLowerCase()}`
  return isErrorCode(code) ? code : undefined
}

/** The body of every response outside 2xx. */
export const ErrorBody = z.object({
  errors: z.array(
    z.object({
      code: z.string(),
      message: z.string(),
      /** The change may have been made or not: read before repeating it. */
      outcome: z.literal('unknown').optional(),
    }),
  ),
})
export type ErrorBody = z.infer<typeof ErrorBody>

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorStatus, code)
}
