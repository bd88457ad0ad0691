/** A request of Microsoft Entra that is refused: `code` goes back to Entra, and the message explains it to its administrator. */
export class EntraError extends Error {
  override readonly name = 'EntraError'
  readonly code: EntraErrorCode

  constructor(code: EntraErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The codes are those of RFC 6749 section 4.1.2.1 and of OpenID Connect Unmet Authentication Requirements 1.0. */
export type EntraErrorCode =
  | 'invalid_request'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'unmet_authentication_requirements'
  | 'temporarily_unavailable'
