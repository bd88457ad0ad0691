/**
 * The state of the provider refuses something, through no fault of the service: translate it to an error of the protocol. `ended`: what it
 * belongs to has ended. `used`: it was used already. `full`: too much is stored for the client. `too_large`: the payload is too long.
 */
export class OidcStateError extends Error {
  override readonly name = 'OidcStateError'
  readonly code: 'ended' | 'used' | 'full' | 'too_large'

  constructor(code: OidcStateError['code'], message: string) {
    super(message)
    this.code = code
  }
}
